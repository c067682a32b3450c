"""Volumes of clouds and storage systems from before CSI -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation`, which keeps them for old clusters: one function a source, by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees import regex
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

Check = Callable[[dict[str, Any], Place], Iterator[Fault]]

_IQN = {
    "iqn": regex.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+\Z"),
    "eui": regex.compile(r"eui.[0-9A-Za-z]{16}\Z"),
    "naa": regex.compile(r"naa.[0-9A-Za-z]{32}\Z"),
}
_BYTE = "must be between 0 and 255, inclusive"
_REGISTRY = "must be a host:port pair or multiple pairs separated by commas"
_CACHING = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def having(*fields: str) -> Check:
    """A source that has to name these fields."""

    def check(source: dict[str, Any], at: Place) -> Iterator[Fault]:
        for name in fields:
            if not source.get(name):
                yield at.child(name).required()

    return check


def _disk(name: str) -> Check:
    named = having(name)

    def check(source: dict[str, Any], at: Place) -> Iterator[Fault]:
        yield from named(source, at)
        if not 0 <= source.get("partition", 0) <= 255:
            yield at.child("partition").invalid(source["partition"], "must be between 1 and 255, inclusive")

    return check


def _iscsi(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("targetPortal", "iqn")(source, at)
    for name, spelling in (("iqn", "iqn"), ("initiatorName", "initiatorname")):
        if source.get(name) or (name == "initiatorName" and name in source):
            yield from _initiator(source[name], Place(f"{at.field}.{spelling}", (*at.path, name)))
    yield from logical_unit(source, at)


def logical_unit(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """The number and the secret of an iSCSI source."""
    if not 0 <= source.get("lun", 0) <= 255:
        yield at.child("lun").invalid(source["lun"], _BYTE)
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and "secretRef" not in source:
        yield at.child("secretRef").required()


def is_initiator(name: str) -> bool:
    """Whether this names an iSCSI initiator or target."""
    return name[:3] in _IQN and _IQN[name[:3]].match(name) is not None


def _initiator(name: str, at: Place) -> Iterator[Fault]:
    if not is_initiator(name):
        start = "" if name[:3] in _IQN else " starting with iqn, eui, or naa"
        yield at.invalid(name, f"must be valid format{start}")


def _flocker(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    name, uuid = source.get("datasetName", ""), source.get("datasetUUID", "")
    if not name and not uuid:
        yield at.required("one of datasetName and datasetUUID is required")
    if name and uuid:
        yield at.invalid("resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield at.child("datasetName").invalid(name, "must not contain '/'")


def secret_name(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """A secret is named if there is to be one."""
    if "secretRef" in source and not source["secretRef"].get("name"):
        yield at.child("secretRef", "name").required()


def _cinder(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("volumeID")(source, at)
    yield from secret_name(source, at)


def _quobyte(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    registry = source.get("registry", "")
    if not registry:
        yield at.child("registry").required(_REGISTRY)
    elif len(source.get("tenant", "").encode()) >= 65:
        yield at.child("tenant").required("must be a UUID and may not exceed a length of 64 characters")
    else:
        for pair in registry.split(","):
            if pair.count(":") != 1 and not (pair.startswith("[") and "]:" in pair):
                yield at.child("registry").invalid(registry, _REGISTRY)
    yield from having("volume")(source, at)


def _fibre_channel(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    names, ids = source.get("targetWWNs", []), source.get("wwids", [])
    if not names and not ids:
        yield at.child("targetWWNs").required("must specify either targetWWNs or wwids, but not both")
    if names and ids:
        yield at.child("targetWWNs").invalid(names, "targetWWNs and wwids can not be specified simultaneously")
    if names and "lun" not in source:
        yield at.child("lun").required("lun is required if targetWWNs is specified")
    elif names and not 0 <= source["lun"] <= 255:
        yield at.child("lun").invalid(source["lun"], _BYTE)


def _flex(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("driver")(source, at)
    for key in source.get("options", {}):
        domain = "." + key.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            yield at.child("options").key(key).invalid(key, "kubernetes.io and k8s.io namespaces are reserved")


def _azure_disk(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("diskName", "diskURI")(source, at)
    caching, kind, uri = source.get("cachingMode", "ReadWrite"), source.get("kind", "Shared"), source.get("diskURI", "")
    if caching not in _CACHING:
        yield at.child("cachingMode").not_supported(caching, _CACHING)
    if kind not in _DISK_KINDS:
        yield at.child("kind").not_supported(kind, _DISK_KINDS)
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        yield at.child("diskURI").not_supported(uri, (_MANAGED_URI,))
    elif kind != "Managed" and not uri.startswith("https://"):
        yield at.child("diskURI").not_supported(uri, (_BLOB_URI,))


def storage_os_names(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """The names in a StorageOS source."""
    yield from having("volumeName")(source, at)
    for name in ("volumeName", "volumeNamespace"):
        for message in syntax.dns1123_label(source[name]) if source.get(name) else ():
            yield at.child(name).invalid(source[name], message)


def _storage_os(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from storage_os_names(source, at)
    yield from secret_name(source, at)


SOURCES: dict[str, Check] = {
    "gcePersistentDisk": _disk("pdName"),
    "awsElasticBlockStore": _disk("volumeID"),
    "iscsi": _iscsi,
    "glusterfs": having("endpoints", "path"),
    "flocker": _flocker,
    "rbd": having("monitors", "image"),
    "cinder": _cinder,
    "cephfs": having("monitors"),
    "quobyte": _quobyte,
    "fc": _fibre_channel,
    "flexVolume": _flex,
    "azureFile": having("secretName", "shareName"),
    "vsphereVolume": having("volumePath"),
    "photonPersistentDisk": having("pdID"),
    "portworxVolume": having("volumeID"),
    "azureDisk": _azure_disk,
    "storageos": _storage_os,
    "scaleIO": having("gateway", "system", "volumeName"),
}
"""Each source's check, by the field that holds it."""
