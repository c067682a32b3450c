"""PersistentVolumes and StorageClasses -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePersistentVolume), `pkg/volume/validation` and
`pkg/apis/storage/validation`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from tjgen.cluster.validate.builtin import legacy
from tjgen.cluster.validate.builtin.claims import VOLUME_MODES, access_modes
from tjgen.cluster.validate.builtin.legacy import Check, having
from tjgen.cluster.validate.builtin.paths import no_steps_back
from tjgen.cluster.validate.builtin.resources import amounts
from tjgen.cluster.validate.builtin.selectors import label_name, node_selector
from tjgen.cluster.validate.builtin.volumes import ONE_SOURCE, driver_name, host_path, nfs
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

_RECLAIM = ("Delete", "Recycle", "Retain")
_MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options"
_MOUNTABLE = {
    *("gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi", "cinder", "cephfs"),
    *("azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"),
}
_BINDING = ("Immediate", "WaitForFirstConsumer")
_MOST_PARAMETERS = 512
_LONGEST_PARAMETERS = 256 * 1024
_SECRETS = ("controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef")
_LONG_PORTAL = (
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
)
_NO_NAMESPACE = "if the endpointnamespace is set, it must be a valid namespace name"


def persistent_volume(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePersistentVolume` without metadata except an annotation."""
    spec, metadata, at = tree.get("spec", {}), tree.get("metadata", {}), Place("spec", ("spec",))
    yield from access_modes(spec.get("accessModes", ()), at.child("accessModes"), required="")
    yield from _capacity(spec, at.child("capacity"))
    policy = spec.get("persistentVolumeReclaimPolicy") or "Retain"
    if policy not in _RECLAIM:
        yield at.child("persistentVolumeReclaimPolicy").not_supported(policy, _RECLAIM)
    affinity = spec.get("nodeAffinity")
    if affinity is not None:
        field = at.child("nodeAffinity", "required")
        if "required" in affinity:
            yield from node_selector(affinity["required"], field)
        else:
            yield field.required("must specify required node constraints")
    yield from _source(spec, generated(metadata), at)
    path = spec.get("hostPath", {}).get("path", "")
    if policy == "Recycle" and path.startswith("/") and posixpath.normpath(path).lstrip("/") == "":
        yield at.child("persistentVolumeReclaimPolicy").forbidden("may not be 'recycle' for a hostPath mount of '/'")
    yield from _classes(spec, at)
    mode = spec.get("volumeMode", "Filesystem")
    if mode not in VOLUME_MODES:
        yield at.child("volumeMode").not_supported(mode, VOLUME_MODES)
    if _MOUNT_OPTIONS in metadata.get("annotations", {}) and not _MOUNTABLE.intersection(spec):
        yield (
            Place()
            .child("metadata", "annotations", _MOUNT_OPTIONS)
            .forbidden("may not specify mount options for this volume type")
        )


