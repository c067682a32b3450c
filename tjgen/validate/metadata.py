"""The metadata of a new object -> what the API server has against it.

Mirrors k8s.io/apimachinery 0.36 `api/validation/objectmeta.go:ValidateObjectMetaAccessor` and, for the built-in kinds,
the finalizer names of kubernetes `pkg/apis/core/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.k8s import syntax
from tjgen.k8s.syntax import Check
from tjgen.typing import Any
from tjgen.validate.fault import Fault
from tjgen.validate.wording import invalid, required, too_long

_ANNOTATIONS = 256 * 1024
_MANAGER = 128
_NAME_LABEL = "kubernetes.io/metadata.name"
_PREFIX = 58
_SUBRESOURCE = 256
_STANDARD_FINALIZERS = ("foregroundDeletion", "kubernetes", "orphan")

NAMES: dict[tuple[str, str], Check] = {
    ("", "Namespace"): syntax.dns1123_label,
    ("", "Service"): syntax.dns1123_label,
    ("policy", "PodDisruptionBudget"): syntax.path_segment,  # upstream checks its metadata only as it does everyone's
    ("rbac.authorization.k8s.io", "ClusterRole"): syntax.path_segment,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): syntax.path_segment,
    ("rbac.authorization.k8s.io", "Role"): syntax.path_segment,
    ("rbac.authorization.k8s.io", "RoleBinding"): syntax.path_segment,
}
"""How the kinds are named whose names are something else than DNS subdomains."""


def faults(metadata: dict[str, Any], *, group: str, kind: str, namespaced: bool, built_in: bool) -> Iterator[Fault]:
    """Everything that is wrong with `metadata`, whose types are known to be right."""
    yield from _name(metadata, NAMES.get((group, kind), syntax.dns1123_subdomain))
    namespace = metadata.get("namespace")
    if namespaced and namespace:
        for message in syntax.dns1123_label(namespace):
            yield invalid(("metadata", "namespace"), namespace, message)
    yield from _labels(metadata.get("labels") or {})
    if (group, kind) == ("", "Namespace") and metadata.get("name"):
        # The server labels a namespace with its name, and what is wrong with the one is wrong with the other.
        yield from [fault._replace(path=("metadata", "name"), echo=True) for fault in _labels({_NAME_LABEL: metadata["name"]})]
    yield from _annotations(metadata.get("annotations") or {})
    yield from _owners(metadata.get("ownerReferences") or [])
    yield from _finalizers(metadata.get("finalizers") or [], built_in=built_in)
    yield from _managed_fields(metadata.get("managedFields") or [])


def _name(metadata: dict[str, Any], check: Check) -> Iterator[Fault]:
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if prefix:
        for message in _prefix_check(check)(prefix):
            yield invalid(("metadata", "generateName"), prefix, message)
    if not name and prefix:
        # The server makes the name up before it looks at it, of the prefix's beginning and five random characters.
        name = f"{prefix[:_PREFIX]}xxxxx"
    if not name:
        yield required(("metadata", "name"), "name or generateName is required")
        return
    for message in check(name):
        yield invalid(("metadata", "name"), name, message)


def _prefix_check(check: Check) -> Check:
    if check is syntax.path_segment:
        return syntax.path_segment_prefix
    # What follows a last dash may make a good name of it (`maskTrailingDash`, which also eats the character before).
    return lambda prefix: check(prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix)


def _labels(labels: dict[str, str]) -> Iterator[Fault]:
    for key, value in labels.items():
        for message in syntax.label_key(key):
            yield invalid(("metadata", "labels"), key, message)._replace(path=("metadata", "labels", key))
        for message in syntax.label_value(value or ""):
            yield invalid(("metadata", "labels"), value, message)._replace(path=("metadata", "labels", key))


def _annotations(annotations: dict[str, str]) -> Iterator[Fault]:
    for key in annotations:
        for message in syntax.label_key(key.lower()):
            yield invalid(("metadata", "annotations"), key, message)._replace(path=("metadata", "annotations", key))
    if sum(len(key.encode()) + len((value or "").encode()) for key, value in annotations.items()) > _ANNOTATIONS:
        yield too_long(("metadata", "annotations"), _ANNOTATIONS)


def _owners(owners: list[Any]) -> Iterator[Fault]:
    controller = ""
    for position, owner in enumerate(_given(owners)):
        place = ("metadata", "ownerReferences", position)
        version = (owner.get("apiVersion") or "").rpartition("/")[2]
        for key, value in (
            ("apiVersion", version),
            ("kind", owner.get("kind")),
            ("name", owner.get("name")),
            ("uid", owner.get("uid")),
        ):
            if not value:
                message = "version must not be empty" if key == "apiVersion" else "must not be empty"
                fault = invalid(("metadata", "ownerReferences", key), owner.get(key) or "", message)
                yield fault._replace(path=(*place, key))
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield invalid(("metadata", "ownerReferences"), owner, "/v1, Kind=Event is disallowed from being an owner")._replace(
                path=place
            )
        if owner.get("controller"):
            this = f"{owner.get('kind')}/{owner.get('name')}"
            if controller:
                message = (
                    f'Only one reference can have Controller set to true. Found "true" in references for {controller} and {this}'
                )
                yield invalid(("metadata", "ownerReferences"), owners, message)._replace(path=place)
            controller = controller or this


def _finalizers(finalizers: list[Any], *, built_in: bool) -> Iterator[Fault]:
    for finalizer in finalizers:
        for message in syntax.label_key(finalizer or ""):
            yield invalid(("metadata", "finalizers"), finalizer, message)
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        message = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(("metadata", "finalizers"), finalizers, message)
    if built_in:
        for position, finalizer in enumerate(finalizers):
            place = ("metadata", "finalizers", position)
            if "/" not in (finalizer or "") and finalizer not in _STANDARD_FINALIZERS:
                yield invalid(place, finalizer, "name is neither a standard finalizer name nor is it fully qualified")


def _managed_fields(entries: list[Any]) -> Iterator[Fault]:
    for position, entry in enumerate(_given(entries)):
        place = ("metadata", "managedFields", position)
        if entry.get("operation") not in ("Apply", "Update"):
            yield invalid((*place, "operation"), entry.get("operation") or "", "must be `Apply` or `Update`")
        if entry.get("fieldsType") and entry["fieldsType"] != "FieldsV1":
            yield invalid((*place, "fieldsType"), entry["fieldsType"], "must be `FieldsV1`")
        if len((entry.get("manager") or "").encode()) > _MANAGER:
            yield too_long((*place, "manager"), _MANAGER)
        if len((entry.get("subresource") or "").encode()) > _SUBRESOURCE:
            yield too_long((*place, "subresource"), _SUBRESOURCE)


def _given(items: list[Any]) -> Iterator[dict[str, Any]]:
    """The elements of a decoded list: a null is an empty struct."""
    for item in items:
        yield item or {}
