"""ResourceQuotas and LimitRanges -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/core/validation` (ValidateResourceQuota, ValidateLimitRange), after the defaults of
`pkg/apis/core/v1`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from tjgen.cluster.validate.builtin.resources import (
    amount,
    amounts,
    container_resource_name,
    in_thousandths,
    is_quota_resource,
    may_overcommit,
    quota_resource_name,
    resource_name,
)
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.k8s import syntax
from tjgen.trees.k8s.quantity import Quantity
from tjgen.trees.typing import Any

_POD_COUNT = frozenset({"pods"})
_OF_PODS = frozenset({"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"})
_OF_CLAIMS = frozenset({"persistentvolumeclaims", "requests.storage"})
_SCOPES = {
    "Terminating": _OF_PODS,
    "NotTerminating": _OF_PODS,
    "BestEffort": _POD_COUNT,
    "NotBestEffort": _OF_PODS,
    "PriorityClass": _OF_PODS,
    "VolumeAttributesClass": _OF_CLAIMS,
    "CrossNamespacePodAffinity": _OF_PODS,
}
"""Each scope with the resources that it can be about."""
_OPPOSITES = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})
_SCOPES_THAT_EXIST = {"Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"}
_MUST_EXIST = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)
_NEEDS_VALUES = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
_TAKES_NO_VALUES = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
_NEEDS_STORAGE = "either minimum or maximum storage value is required, but neither was provided"
_TYPES = ("Pod", "Container", "PersistentVolumeClaim")
_SIDES = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_MOST_IN_THOUSANDTHS = (2**63 - 1) // 1000
_ONE = 10**9


def resource_quota(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateResourceQuota`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    hard, scopes = amounts(spec, "hard"), spec.get("scopes")
    for name, value in hard.items():
        field = at.child("hard").key(name)
        yield from quota_resource_name(name, field)
        yield from amount(name, value, field)
    field = at.child("scopes")
    for position, scope in enumerate(scopes or ()):
        if scope not in _SCOPES:
            yield field.seen_at(position).invalid(scopes, "unsupported scope")
        elif not _fits(scope, hard):
            yield field.seen_at(position).invalid(scopes, "unsupported scope applied to resource")
    if any(pair.issubset(scopes or ()) for pair in _OPPOSITES):
        yield field.invalid(scopes, "conflicting scopes")
    if "scopeSelector" in spec:
        yield from _scope_selector(spec, hard, at.child("scopeSelector", "matchExpressions"))


def _fits(scope: str, hard: dict[str, Quantity]) -> bool:
    """Whether a scope can be about all resources that are Kubernetes' own."""
    return all(name in _SCOPES[scope] or not is_quota_resource(name) for name in hard)


def _scope_selector(spec: dict[str, Any], hard: dict[str, Quantity], at: Place) -> Iterator[Fault]:
    given = spec["scopeSelector"].get("matchExpressions")
    for position, requirement in enumerate(given or ()):
        scope, operator = requirement.get("scopeName", ""), requirement.get("operator", "")
        if scope not in _SCOPES:
            yield _unnumbered(at, position, "scopeName").invalid(scope, "unsupported scope")
        elif not _fits(scope, hard):
            shown = GoStruct(MatchExpressions=[_shown(requirement) for requirement in given])
            yield at.seen_at(position).invalid(shown, "unsupported scope applied to resource")
        if scope in _SCOPES_THAT_EXIST and operator != "Exists":
            yield _unnumbered(at, position, "operator").invalid(operator, _MUST_EXIST)
        values, field = requirement.get("values"), _unnumbered(at, position, "values")
        if operator in ("In", "NotIn"):
            if not values:
                yield field.required(_NEEDS_VALUES)
        elif operator in ("Exists", "DoesNotExist"):
            if values:
                yield field.invalid(values, _TAKES_NO_VALUES)
        else:
            yield _unnumbered(at, position, "operator").invalid(operator, "not a valid selector operator")
    chosen = {requirement.get("scopeName", "") for requirement in given or ()}
    if any(pair <= chosen for pair in _OPPOSITES):
        yield at.invalid(spec.get("scopes"), "conflicting scopes")


def _unnumbered(at: Place, position: int, name: str) -> Place:
    """A field of an element, whose number upstream leaves out."""
    return Place(f"{at.field}.{name}", (*at.path, position, name))


