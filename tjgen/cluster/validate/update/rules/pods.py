"""What may not change of a Pod, and what may only change in one direction.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidatePodUpdate and what it calls).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.scheduling import tolerations
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.update.shape import comparable, same
from tjgen.trees.typing import Any

_MIRROR = "kubernetes.io/config.mirror"
_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_UPDATABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_LARGEST = 2**31 - 1
_AFFINITY = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def pod(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePodUpdate`."""
    spec, before, at = new.get("spec", {}), old.get("spec", {}), Place("spec", ("spec",))
    yield from _annotations(*[tree["metadata"].get("annotations", {}) for tree in (new, old)])
    for name in ("containers", "initContainers"):
        given, known = spec.get(name) or [], before.get(name) or []
        if len(given) != len(known):
            yield at.child(name).forbidden("pod updates may not add or remove containers")
            return
        for position, container in enumerate(given):
            yield from _image(container.get("image", ""), at.child(name).item(position).child("image"))
    seconds, stored = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if seconds is None and stored is not None:
        yield at.child("activeDeadlineSeconds").invalid(None, "must not update from a positive integer to nil value")
    elif seconds is not None:
        refused = [*_deadline(seconds, stored, at.child("activeDeadlineSeconds"))]
        if refused:
            yield from refused
            return
    yield from _tolerations(spec.get("tolerations") or [], before.get("tolerations") or [], at.child("tolerations"))
    yield from _gates(spec.get("schedulingGates") or [], before.get("schedulingGates") or [], at.child("schedulingGates"))
    if not same(spec, before, "PodSpec"):
        yield from _rest(spec, before, at)


def _annotations(new: dict[str, str], old: dict[str, str]) -> Iterator[Fault]:
    """`ValidatePodSpecificAnnotationUpdates`."""
    at = Place().child("metadata", "annotations")
    for key in [key for key in old if new.get(key) != old[key]]:
        if key.startswith(_APP_ARMOR):
            yield at.key(key).forbidden("may not remove or update AppArmor annotations")
        if key == _MIRROR:
            yield at.key(key).forbidden("may not remove or update mirror pod annotation")
    for key in [key for key in new if key not in old]:
        if key.startswith(_APP_ARMOR):
            yield at.key(key).forbidden("may not add AppArmor annotations")
        if key == _MIRROR:
            yield at.key(key).forbidden("may not add mirror pod annotation")


def _image(image: str, at: Place) -> Iterator[Fault]:
    if not image:
        yield at.required()
    if image.strip() != image:
        yield at.invalid(image, "must not have leading or trailing whitespace")


def _deadline(seconds: int, stored: int | None, at: Place) -> Iterator[Fault]:
    if not 0 <= seconds <= _LARGEST:
        yield at.invalid(seconds, f"must be between 0 and {_LARGEST}, inclusive")
    elif stored is not None and stored < seconds:
        yield at.invalid(seconds, "must be less than or equal to previous value")


def _tolerations(new: list[Any], old: list[Any], at: Place) -> Iterator[Fault]:
    """`validateOnlyAddedTolerations`."""
    known = [_without_seconds(one) for one in new]
    if any(_without_seconds(one) not in known for one in old):
        yield at.forbidden("existing toleration can not be modified except its tolerationSeconds")
    else:
        yield from tolerations(new, at)


def _without_seconds(toleration: dict[str, Any]) -> Any:
    return comparable({key: value for key, value in toleration.items() if key != "tolerationSeconds"}, "Toleration")


def _gates(new: list[Any], old: list[Any], at: Place) -> Iterator[Fault]:
    """`validateOnlyDeletedSchedulingGates`."""
    names = {gate.get("name", "") for gate in old}
    added = {gate.get("name", ""): position for position, gate in enumerate(new)}
    for name, position in added.items():
        if name not in names:
            yield at.item(position).child("name").forbidden(f"only deletion is allowed, but found new scheduling gate '{name}'")


def _rest(spec: dict[str, Any], before: dict[str, Any], at: Place) -> Iterator[Fault]:
    """Everything else, with what may change taken from the old pod."""
    taken = {key: before.get(key) for key in ("activeDeadlineSeconds", "schedulingGates", "tolerations")}
    munged = {**spec, **taken}
    for name in ("containers", "initContainers"):
        pairs = zip(spec.get(name) or [], before.get(name) or [], strict=True)
        munged[name] = [{**container, "image": old.get("image", "")} for container, old in pairs]
    grace = before.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = grace
    if before.get("schedulingGates"):
        yield from _gated(spec, before, at)
        munged = {**munged, "nodeSelector": before.get("nodeSelector"), "affinity": _munged_affinity(spec, before)}
    if not same(munged, before, "PodSpec"):
        yield at.forbidden(f"pod updates may not change fields other than {_UPDATABLE}")


def _gated(spec: dict[str, Any], before: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateNodeSelectorMutation`, `validateNodeAffinityMutation`: the node selection of a gated pod may become narrower."""
    selector, stored = spec.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in stored.items()):
        words = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield at.child("nodeSelector").invalid(selector, words)
    terms, known = _terms(spec), _terms(before)
    field = at.child(*_AFFINITY)
    if known and len(terms) != len(known):
        yield field.invalid(terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
    else:
        for position, (term, old) in enumerate(zip(terms, known, strict=False)):
            if not _only_adds(term, old):
                yield field.item(position).invalid(term, "only additions are allowed (no mutations or deletions)")


def _terms(spec: dict[str, Any]) -> list[Any]:
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    return (required or {}).get("nodeSelectorTerms") or []


def _only_adds(term: dict[str, Any], old: dict[str, Any]) -> bool:
    """`validateNodeSelectorTermHasOnlyAdditions`."""
    new_parts, old_parts = ([tree.get(name) or [] for name in ("matchExpressions", "matchFields")] for tree in (term, old))
    if not any(old_parts) and any(new_parts):
        return False
    pairs = zip(new_parts, old_parts, strict=True)
    return all(
        [comparable(one, "NodeSelectorRequirement") for one in new[: len(known)]]
        == [comparable(one, "NodeSelectorRequirement") for one in known]
        for new, known in pairs
    )


def _munged_affinity(spec: dict[str, Any], before: dict[str, Any]) -> dict[str, Any] | None:
    given, stored = spec.get("affinity"), before.get("affinity")
    old = (stored or {}).get("nodeAffinity")
    if same((given or {}).get("nodeAffinity"), old, "NodeAffinity"):
        return given
    if given is None:
        return None if old is None else {"nodeAffinity": old}
    if stored is None and given.get("podAffinity") is None and given.get("podAntiAffinity") is None:
        return None
    return {**given, "nodeAffinity": old}
