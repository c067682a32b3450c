"""A claim to create -> the PersistentVolumeClaim, under a name that outlives runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.table import KEPT
from tjgen.language.platform.profiles import PATTERNS, profile
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import ClaimContent, NewClaim
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.workload.contribution import Contribution

PROFILE = "tjgen.dev/storage-profile"
PATTERN = "tjgen.dev/read-pattern"
"""Annotations of a claim for its use."""

_READ = ("ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce", "ReadWriteOncePod")
_SHARED = ("ReadWriteMany", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod")
_ALONE = ("ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod", "ReadOnlyMany")


def claim_name(name: str, create: NewClaim, setting: Setting) -> str:
    """The claim's own name, or that by its scope: claims never take a hash, so that data survives a new run."""
    if create.name is not None:
        return create.name
    if create.scope == "project":
        return name
    return f"{setting.run if create.scope == 'run' else setting.storage}-{name}"


def slice_claim(name: str, position: int) -> str:
    """The name of the claim of one slice."""
    return f"{name}-{position}"


def claim_size(create: NewClaim) -> str:
    """The size of the claim, as it is written."""
    assert create.size is not None, "a claim without a size is an error of the experiment"
    return text(create.size)


def access_modes(create: NewClaim, pods: int, setting: Setting, *, read_only: bool) -> Sequence[str]:
    """Return the requested modes; else the matching one of those that the class supports according to the Platform."""
    if create.access_modes:
        return create.access_modes
    offered = setting.cluster.access_modes.get(create.storage_class_name or "") or ["ReadWriteMany"]
    several = pods > 1 or create.scope != "run"
    wanted = (_READ if read_only else _SHARED) if several else _ALONE
    return [next(mode for mode in wanted if mode in offered)]


def own_folder(create: NewClaim | None, *, shared: bool, read_only: bool, setting: Setting) -> str | None:
    """The folder of a run on a claim of several runs; none where it reads only, or what the claim was filled with."""
    if create is None or create.scope == "run" or create.content is not None or create.volume_mode == "Block":
        return None
    return None if shared or read_only else setting.run


def claim(
    name: str, create: NewClaim, pods: int, setting: Setting, because: FieldPath, *, read_only: bool, slice_of: int | None = None
) -> Iterator[Contribution | Diagnostic]:
    """Return the claim `name`, mounted by `pods` pods at a time; `because` is the experiment's field `create`.

    `slice_of` is the number of the slice that a claim of its own holds, on a volume of one node.
    """
    if create.name is not None and create.scope == "run":
        message = f'scope is run, but all runs would share the claim "{create.name}"'
        yield Diagnostic("TJ798", message, path=(*because, "name"), hint="remove name, or remove scope: run")
        return
    full = claim_name(name, create, setting)
    if slice_of is not None:
        full = slice_claim(full, slice_of)
    to: FieldPath = ("objects", f"PersistentVolumeClaim/{full}")
    labels = {MANAGED_BY: "tjgen", **setting.labels}
    if create.scope != "project":
        labels[EXPERIMENT_LABEL] = setting.family
    metadata: Tree = {"name": full, "namespace": setting.namespace, "labels": {**labels, **create.labels}}
    annotations = {**(KEPT if create.keep else {}), **create.annotations}
    if create.profile is not None:
        claim_profile = profile(create.profile, setting.cluster.profiles)
        if claim_profile is None:
            yield _unknown(create.profile, setting, (*because, "profile"))
            return
        tjgen_annotations = {
            PROFILE: create.profile,
            **({PATTERN: claim_profile.read_pattern} if claim_profile.read_pattern is not None else {}),
        }
        annotations = {**tjgen_annotations, **annotations}
    if annotations:
        metadata["annotations"] = annotations
    # A local volume is ReadWriteOnce: all its pods are on its node.
    modes = ["ReadWriteOnce"] if slice_of is not None else []
    modes = list(create.access_modes or modes or access_modes(create, pods, setting, read_only=read_only))
    shell = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": {"accessModes": modes}}
    yield Contribution(to, shell, because)
    yield Contribution((*to, "spec", "resources"), {"requests": {"storage": claim_size(create)}}, (*because, "size"))
    if create.storage_class_name is not None:
        because_class = (*because, "storageClassName")
        yield Contribution((*to, "spec", "storageClassName"), create.storage_class_name, because_class, mirrors=True)
    yield Contribution((*to, "spec", "volumeMode"), create.volume_mode or "Filesystem", because)
    if create.content is not None:
        # The API server fills each of the two from the other; with both in Git a sync sees no difference. But of a claim,
        # which has no group, it stores a group of null in dataSource, and Argo CD would show that as a difference in each sync.
        for field in ("dataSource", "dataSourceRef") if create.content.claim is None else ("dataSourceRef",):
            yield Contribution((*to, "spec", field), _content(create.content), (*because, "from"))


def _unknown(name: str, setting: Setting, at: FieldPath) -> Diagnostic:
    known = sorted({*PATTERNS, *setting.cluster.profiles})
    near = nearest(name, known)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}, or describe it in profiles of the Platform"
    return Diagnostic("TJ914", f'there is no storage profile "{name}"', path=at, hint=hint)


def _content(content: ClaimContent) -> Tree:
    if content.snapshot is not None:
        return {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": content.snapshot}
    if content.claim is not None:
        return {"kind": "PersistentVolumeClaim", "name": content.claim}
    assert content.populator is not None, "one of the three is needed"
    return {"apiGroup": content.populator.api_group, "kind": content.populator.kind, "name": content.populator.name}
