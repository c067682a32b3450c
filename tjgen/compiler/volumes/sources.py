"""A volume of the experiment -> the source that a pod's volume names."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.compiler.volumes.claims import claim_name
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Files, ImageVolume, Volume
from tjgen.trees.fields.path import Tree


def source(name: str, volume: Volume, setting: Setting) -> Tree:
    """What stands beside `name` in an element of a pod's `volumes`."""
    for attribute, build in _SOURCES.items():
        if getattr(volume, attribute) is not None:
            return build(name, volume, setting)
    return {"emptyDir": {}}


def image_reference(image: ImageVolume) -> str:
    """The reference with its digest: a tag that stands before it is for people."""
    return f"{image.reference}@{image.digest}" if image.digest is not None else image.reference


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
    return {"image": _present(reference=image_reference(volume.image), pullPolicy=volume.image.pull_policy)}


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


def _nfs(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.nfs is not None
    return {"nfs": _present(server=volume.nfs.server, path=volume.nfs.path, readOnly=volume.read_only or None)}


def _csi(name: str, volume: Volume, setting: Setting) -> Tree:
    assert volume.csi is not None
    asked = volume.csi
    return {
        "csi": _present(
            driver=asked.driver,
            fsType=asked.fs_type,
            readOnly=volume.read_only or None,
            volumeAttributes=dict(asked.attributes) or None,
            nodePublishSecretRef={"name": asked.secret} if asked.secret is not None else None,
        )
    }


def _dataset(name: str, volume: Volume, setting: Setting) -> Tree:
    from tjgen.compiler.volumes.fluid import dataset_name  # few clusters have Fluid

    assert volume.dataset is not None
    create = volume.dataset.create
    claim = dataset_name(name, create, setting) if create is not None else volume.dataset.name
    return {"persistentVolumeClaim": {"claimName": claim, "readOnly": True}}


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
    "nfs": _nfs,
    "csi": _csi,
    "dataset": _dataset,
}
