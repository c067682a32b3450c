"""The volumes of a pod -> what the API server has against them, and those that containers can mount.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateVolumes, validateVolumeSource): sources in upstream's order, the
first one counts, a second is forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin import legacy
from tjgen.cluster.validate.builtin.claims import claim_template
from tjgen.cluster.validate.builtin.legacy import Check
from tjgen.cluster.validate.builtin.paths import descending, no_steps_back
from tjgen.cluster.validate.builtin.projected import downward_file, file_mode, key_paths, projected
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import quote
from tjgen.trees.k8s import quantity, syntax
from tjgen.trees.typing import Any

_HOST_PATH_TYPES = ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
ONE_SOURCE = "may not specify more than 1 volume type"


def volumes(given: list[Any], at: Place, *, is_pod: bool, pod_name: str = "") -> tuple[dict[str, Any], list[Fault]]:
    """The good volumes by name, and what is wrong with the others. A template has no `pod_name` yet."""
    good: dict[str, Any] = {}
    faults: list[Fault] = []
    created = {f"{pod_name}-{volume.get('name', '')}" for volume in given if pod_name and "ephemeral" in volume}
    for position, volume in enumerate(given):
        element, name = at.item(position), volume.get("name", "")
        wrong = [*_source(volume, element, is_pod=is_pod, pod_name=pod_name), *_name(name, good, element.child("name"))]
        if not wrong:
            good[name] = volume
        faults += wrong
        claim = volume.get("persistentVolumeClaim", {}).get("claimName", "")
        if "persistentVolumeClaim" in volume and claim in created:
            message = "must not reference a PVC that gets created for an ephemeral volume"
            faults.append(element.child("persistentVolumeClaim", "claimName").invalid(claim, message))
    return good, faults


def _name(name: str, known: dict[str, Any], at: Place) -> Iterator[Fault]:
    if not name:
        yield at.required()
    for message in syntax.dns1123_label(name) if name else ():
        yield at.invalid(name, message)
    if name in known:
        yield at.duplicate(name)


def _source(volume: dict[str, Any], at: Place, *, is_pod: bool, pod_name: str) -> Iterator[Fault]:
    """`validateVolumeSource`. A volume without a source is an emptyDir."""
    seen = False
    for kind, check in _SOURCES.items():
        if kind not in volume:
            continue
        if seen:
            spelling = _FORBIDDEN_AS.get(kind, kind)
            yield Place(f"{at.field}.{spelling}", (*at.path, kind)).forbidden(ONE_SOURCE)
            continue
        seen = True
        spelling = _CHECKED_AS.get(kind, kind)
        yield from check(volume[kind], Place(f"{at.field}.{spelling}", (*at.path, kind)))
        if kind == "image" and is_pod and not volume[kind].get("reference"):
            yield at.child(kind, "reference").required()
        if kind == "ephemeral":
            yield from _claim_name(volume.get("name", ""), pod_name, at.child("name"))


def _claim_name(name: str, pod_name: str, at: Place) -> Iterator[Fault]:
    if pod_name and name:
        for message in syntax.dns1123_subdomain(f"{pod_name}-{name}"):
            yield at.invalid(name, f"PVC name {quote(f'{pod_name}-{name}')}: {message}")


def _empty_dir(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    if quantity.parse(source.get("sizeLimit", 0)).nanos < 0:
        yield at.child("sizeLimit").forbidden("SizeLimit field must be a valid resource quantity")


def host_path(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateHostPathVolumeSource`."""
    if not source.get("path"):
        yield at.child("path").required()
        return
    yield from no_steps_back(source["path"], at.child("path"))
    if source.get("type", "") not in _HOST_PATH_TYPES:
        yield at.child("type").not_supported(source["type"], _HOST_PATH_TYPES)


def _git_repo(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    if not source.get("repository"):
        yield at.child("repository").required()
    yield from descending(source.get("directory", ""), at.child("directory"))


def _keys(named: str) -> Check:
    """A secret or config map, whose name is in the field `named`."""

    def check(source: dict[str, Any], at: Place) -> Iterator[Fault]:
        if not source.get(named):
            yield at.child(named).required()
        yield from file_mode(source, "defaultMode", at)
        yield from key_paths(source, at)

    return check


def nfs(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateNFSVolumeSource`."""
    for name in ("server", "path"):
        if not source.get(name):
            yield at.child(name).required()
    if not source.get("path", "").startswith("/"):
        yield at.child("path").invalid(source.get("path", ""), "must be an absolute path")


def _downward(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from file_mode(source, "defaultMode", at)
    for position, item in enumerate(source.get("items", ())):
        yield from downward_file(item, at.seen_at("items", position))


def _csi(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from driver_name(source.get("driver", ""), at.child("driver"))
    if "nodePublishSecretRef" in source:
        name = source["nodePublishSecretRef"].get("name", "")
        if not name:
            yield at.child("nodePublishSecretRef", "name").required()
        for message in syntax.dns1123_subdomain(name) if name else ():
            yield Place(f"{at.field}.name", (*at.path, "nodePublishSecretRef", "name")).invalid(name, message)


def driver_name(name: str, at: Place) -> Iterator[Fault]:
    """`ValidateCSIDriverName`."""
    if not name:
        yield at.required()
        return
    if len(name.encode()) > 63:
        yield at.too_long(63)
    for message in syntax.dns1123_subdomain(name.lower()):
        yield at.invalid(name, message)


def _ephemeral(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    if "volumeClaimTemplate" not in source:
        yield at.child("volumeClaimTemplate").required()
    else:
        yield from claim_template(source["volumeClaimTemplate"], at.child("volumeClaimTemplate"))


def _image(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    policy = source.get("pullPolicy") or "Always"
    if policy not in _PULL_POLICIES:
        yield at.child("pullPolicy").not_supported(policy, _PULL_POLICIES)


_SOURCES: dict[str, Check] = {
    "emptyDir": _empty_dir,
    "hostPath": host_path,
    "gitRepo": _git_repo,
    "gcePersistentDisk": legacy.SOURCES["gcePersistentDisk"],
    "awsElasticBlockStore": legacy.SOURCES["awsElasticBlockStore"],
    "secret": _keys("secretName"),
    "nfs": nfs,
    "iscsi": legacy.SOURCES["iscsi"],
    "glusterfs": legacy.SOURCES["glusterfs"],
    "flocker": legacy.SOURCES["flocker"],
    "persistentVolumeClaim": legacy.having("claimName"),
    "rbd": legacy.SOURCES["rbd"],
    "cinder": legacy.SOURCES["cinder"],
    "cephfs": legacy.SOURCES["cephfs"],
    "quobyte": legacy.SOURCES["quobyte"],
    "downwardAPI": _downward,
    "fc": legacy.SOURCES["fc"],
    "flexVolume": legacy.SOURCES["flexVolume"],
    "configMap": _keys("name"),
    "azureFile": legacy.SOURCES["azureFile"],
    "vsphereVolume": legacy.SOURCES["vsphereVolume"],
    "photonPersistentDisk": legacy.SOURCES["photonPersistentDisk"],
    "portworxVolume": legacy.SOURCES["portworxVolume"],
    "azureDisk": legacy.SOURCES["azureDisk"],
    "storageos": legacy.SOURCES["storageos"],
    "projected": projected,
    "scaleIO": legacy.SOURCES["scaleIO"],
    "csi": _csi,
    "ephemeral": _ephemeral,
    "image": _image,
}
_FORBIDDEN_AS = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_CHECKED_AS = {"gcePersistentDisk": "persistentDisk"}
"""Where upstream's errors name other fields than the API has."""
