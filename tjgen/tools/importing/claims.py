"""Claims next to imported jobs -> `create` of the volumes that mount them.

The first experiment that mounts a claim creates it, and the others continue to refer to it by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.tools.importing.imported import Imported, ImportedObject
from tjgen.tools.importing.remaining import ObjectIdentity
from tjgen.tools.importing.trainjob import author_labels
from tjgen.tools.importing.trial import TrialBuilder
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities

_COPIED = ("storageClassName", "accessModes", "volumeMode")
_SOURCES = {"VolumeSnapshot": "snapshot", "PersistentVolumeClaim": "claim"}


def with_claims(
    experiments: Sequence[Imported], claims: Sequence[ImportedObject], trial: TrialBuilder
) -> tuple[list[Imported], dict[ObjectIdentity, str]]:
    """The experiments that create the claims, and the place of each claim that one of them creates.

    An experiment creates a claim only if a build results in the same claim and does not change the job.
    """
    changed = list(experiments)
    places: dict[ObjectIdentity, str] = {}
    for claim in claims:
        for position, volume in _mounts(changed, claim):
            one = _creating(changed[position], volume, claim.tree, trial)
            if one is not None:
                changed[position] = one
                places[ObjectIdentity.of(claim.tree)] = f"volumes.{volume} of {one.file}"
                break
    return changed, places


def _mounts(experiments: Sequence[Imported], claim: ImportedObject) -> Iterator[tuple[int, str]]:
    """The position of each experiment with a volume that refers to a claim, and the name of the volume."""
    identity = ObjectIdentity.of(claim.tree)
    for position, one in enumerate(experiments):
        if ObjectIdentity.of(one.subject.tree).namespace == identity.namespace:
            volumes = one.experiment["spec"].get("volumes") or {}
            yield from ((position, name) for name, volume in volumes.items() if volume.get("pvc") == identity.name)


def _creating(one: Imported, name: str, claim: Tree, trial: TrialBuilder) -> Imported | None:
    """The experiment that creates a claim for its volume; None if that changes the job, or results in another claim."""
    spec = one.experiment["spec"]
    volume = {**spec["volumes"][name], "pvc": {"create": _fields(claim, name)}}
    if not volume.get("readOnly"):
        volume["shared"] = True  # the job uses the root of the claim
    experiment = {**one.experiment, "spec": {**spec, "volumes": {**spec["volumes"], name: volume}}}
    result = trial.build(experiment)
    others = [tree for tree in result.objects if ObjectIdentity.of(tree) != ObjectIdentity.of(claim)]
    created = [tree for tree in result.objects if tree not in others]
    same = len(created) == 1 and _comparable(created[0]) == _comparable(claim)
    if result.errors or not same or others != list(one.objects):
        return None
    return one._replace(experiment=experiment, objects=result.objects)


def _fields(claim: Tree, volume: str) -> Tree:
    metadata, spec = claim["metadata"], claim["spec"]
    fields: Tree = {"size": get(spec, ("resources", "requests", "storage"), None)}
    fields |= {field: spec[field] for field in _COPIED if spec.get(field) not in (None, "Filesystem")}
    fields["scope"] = "project"
    if metadata["name"] != volume:
        fields["name"] = metadata["name"]
    source = spec.get("dataSourceRef") or spec.get("dataSource")
    if source:
        word = _SOURCES.get(source["kind"])
        populator = {"apiGroup": source.get("apiGroup"), "kind": source["kind"], "name": source["name"]}
        fields["from"] = {word: source["name"]} if word else {"populator": populator}
    return fields | {field: metadata[field] for field in ("labels", "annotations") if metadata.get(field)}


def _comparable(claim: Tree) -> Tree:
    """A claim as the API server stores it, without the labels of tjgen."""
    metadata, spec = claim["metadata"], claim["spec"]
    source = spec.get("dataSourceRef") or spec.get("dataSource")
    sources = {"dataSource": source, "dataSourceRef": source} if source else {}
    whole = {"volumeMode": "Filesystem", **spec, **sources}
    return {
        "labels": author_labels(claim),
        "annotations": metadata.get("annotations") or {},
        "spec": with_canonical_quantities(whole),
    }
