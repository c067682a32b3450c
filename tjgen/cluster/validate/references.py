"""A manifest -> the other objects that it names: claims, Secrets, queues, classes and so on, each with its place.

Fields of pods are found at any depth of an object. Names in optional references are left out if the caller needs only
what must exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE
from tjgen.trees.typing import NamedTuple

Kind = tuple[str, str]
"""API group and kind."""

CLAIM: Kind = ("", "PersistentVolumeClaim")
CONFIG_MAP: Kind = ("", "ConfigMap")
SECRET: Kind = ("", "Secret")
SERVICE_ACCOUNT: Kind = ("", "ServiceAccount")
PRIORITY_CLASS: Kind = ("scheduling.k8s.io", "PriorityClass")
STORAGE_CLASS: Kind = ("storage.k8s.io", "StorageClass")
DEVICE_CLASS: Kind = ("resource.k8s.io", "DeviceClass")
RESOURCE_CLAIM: Kind = ("resource.k8s.io", "ResourceClaim")
RESOURCE_CLAIM_TEMPLATE: Kind = ("resource.k8s.io", "ResourceClaimTemplate")
LOCAL_QUEUE: Kind = ("kueue.x-k8s.io", "LocalQueue")
CLUSTER_QUEUE: Kind = ("kueue.x-k8s.io", "ClusterQueue")
FLAVOR: Kind = ("kueue.x-k8s.io", "ResourceFlavor")
WORKLOAD_PRIORITY: Kind = ("kueue.x-k8s.io", "WorkloadPriorityClass")
VOLCANO_QUEUE: Kind = ("scheduling.volcano.sh", "Queue")

_OBJECTS: dict[str, tuple[Kind, str]] = {
    "persistentVolumeClaim": (CLAIM, "claimName"),
    "configMap": (CONFIG_MAP, "name"),
    "configMapRef": (CONFIG_MAP, "name"),
    "configMapKeyRef": (CONFIG_MAP, "name"),
    "secret": (SECRET, "secretName"),
    "secretRef": (SECRET, "name"),
    "secretKeyRef": (SECRET, "name"),
}
"""A field of pods that names an object -> its kind, and the field of the name."""
_MORE_OBJECTS: dict[str, tuple[Kind, str]] = {"nodePublishSecretRef": (SECRET, "name"), "azureFile": (SECRET, "secretName")}
_NAMES: dict[str, Kind] = {
    "serviceAccountName": SERVICE_ACCOUNT,
    "priorityClassName": PRIORITY_CLASS,
    "storageClassName": STORAGE_CLASS,
    "resourceClaimName": RESOURCE_CLAIM,
    "resourceClaimTemplateName": RESOURCE_CLAIM_TEMPLATE,
    "deviceClassName": DEVICE_CLASS,
}
"""A field that is a name -> the kind of the object."""
_LABELS: dict[str, Kind] = {
    KUEUE_QUEUE: LOCAL_QUEUE,
    KUEUE_PRIORITY: WORKLOAD_PRIORITY,
}
_ANNOTATIONS: dict[str, Kind] = {"scheduling.volcano.sh/queue-name": VOLCANO_QUEUE}
_SPECS: dict[tuple[Kind, str], Kind] = {
    (("batch.volcano.sh", "Job"), "queue"): VOLCANO_QUEUE,
    (("scheduling.volcano.sh", "PodGroup"), "queue"): VOLCANO_QUEUE,
    (LOCAL_QUEUE, "clusterQueue"): CLUSTER_QUEUE,
}
"""A kind and a field of its spec -> the kind of the object that the field names."""


class ObjectReference(NamedTuple):
    """An object that is named, and where."""

    kind: Kind
    name: str
    path: FieldPath


def references(tree: Tree, path: FieldPath = (), *, is_needed: bool = False) -> Iterator[ObjectReference]:
    """The claims, ConfigMaps and Secrets that pods in `tree` name. With `is_needed` without those that are optional.

    The sources of a projected volume name what they read like variables do.
    """
    if tree.__class__ is dict:
        for key, value in tree.items():
            if value.__class__ is dict:
                if key in _OBJECTS:
                    yield from _object(*_OBJECTS[key], value, (*path, key), is_needed=is_needed)
                yield from references(value, (*path, key), is_needed=is_needed)
            elif value.__class__ is list:
                yield from references(value, (*path, key), is_needed=is_needed)
    elif tree.__class__ is list:
        for position, item in enumerate(tree):
            if item.__class__ is dict or item.__class__ is list:
                yield from references(item, (*path, position), is_needed=is_needed)


def needed(tree: Tree) -> Iterator[ObjectReference]:
    """Every object that a manifest names and that must exist for it to work."""
    spec = get(tree, ("spec",), None)
    yield from references(spec, ("spec",), is_needed=True)
    yield from _by_name(spec, ("spec",))
    for field, kinds in (("labels", _LABELS), ("annotations", _ANNOTATIONS)):
        yield from _of_metadata(tree, (), field, kinds)
        for path in (("spec", "template"), ("spec", "jobTemplate")):
            yield from _of_metadata(tree, path, field, kinds)
    own = (str(tree.get("apiVersion", "")).rpartition("/")[0], str(tree.get("kind", "")))
    for (kind, name), named in _SPECS.items():
        value = get(tree, ("spec", name), None)
        if kind == own and value.__class__ is str and value:
            yield ObjectReference(named, value, ("spec", name))
    for group, one in enumerate(_list(get(tree, ("spec", "resourceGroups"), None)) if own == CLUSTER_QUEUE else ()):
        for position, flavor in enumerate(_list(get(one, ("flavors",), None))):
            name = get(flavor, ("name",), None)
            if name.__class__ is str:
                yield ObjectReference(FLAVOR, name, ("spec", "resourceGroups", group, "flavors", position, "name"))


def _object(kind: Kind, field: str, value: dict[str, Tree], path: FieldPath, *, is_needed: bool) -> Iterator[ObjectReference]:
    name = value.get(field) or value.get("name")
    if name.__class__ is str and not (is_needed and value.get("optional") is True):
        yield ObjectReference(kind, str(name), path)


def _by_name(tree: Tree, path: FieldPath) -> Iterator[ObjectReference]:
    if tree.__class__ is dict:
        for key, value in tree.items():
            if key in _NAMES and value.__class__ is str and value:
                yield ObjectReference(_NAMES[key], value, (*path, key))
            elif key in _MORE_OBJECTS and value.__class__ is dict:
                yield from _object(*_MORE_OBJECTS[key], value, (*path, key), is_needed=True)
            elif key == "imagePullSecrets":
                for position, item in enumerate(_list(value)):
                    name = get(item, ("name",), None)
                    if name.__class__ is str and name:
                        yield ObjectReference(SECRET, name, (*path, key, position, "name"))
            else:
                yield from _by_name(value, (*path, key))
    elif tree.__class__ is list:
        for position, item in enumerate(tree):
            yield from _by_name(item, (*path, position))


def _of_metadata(tree: Tree, path: FieldPath, field: str, kinds: dict[str, Kind]) -> Iterator[ObjectReference]:
    given = get(tree, (*path, "metadata", field), None)
    for key, value in given.items() if given.__class__ is dict else ():
        if key in kinds and value.__class__ is str and value:
            yield ObjectReference(kinds[key], value, (*path, "metadata", field, key))


def _list(value: Tree) -> list[Tree]:
    return value if value.__class__ is list else []