def _shown(requirement: dict[str, Any]) -> GoStruct:
    scope, operator = requirement.get("scopeName", ""), requirement.get("operator", "")
    return GoStruct(ScopeName=scope, Operator=operator, Values=requirement.get("values"))


def limit_range(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateLimitRange`, metadata left out."""
    types: set[str] = set()
    for position, item in enumerate(tree.get("spec", {}).get("limits", ())):
        field, kind = Place("spec.limits", ("spec", "limits")).item(position), item.get("type", "")
        yield from _type(kind, field.child("type"))
        if kind in types:
            yield field.child("type").duplicate(kind)
        types.add(kind)
        yield from _limits(item, kind, field)


def _type(kind: str, at: Place) -> Iterator[Fault]:
    messages = syntax.label_key(kind)
    for message in messages:
        yield at.invalid(kind, message)
    if not messages and "/" not in kind and kind not in _TYPES:
        yield at.invalid(kind, "must be a standard limit type or fully qualified")


def _limits(item: dict[str, Any], kind: str, at: Place) -> Iterator[Fault]:
    sides = {side: amounts(item, side) for side in _SIDES}
    if kind == "Container":
        # What is left out is taken from what is given.
        sides["default"] = sides["max"] | sides["default"]
        sides["defaultRequest"] = sides["min"] | sides["default"] | sides["defaultRequest"]
    name_check = container_resource_name if kind in ("Pod", "Container") else resource_name
    for side in _SIDES:
        if kind == "Pod" and side.startswith("default"):
            if sides[side]:
                yield at.child(side).forbidden("may not be specified when `type` is 'Pod'")
            sides[side] = {}
        for name in sides[side]:
            yield from name_check(name, at.child(side).key(name))
    if kind == "PersistentVolumeClaim" and not ("storage" in sides["min"] or "storage" in sides["max"]):
        yield Place(f"{at.field}.limits", at.path).required(_NEEDS_STORAGE)
    for name in dict.fromkeys(name for side in _SIDES for name in sides[side]):
        yield from _order(name, [sides[side].get(name) for side in _SIDES], at)


def _order(name: str, amounts: list[Quantity | None], at: Place) -> Iterator[Fault]:
    """What one resource's amounts have to do with each other; upstream shows now the one, now the other."""
    most, least, default, request, ratio = amounts
    in_request, in_default = at.child("defaultRequest").key(name), at.child("default").key(name)
    if _above(least, most):
        yield at.child("min").key(name).invalid(str(least), f"min value {least} is greater than max value {most}")
    if _above(least, request):
        yield in_request.invalid(str(request), f"min value {least} is greater than default request value {request}")
    if _above(request, most):
        yield in_request.invalid(str(request), f"default request value {request} is greater than max value {most}")
    if _above(request, default):
        message = f"default request value {request} is greater than default limit value {default}"
        yield in_request.invalid(str(request), message)
    if _above(least, default):
        yield in_default.invalid(str(least), f"min value {least} is greater than default value {default}")
    if _above(default, most):
        yield in_default.invalid(str(most), f"default value {default} is greater than max value {most}")
    if ratio is not None:
        yield from _ratio(ratio, least, most, at.child("maxLimitRequestRatio").key(name))
    if default is not None and request is not None and default.nanos != request.nanos and not may_overcommit(name):
        message = f"default value {default} must equal to defaultRequest value {request} in {name}"
        yield in_request.invalid(str(request), message)


def _above(one: Quantity | None, other: Quantity | None) -> bool:
    return one is not None and other is not None and one.nanos > other.nanos


def _ratio(ratio: Quantity, least: Quantity | None, most: Quantity | None, at: Place) -> Iterator[Fault]:
    if ratio.nanos < _ONE:
        yield at.invalid(str(ratio), f"ratio {ratio} is less than 1")
    if least is None or most is None:
        return
    wanted, low, high = float(ratio.value), least.value, most.value
    if max(ratio.value, low, high) < _MOST_IN_THOUSANDTHS:
        wanted, low, high = in_thousandths(ratio) / 1000, in_thousandths(least), in_thousandths(most)
    widest = high / low if low else math.copysign(math.inf, high) if high else math.nan
    if wanted > widest:
        yield at.invalid(str(ratio), f"ratio {ratio} is greater than max/min = {_go_float(widest)}")


def _go_float(number: float) -> str:
    """`%f`."""
    return f"{number:.6f}" if math.isfinite(number) else "+Inf" if number > 0 else "-Inf"
