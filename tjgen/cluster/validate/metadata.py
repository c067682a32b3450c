"""The metadata of a new object -> what the API server has against it.

Mirrors k8s.io/apimachinery 0.36 `api/validation/objectmeta.go:ValidateObjectMetaAccessor` and, for the built-in kinds,
kubernetes `pkg/apis/core/validation:ValidateObjectMeta`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.k8s import syntax
from tjgen.trees.k8s.syntax import Check
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

_ANNOTATIONS = 256 * 1024
_MANAGER = 128
_SUBRESOURCE = 256
_NAME_LABEL = "kubernetes.io/metadata.name"
_STANDARD_FINALIZERS = ("foregroundDeletion", "kubernetes", "orphan")
_RBAC = "rbac.authorization.k8s.io"

NAMES: dict[tuple[str, str], Check] = {
    ("", "Namespace"): syntax.dns1123_label,
    ("", "Service"): syntax.dns1123_label,
    ("apps", "StatefulSet"): syntax.dns1123_label,
    ("policy", "PodDisruptionBudget"): syntax.path_segment,  # upstream checks its metadata only as it does everyone's
    (_RBAC, "ClusterRole"): syntax.path_segment,
    (_RBAC, "ClusterRoleBinding"): syntax.path_segment,
    (_RBAC, "Role"): syntax.path_segment,
    (_RBAC, "RoleBinding"): syntax.path_segment,
}
"""How the kinds are named whose names are something else than DNS subdomains."""

COUNTED = {
    *(("apps", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")),
    *(("", kind) for kind in ("Pod", "PodTemplate", "ReplicationController")),
    *(("batch", kind) for kind in ("CronJob", "Job")),
    *(("networking.k8s.io", kind) for kind in ("Ingress", "NetworkPolicy")),
    ("policy", "PodDisruptionBudget"),
    ("resource.k8s.io", "DeviceClass"),
    ("scheduling.k8s.io", "PriorityClass"),
}
"""The built-in kinds whose generation the server counts itself and ignores in manifests."""


LATE = (("policy", "PodDisruptionBudget"),)
"""The built-in kinds whose metadata is looked at only as everyone's is, once the rest of them is found right."""


_ANY_FINALIZER = (*LATE, ("coordination.k8s.io", "Lease"), ("node.k8s.io", "RuntimeClass"))
"""The built-in kinds whose finalizers are looked at only as everyone's are."""

_ANY_PREFIX = (*LATE, ("resource.k8s.io", "DeviceClass"))
"""The kinds whose generateName has only the common checks; what matters is the generated name."""


def faults(metadata: dict[str, Any], *, group: str, kind: str, namespaced: bool, built_in: bool) -> Iterator[Fault]:
    """Everything that is wrong with `metadata`, whose types are known to be right."""
    at = Place("metadata", ("metadata",))
    if generated(metadata) or (group, kind) != ("", "LimitRange"):  # to which the server gives a name of its own
        check = NAMES.get((group, kind), syntax.dns1123_subdomain)
        prefix_check = syntax.path_segment_prefix if (group, kind) in _ANY_PREFIX else _prefix_check(check)
        yield from _name(metadata, check, prefix_check, at)
    namespace = metadata.get("namespace")
    if namespaced and namespace:
        for message in syntax.dns1123_label(namespace):
            yield at.child("namespace").invalid(namespace, message)
    yield from labels(metadata.get("labels") or {}, at.child("labels"))
    if (group, kind) == ("", "Namespace") and metadata.get("name"):
        # The server labels a namespace with its name, and what is wrong with the one is wrong with the other.
        for fault in labels({_NAME_LABEL: metadata["name"]}, at.child("labels")):
            yield fault._replace(path=("metadata", "name"), echo=True)
    yield from annotation_keys(metadata.get("annotations") or {}, at.child("annotations"))
    if built_in and (metadata.get("generation") or 0) < 0 and (group, kind) not in COUNTED:
        yield at.child("generation").invalid(metadata["generation"], "must be greater than or equal to 0")
    yield from _owners(metadata.get("ownerReferences") or [], at.child("ownerReferences"))
    has_standard = built_in and (group, kind) not in _ANY_FINALIZER
    yield from _finalizers(metadata.get("finalizers") or [], at.child("finalizers"), has_standard=has_standard)
    yield from _managed_fields(metadata.get("managedFields") or [], at.child("managedFields"))


def common(metadata: dict[str, Any], *, namespaced: bool, has_standard: bool = False) -> Iterator[Fault]:
    """The checks of every object at an update (`registry/rest:validateCommonFields`), in addition to those of its kind.

    With `has_standard` a finalizer without a domain must be one of Kubernetes' own (core `ValidateObjectMetaUpdate`).
    """
    at = Place("metadata", ("metadata",))
    yield from _name(metadata, syntax.path_segment, syntax.path_segment_prefix, at)
    if namespaced:
        for message in syntax.dns1123_label(metadata["namespace"]):
            yield at.child("namespace").invalid(metadata["namespace"], message)
    yield from labels(metadata.get("labels") or {}, at.child("labels"))
    yield from annotation_keys(metadata.get("annotations") or {}, at.child("annotations"))
    yield from _owners(metadata.get("ownerReferences") or [], at.child("ownerReferences"))
    yield from _finalizers(metadata.get("finalizers") or [], at.child("finalizers"), has_standard=has_standard)
    yield from _managed_fields(metadata.get("managedFields") or [], at.child("managedFields"))