def _capacity(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    capacity = amounts(spec, "capacity")
    if not capacity:
        yield at.required()
    if list(capacity) != ["storage"]:
        shown = {name: str(value) for name, value in capacity.items()} if "capacity" in spec else None
        yield at.not_supported(shown, ("storage",))
    for name, value in capacity.items():
        if value.value < 0:
            yield at.key(name).invalid(value.value, "must be a valid resource quantity")
        if value.nanos <= 0:
            yield at.key(name).invalid(str(value), "must be greater than zero")


def _source(spec: dict[str, Any], name: str, at: Place) -> Iterator[Fault]:
    seen = 0
    for kind, check in _SOURCES.items():
        if kind not in spec:
            continue
        if seen and kind != "flexVolume":  # upstream forgot to look there
            spelling = "cephFS" if kind == "cephfs" else kind
            yield Place(f"{at.field}.{spelling}", (*at.path, kind)).forbidden(ONE_SOURCE)
            continue
        seen += 1
        spelling = "persistentDisk" if kind == "gcePersistentDisk" else kind
        field = Place(f"{at.field}.{spelling}", (*at.path, kind))
        yield from check(spec[kind], field)
        if kind == "iscsi":
            portal = spec[kind].get("targetPortal", "")
            if "initiatorName" in spec[kind] and len(f"{name}:{portal}".encode()) > 64:
                yield Place(f"{field.field}.targetportal", (*field.path, "targetPortal")).invalid(portal, _LONG_PORTAL)
        if kind == "local" and "nodeAffinity" not in spec:
            yield at.child("nodeAffinity").required("Local volume requires node affinity")
    if not seen:
        yield at.required("must specify a volume type")


def _classes(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    for name in ("storageClassName", "volumeAttributesClassName"):
        for message in syntax.dns1123_subdomain(spec[name]) if spec.get(name) else ():
            yield at.child(name).invalid(spec[name], message)
    if "volumeAttributesClassName" in spec:
        if not spec["volumeAttributesClassName"]:
            yield at.child("volumeAttributesClassName").required("an empty string is disallowed")
        if "csi" not in spec:
            yield at.child("csi").required("has to be specified when using volumeAttributesClassName")


def _glusterfs(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("endpoints", "path")(source, at)
    if "endpointsNamespace" in source:
        namespace, field = source["endpointsNamespace"], at.child("endpointsNamespace")
        for message in syntax.dns1123_label(namespace) if namespace else [_NO_NAMESPACE]:
            yield field.invalid(namespace, message)


def _iscsi(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("targetPortal", "iqn")(source, at)
    for name, spelling in (("iqn", "iqn"), ("initiatorName", "initiatorname")):
        is_given = bool(source.get(name)) if name == "iqn" else name in source
        if is_given and not legacy.is_initiator(source[name]):
            yield Place(f"{at.field}.{spelling}", (*at.path, name)).invalid(source[name], "must be valid format")
    yield from legacy.logical_unit(source, at)
    yield from legacy.secret_name(source, at)


def _secret(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    if "secretRef" in source:
        yield from having("name", "namespace")(source["secretRef"], at.child("secretRef"))


def _cinder(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("volumeID")(source, at)
    yield from _secret(source, at)


def _azure_file(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from having("secretName", "shareName")(source, at)
    if source.get("secretNamespace") == "":
        yield at.child("secretNamespace").required()


def _storage_os(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from legacy.storage_os_names(source, at)
    yield from _secret(source, at)


def _local(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    if not source.get("path"):
        yield at.child("path").required()
    else:
        yield from no_steps_back(source["path"], at.child("path"))


def _csi(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from driver_name(source.get("driver", ""), at.child("driver"))
    yield from having("volumeHandle")(source, at)
    for name in _SECRETS:
        if name not in source:
            continue
        yield from having("name", "namespace")(source[name], at.child(name))
        for key, check in (("name", syntax.dns1123_subdomain), ("namespace", syntax.dns1123_label)):
            for message in check(source[name][key]) if source[name].get(key) else ():
                yield at.child(name, key).invalid(source[name][key], message)


_SOURCES: dict[str, Check] = {
    "hostPath": host_path,
    "gcePersistentDisk": legacy.SOURCES["gcePersistentDisk"],
    "awsElasticBlockStore": legacy.SOURCES["awsElasticBlockStore"],
    "glusterfs": _glusterfs,
    "flocker": legacy.SOURCES["flocker"],
    "nfs": nfs,
    "rbd": legacy.SOURCES["rbd"],
    "quobyte": legacy.SOURCES["quobyte"],
    "cephfs": legacy.SOURCES["cephfs"],
    "iscsi": _iscsi,
    "cinder": _cinder,
    "fc": legacy.SOURCES["fc"],
    "flexVolume": legacy.SOURCES["flexVolume"],
    "azureFile": _azure_file,
    "vsphereVolume": legacy.SOURCES["vsphereVolume"],
    "photonPersistentDisk": legacy.SOURCES["photonPersistentDisk"],
    "portworxVolume": legacy.SOURCES["portworxVolume"],
    "azureDisk": legacy.SOURCES["azureDisk"],
    "scaleIO": legacy.SOURCES["scaleIO"],
    "local": _local,
    "storageos": _storage_os,
    "csi": _csi,
}
"""Each source's check, in upstream's order."""


def storage_class(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateStorageClass`, metadata left out."""
    provisioner, at = tree.get("provisioner", ""), Place("provisioner", ("provisioner",))
    if not provisioner:
        yield at.required()
    else:
        yield from label_name(provisioner.lower(), at)
    yield from _parameters(tree.get("parameters", {}), Place("parameters", ("parameters",)))
    reclaim = tree.get("reclaimPolicy")
    if reclaim and reclaim not in ("Delete", "Retain"):
        yield Place("reclaimPolicy", ("reclaimPolicy",)).not_supported(reclaim, ("Delete", "Retain"))
    binding = tree.get("volumeBindingMode", "Immediate")
    if binding not in _BINDING:
        yield Place("volumeBindingMode", ("volumeBindingMode",)).not_supported(binding, _BINDING)
    yield from _topologies(tree.get("allowedTopologies", ()), Place("allowedTopologies", ("allowedTopologies",)))


def _parameters(parameters: dict[str, str], at: Place) -> Iterator[Fault]:
    if len(parameters) > _MOST_PARAMETERS:
        yield at.too_long(_MOST_PARAMETERS)
        return
    if "" in parameters:
        yield at.seen_at("").invalid("", "field can not be empty.")
    if sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items()) > _LONGEST_PARAMETERS:
        yield at.too_long(_LONGEST_PARAMETERS)


def _topologies(terms: Any, at: Place) -> Iterator[Fault]:
    # Upstream begins with as many empty terms as there are terms, so that an empty one is always a second one.
    seen: list[dict[str, set[str]]] = [{}]
    for position, term in enumerate(terms):
        field, keys = at.item(position).child("matchLabelExpressions"), dict[str, set[str]]()
        for number, requirement in enumerate(term.get("matchLabelExpressions", ())):
            key, values = requirement.get("key", ""), requirement.get("values", [])
            if not values:
                yield field.item(number).child("values").required()
            for index, value in enumerate(values):
                if value in values[:index]:
                    yield field.item(number).child("values").item(index).duplicate(value)
            yield from label_name(key, field.item(number).child("key"))
            if key in keys:
                yield field.item(number).child("key").duplicate(key)
            keys[key] = set(values)
        if keys in seen:
            yield field.duplicate("")
        seen.append(keys)
