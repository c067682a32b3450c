"""The volumes of a pod -> what the API server has against them, and those that containers can mount.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateVolumes, validateVolumeSource): sources in upstream's order, the
first one counts, a second is forbidden.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin import legacy
from tjgen.cluster.validate.builtin.claims import claim_template
from tjgen.cluster.validate.builtin.legacy import Check
from tjgen.cluster.validate.builtin.paths import descending, no_steps_back, not_reserved
from tjgen.cluster.validate.builtin.references import field_reference, resource_reference
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
        yield from _file_mode(source, "defaultMode", at)
        yield from _key_paths(source, at)

    return check


def nfs(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateNFSVolumeSource`."""
    for name in ("server", "path"):
        if not source.get(name):
            yield at.child(name).required()
    if not source.get("path", "").startswith("/"):
        yield at.child("path").invalid(source.get("path", ""), "must be an absolute path")


def _downward(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    yield from _file_mode(source, "defaultMode", at)
    for position, item in enumerate(source.get("items", ())):
        yield from _downward_file(item, at.seen_at("items", position))


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


_FORBIDDEN_AS = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_CHECKED_AS = {"gcePersistentDisk": "persistentDisk"}
"""Where upstream's errors name other fields than the API has."""


# Files that volumes create from keys, fields and tokens -> the errors of the API server.
#
# Mirrors kubernetes 1.36 `pkg/apis/core/validation` (validateProjectedVolumeSource, validateKeyToPath,
# validateDownwardAPIVolumeFile).

_FILE_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_FIELDS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_GATED = ("clusterTrustBundle", "podCertificate")
"""Sources behind gates that are off: the server drops them."""


def _file_mode(source: dict[str, Any], name: str, at: Place) -> Iterator[Fault]:
    """The mode of files, where it is given."""
    if not 0 <= source.get(name, 0) <= 0o777:
        yield at.child(name).invalid(source[name], _FILE_MODE)


def _key_paths(source: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateKeyToPath` for all items."""
    for position, item in enumerate(source.get("items", ())):
        element = at.child("items").item(position)
        for name in ("key", "path"):
            if not item.get(name):
                yield element.child(name).required()
        yield from not_reserved(item.get("path", ""), element.child("path"))
        yield from _file_mode(item, "mode", element)


def _downward_file(item: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateDownwardAPIVolumeFile`."""
    if not item.get("path"):
        yield at.child("path").required()
    yield from not_reserved(item.get("path", ""), at.child("path"))
    if "fieldRef" in item:
        yield from field_reference(item["fieldRef"], _FIELDS, at.child("fieldRef"))
        if "resourceFieldRef" in item:
            yield at.invalid("resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif "resourceFieldRef" in item:
        yield from resource_reference(item["resourceFieldRef"], at.child("resourceFieldRef"), in_volume=True)
    else:
        yield at.required("one of fieldRef and resourceFieldRef is required")
    yield from _file_mode(item, "mode", at)


def _projected(volume: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateProjectedVolumeSource`."""
    yield from _file_mode(volume, "defaultMode", at)
    taken: set[str] = set()
    for position, source in enumerate(volume.get("sources", ())):
        element = at.child("sources").item(position)
        for kind in ("secret", "configMap"):
            if kind in source:
                yield from _projected_keys(source[kind], taken, element.child(kind), at)
        if "downwardAPI" in source:
            for number, item in enumerate(source["downwardAPI"].get("items", ())):
                yield from _downward_file(item, element.child("downwardAPI").seen_at("items", number))
                yield from _taken(item.get("path", ""), item.get("path", ""), taken, at)
        if "serviceAccountToken" in source:
            yield from _token(source["serviceAccountToken"], element.child("serviceAccountToken"), at)
        if len([kind for kind in source if kind not in _GATED]) > 1:
            yield element.forbidden("may not specify more than 1 volume type per source")


def _projected_keys(source: dict[str, Any], taken: set[str], at: Place, volume: Place) -> Iterator[Fault]:
    if not source.get("name"):
        yield at.child("name").required()
    yield from _key_paths(source, at)
    for item in source.get("items", ()):
        yield from _taken(item.get("path", ""), source.get("name", ""), taken, volume)


def _taken(path: str, shown: str, taken: set[str], at: Place) -> Iterator[Fault]:
    if path and path in taken:
        yield at.invalid(shown, "conflicting duplicate paths")
    taken.add(path)


def _token(token: dict[str, Any], at: Place, volume: Place) -> Iterator[Fault]:
    seconds = token.get("expirationSeconds", 3600)
    if seconds < 600:
        yield at.child("expirationSeconds").invalid(seconds, "may not specify a duration less than 10 minutes")
    if seconds > 1 << 32:
        yield at.child("expirationSeconds").invalid(seconds, "may not specify a duration larger than 2^32 seconds")
    path = Place(f"{volume.field}.path", (*at.path, "path"))
    if not token.get("path"):
        yield path.required()
    else:
        yield from not_reserved(token["path"], path)


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
    "projected": _projected,
    "scaleIO": legacy.SOURCES["scaleIO"],
    "csi": _csi,
    "ephemeral": _ephemeral,
    "image": _image,
}