def _name(metadata: dict[str, Any], check: Check, prefix_check: Check, at: Place) -> Iterator[Fault]:
    prefix = metadata.get("generateName")
    if prefix:
        for message in prefix_check(prefix):
            yield at.child("generateName").invalid(prefix, message)
    name = generated(metadata)
    if not name:
        yield at.child("name").required("name or generateName is required")
        return
    for message in check(name):
        yield at.child("name").invalid(name, message)


def _prefix_check(check: Check) -> Check:
    if check is syntax.path_segment:
        return check
    # What follows a last dash may make a good name of it (`maskTrailingDash`, which also eats the character before).
    return lambda prefix: check(prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix)


def labels(given: dict[str, str], at: Place) -> Iterator[Fault]:
    """Keys and values of labels; the server points to the whole map (`ValidateLabels`)."""
    for key, value in given.items():
        for message in syntax.label_key(key):
            yield at.seen_at(key).invalid(key, message)
        for message in syntax.label_value(value or ""):
            yield at.seen_at(key).invalid(value, message)


def annotation_keys(given: dict[str, str], at: Place) -> Iterator[Fault]:
    """Keys of annotations, in any case, and their size in all (`ValidateAnnotations`)."""
    for key in given:
        for message in syntax.label_key(key.lower()):
            yield at.seen_at(key).invalid(key, message)
    if sum(len(key.encode()) + len((value or "").encode()) for key, value in given.items()) > _ANNOTATIONS:
        yield at.too_long(_ANNOTATIONS)


def _owners(owners: list[Any], at: Place) -> Iterator[Fault]:
    controller = ""
    for position, owner in enumerate(_given(owners)):
        group, _, version = (owner.get("apiVersion") or "").rpartition("/")
        version = "" if "/" in group else version
        for key in ("apiVersion", "kind", "name", "uid"):
            if not (version if key == "apiVersion" else owner.get(key)):
                message = "version must not be empty" if key == "apiVersion" else "must not be empty"
                fault = at.child(key).invalid(owner.get(key) or "", message)
                yield fault._replace(path=(*at.path, position, key))
        element = at.seen_at(position)
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            yield element.invalid(_as_struct(owner), "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            this = f"{owner.get('kind')}/{owner.get('name')}"
            if controller:
                message = f'Found "true" in references for {controller} and {this}'
                yield element.invalid(
                    [_as_struct(one or {}) for one in owners], f"Only one reference can have Controller set to true. {message}"
                )
            controller = controller or this


def _as_struct(owner: dict[str, Any]) -> GoStruct:
    """An owner as the server shows it."""
    always = {name: owner.get(name) or "" for name in ("apiVersion", "kind", "name", "uid")}
    return GoStruct(always | {name: owner[name] for name in ("controller", "blockOwnerDeletion") if owner.get(name) is not None})


def _finalizers(finalizers: list[Any], at: Place, *, has_standard: bool) -> Iterator[Fault]:
    for position, finalizer in enumerate(finalizers):
        yield from _qualified(finalizer or "", at.seen_at(position))
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        yield at.invalid(finalizers, "finalizer orphan and foregroundDeletion cannot be both set")
    if has_standard:
        for position, finalizer in enumerate(finalizers):
            yield from _standard(finalizer or "", at.item(position))


def finalizer_faults(finalizer: str, at: Place) -> Iterator[Fault]:
    """`validateFinalizerName`."""
    yield from _qualified(finalizer, at)
    yield from _standard(finalizer, at)


def _qualified(finalizer: str, at: Place) -> Iterator[Fault]:
    for message in syntax.label_key(finalizer):
        yield at.invalid(finalizer, message)


def _standard(finalizer: str, at: Place) -> Iterator[Fault]:
    if "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS:
        yield at.invalid(finalizer, "name is neither a standard finalizer name nor is it fully qualified")


def _managed_fields(entries: list[Any], at: Place) -> Iterator[Fault]:
    for position, entry in enumerate(_given(entries)):
        element = at.item(position)
        if entry.get("operation") not in ("Apply", "Update"):
            yield element.child("operation").invalid(entry.get("operation") or "", "must be `Apply` or `Update`")
        if entry.get("fieldsType") and entry["fieldsType"] != "FieldsV1":
            yield element.child("fieldsType").invalid(entry["fieldsType"], "must be `FieldsV1`")
        yield from _manager(entry.get("manager") or "", element.child("manager"))
        if len((entry.get("subresource") or "").encode()) > _SUBRESOURCE:
            yield element.child("subresource").too_long(_SUBRESOURCE)


def _manager(name: str, at: Place) -> Iterator[Fault]:
    """`ValidateFieldManager`; positions count bytes."""
    if len(name.encode()) > _MANAGER:
        yield at.too_long(_MANAGER)
    for position, character in enumerate(name):
        if not character.isprintable():
            offset = len(name[:position].encode())
            yield at.invalid(name, f"invalid character U+{ord(character):04X} (at position {offset})")


def _given(items: list[Any]) -> Iterator[dict[str, Any]]:
    """The elements of a decoded list: a null is an empty struct."""
    for item in items:
        yield item or {}
