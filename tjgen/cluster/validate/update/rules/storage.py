"""What may not change of claims, volumes, StorageClasses and PriorityClasses.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePersistentVolumeClaimUpdate, ValidatePersistentVolumeUpdate),
`pkg/apis/storage/validation`, `pkg/apis/scheduling/validation` and `pkg/apis/resource/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.update.metadata import IMMUTABLE
from tjgen.cluster.validate.update.shape import comparable, fields, same
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any

_CLASS = "volume.beta.kubernetes.io/storage-class"
_CLAIM = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
_SOURCE = "spec.persistentvolumesource is immutable after creation"
_OF_CLASS = ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
_STABLE = {
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}
"""Beta label of nodes -> the label that replaced it."""
_NOT_A_SOURCE = (
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
)


def claim(new: dict[str, Any], old: dict[str, Any], *, is_bound: bool = False) -> Iterator[Fault]:
    """`ValidatePersistentVolumeClaimUpdate`; an object that was only created is not a bound claim."""
    spec, before, spec_at = new.get("spec", {}), old.get("spec", {}), Place("spec", ("spec",))
    wanted, fixed = dict(spec), dict(before)
    if not before.get("volumeName"):
        fixed["volumeName"] = spec.get("volumeName")
    annotated, class_of_old = (tree["metadata"].get("annotations", {}).get(_CLASS) for tree in (old, new))
    given, known = spec.get("storageClassName"), before.get("storageClassName")
    if annotated is not None and known is None and given == annotated and class_of_old in (None, annotated):
        wanted.pop("storageClassName")
    else:
        if (class_of_old or "") != (annotated or ""):
            yield at(("metadata", "annotations", _CLASS)).invalid(class_of_old or "", IMMUTABLE)
        if given is not None and known is None and annotated in (None, given):
            wanted.pop("storageClassName")
    if is_bound:
        wanted, fixed = (_unbound(tree) for tree in (wanted, fixed))
    if not same(wanted, fixed, "PersistentVolumeClaimSpec"):
        yield spec_at.forbidden(_CLAIM)
    size, stored = _size(spec), _size(before)
    # The capacity of a bound claim is assumed to be its request; an unbound claim has none.
    if size < stored and (is_bound or size <= 0):
        yield spec_at.child("resources", "requests", "storage").forbidden("field can not be less than status.capacity")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield Place("volumeMode", ("spec", "volumeMode")).invalid(spec.get("volumeMode"), IMMUTABLE)


def bound_claim(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """The same of a claim that has its volume, and may grow."""
    yield from claim(new, old, is_bound=True)


def _unbound(spec: dict[str, Any]) -> dict[str, Any]:
    """What of a bound claim may not change."""
    resources = {key: value for key, value in (spec.get("resources") or {}).items() if key != "requests"}
    return {key: value for key, value in spec.items() if key != "volumeAttributesClassName"} | {"resources": resources}


def _size(spec: dict[str, Any]) -> int:
    requests = (spec.get("resources") or {}).get("requests") or {}
    return quantity.parse(requests.get("storage", "0")).nanos


def volume(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePersistentVolumeUpdate`."""
    spec, before, spec_at = new.get("spec", {}), old.get("spec", {}), Place("spec", ("spec",))
    wanted, fixed = _source(spec), _source(before)
    added = (wanted.get("csi") or {}).get("controllerExpandSecretRef")
    if fixed.get("csi") is not None and fixed["csi"].get("controllerExpandSecretRef") is None and added is not None:
        wanted = {**wanted, "csi": {key: value for key, value in wanted["csi"].items() if key != "controllerExpandSecretRef"}}
    if not same(wanted, fixed, "PersistentVolumeSpec"):
        yield Place("spec.persistentvolumesource", _changed(wanted, fixed)).forbidden(_SOURCE)
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield Place("volumeMode", ("spec", "volumeMode")).invalid(spec.get("volumeMode"), IMMUTABLE)
    if before.get("nodeAffinity") is not None:
        affinity = spec.get("nodeAffinity")
        if not same(affinity, _with_stable_labels(before["nodeAffinity"], affinity), "VolumeNodeAffinity"):
            words = f"{IMMUTABLE}, except for updating from beta label to GA"
            yield Place("nodeAffinity", ("spec", "nodeAffinity")).invalid(affinity, words)
    if before.get("volumeAttributesClassName") is not None and spec.get("volumeAttributesClassName") is None:
        yield spec_at.child("volumeAttributesClassName").forbidden("update from non-nil value to nil is forbidden")


def _with_stable_labels(old: dict[str, Any], new: Tree) -> dict[str, Any]:
    """`validatePvNodeAffinity`: the old affinity, with the stable name of each label for which the new one has it."""
    path = ("required", "nodeSelectorTerms")
    terms, wanted = get(old, path, None) or [], get(new, path, None) or []
    changed = []
    for term, other in zip(terms, [*wanted, *[{}] * len(terms)], strict=False):
        expressions = term.get("matchExpressions") or []
        keys = [expression.get("key") for expression in other.get("matchExpressions") or []] + [None] * len(expressions)
        stable = [
            {**one, "key": key} if key is not None and _STABLE.get(one.get("key", "")) == key else one
            for one, key in zip(expressions, keys, strict=False)
        ]
        changed.append({**term, "matchExpressions": stable} if expressions else term)
    return {**old, "required": {**(old.get("required") or {}), "nodeSelectorTerms": changed}} if terms else old


def _source(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key not in _NOT_A_SOURCE}


def _changed(wanted: dict[str, Any], fixed: dict[str, Any]) -> tuple[str, ...]:
    """Where the sources part, as far as it is one field."""
    left, right = (comparable(tree, "PersistentVolumeSpec") for tree in (wanted, fixed))
    names = [name for name in fields("PersistentVolumeSpec") if left.get(name) != right.get(name)]
    return ("spec", names[0]) if names and names[0] in wanted else ("spec",)


def storage_class(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateStorageClassUpdate`."""
    wanted, fixed = (comparable(tree, "StorageClass") for tree in (new, old))
    for name in _OF_CLASS:
        if wanted.get(name) != fixed.get(name):
            yield at((name,)).invalid(new.get(name), IMMUTABLE)


def priority_class(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePriorityClassUpdate`."""
    if new.get("value", 0) != old.get("value", 0):
        yield at(("value",)).forbidden("may not be changed in an update.")
    if new.get("preemptionPolicy") != old.get("preemptionPolicy"):
        yield at(("preemptionPolicy",)).invalid(new.get("preemptionPolicy"), IMMUTABLE)


def resource_claim(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateResourceClaimUpdate`, `ValidateResourceClaimTemplateUpdate`."""
    name = "ResourceClaimSpec" if new["kind"] == "ResourceClaim" else "ResourceClaimTemplateSpec"
    spec: Tree = new.get("spec") or {}
    if not same(spec, old.get("spec") or {}, name):
        yield at(("spec",)).invalid(spec, IMMUTABLE)
