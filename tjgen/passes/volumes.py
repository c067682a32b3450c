"""Volumes -> a volume and a mount in every pod set that uses them, and the claims to create."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.fields.path import FieldPath, Tree, get, named
from tjgen.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY
from tjgen.lower import SPEC, unknown_role
from tjgen.setting import Setting
from tjgen.spec.forms import text
from tjgen.spec.objects import Experiment, Files, NewClaim, Volume
from tjgen.workload.contribution import Contribution
from tjgen.workload.roles import members, role
from tjgen.workload.workload import PodSet, Workload

Found = Iterator[Contribution | Diagnostic]


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Found:
    """Each volume under its own name, in the roles that it names or else in all that train."""
    for name, volume in experiment.spec.volumes.items():
        because: FieldPath = (*SPEC, "volumes", name)
        yield from _unknown_readers(workload, volume, because)
        chosen = [found for wanted in volume.roles if (found := role(workload, wanted))] or members(workload)
        source = _source(name, volume, setting)
        if volume.pvc is not None and volume.pvc.create is not None:
            yield from _claim(name, volume.pvc.create, setting, because)
        for podset in chosen:
            yield Contribution((*podset.pod, "volumes", named(name)), {"name": name, **source}, because)
            if volume.mount_path is not None:
                yield from _mount(workload, podset, name, volume, setting, because)


def _unknown_readers(workload: Workload, volume: Volume, because: FieldPath) -> Found:
    for position, wanted in enumerate(volume.roles):
        if role(workload, wanted) is None:
            yield unknown_role(workload, wanted, (*because, "roles", position))


def _mount(workload: Workload, podset: PodSet, name: str, volume: Volume, setting: Setting, because: FieldPath) -> Found:
    path = (*podset.main, "volumeMounts", (("mountPath", volume.mount_path),))
    standing = get(workload.tree.value, path, None)
    if standing is not None and standing.get("name") != name and workload.tree.origins(path)[0].manager == "experiment":
        yield Diagnostic(
            "TJ305",
            ERROR,
            f"{volume.mount_path} is mounted twice in {podset.name}: by {standing['name']} and by {name}",
            path=(*because, "mountPath"),
            hint="give one of the volumes another mountPath",
            name="mount-path-taken",
        )
        return
    mount: Tree = {"name": name, "mountPath": volume.mount_path}
    if _is_read_only(volume):
        mount["readOnly"] = True
    sub_path = volume.sub_path if volume.sub_path is not None else _own_folder(volume, setting)
    if sub_path is not None and volume.sub_path_expr is None:
        mount["subPath"] = sub_path
    if volume.sub_path_expr is not None:
        mount["subPathExpr"] = volume.sub_path_expr
    yield Contribution(path, mount, because)


def _is_read_only(volume: Volume) -> bool:
    return volume.read_only or volume.image is not None


def _own_folder(volume: Volume, setting: Setting) -> str | None:
    """Runs of a family share its claim, and each writes into a folder of its own."""
    create = volume.pvc.create if volume.pvc is not None else None
    if create is None or create.scope == "run" or volume.shared or volume.read_only or create.volume_mode == "Block":
        return None
    return setting.run


def claim_name(name: str, create: NewClaim, setting: Setting) -> str:
    """The claim's name by its scope: claims never take a hash, so that data survives a new run."""
    if create.scope == "project":
        return name
    return f"{setting.run if create.scope == 'run' else setting.family}-{name}"


def _claim(name: str, create: NewClaim, setting: Setting, because: FieldPath) -> Found:
    at: FieldPath = (*because, "pvc", "create")
    claim = claim_name(name, create, setting)
    to: FieldPath = ("objects", f"PersistentVolumeClaim/{claim}")
    labels = {MANAGED_BY: "tjgen", **setting.labels}
    if create.scope != "project":
        labels[EXPERIMENT_LABEL] = setting.family
    metadata: Tree = {"name": claim, "namespace": setting.namespace, "labels": {**labels, **create.labels}}
    if create.annotations:
        metadata["annotations"] = create.annotations
    modes = create.access_modes or setting.access_modes.get(create.storage_class_name or "") or ["ReadWriteMany"]
    shell = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": {"accessModes": modes}}
    yield Contribution(to, shell, at)
    yield Contribution((*to, "spec", "resources"), {"requests": {"storage": text(create.size)}}, (*at, "size"))
    if create.storage_class_name is not None:
        because_class = (*at, "storageClassName")
        yield Contribution((*to, "spec", "storageClassName"), create.storage_class_name, because_class, mirrors=True)
    yield Contribution((*to, "spec", "volumeMode"), create.volume_mode or "Filesystem", at)


def _source(name: str, volume: Volume, setting: Setting) -> Tree:
    for attribute, build in _SOURCES.items():
        if getattr(volume, attribute) is not None:
            return build(name, volume, setting)
    return {"emptyDir": {}}


def _pvc(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.pvc is not None
    create = volume.pvc.create
    claim: Tree = {"claimName": claim_name(name, create, setting) if create is not None else volume.pvc.claim_name}
    # A claim that is read only in the pod makes every mount of it so; the mount says it too.
    return {"persistentVolumeClaim": {**claim, "readOnly": True} if volume.read_only else claim}


def _host_path(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.host_path is not None
    return {"hostPath": _present(path=volume.host_path.path, type=volume.host_path.type)}


def _image(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.image is not None
    return {"image": _present(reference=volume.image.reference, pullPolicy=volume.image.pull_policy)}


def _ephemeral(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.ephemeral is not None
    asked = volume.ephemeral
    spec = _present(
        accessModes=asked.access_modes or ["ReadWriteOnce"],
        resources={"requests": {"storage": text(asked.size)}},
        storageClassName=asked.storage_class_name,
    )
    return {"ephemeral": {"volumeClaimTemplate": {"spec": spec}}}


def _empty_dir(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.empty_dir is not None
    limit = volume.empty_dir.size_limit
    size = text(limit) if limit is not None else None
    return {"emptyDir": _present(medium=volume.empty_dir.medium, sizeLimit=size)}


def _config_map(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.config_map is not None
    return {"configMap": {"name": volume.config_map.name, **_files(volume.config_map)}}


def _secret(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.secret is not None
    return {"secret": {"secretName": volume.secret.name, **_files(volume.secret)}}


def _files(files: Files) -> Tree:
    items = [{"key": key, "path": path} for key, path in files.items.items()]
    return _present(items=items or None, defaultMode=files.default_mode, optional=files.optional)


def _present(**fields: Tree) -> dict[str, Tree]:
    return {key: value for key, value in fields.items() if value is not None}


_SOURCES: dict[str, Callable[[str, Volume, Setting], Tree]] = {
    "pvc": _pvc,
    "host_path": _host_path,
    "image": _image,
    "ephemeral": _ephemeral,
    "empty_dir": _empty_dir,
    "config_map": _config_map,
    "secret": _secret,
}
