"""The podFailurePolicy and the successPolicy of a Job -> their faults.

Mirrors kubernetes 1.36 `pkg/apis/batch/validation` (validatePodFailurePolicy, validateSuccessPolicy).
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.gotext import atoi
from tjgen.cluster.validate.builtin.selectors import label_name
from tjgen.cluster.validate.fault import INTERNAL_ERROR, Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct, quote
from tjgen.trees.typing import Any

NEEDS_INDEXES = "requires indexed completion mode"
NOT_NEGATIVE = "must be greater than or equal to 0"
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_MOST_RULES = 20
_MOST_EXIT_CODES = 255
_LONGEST_INDEXES = 64 * 1024


def failure_policy(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """Faults of `spec.podFailurePolicy` (`validatePodFailurePolicy`)."""
    rules, pod = spec["podFailurePolicy"].get("rules", ()), spec.get("template", {}).get("spec", {})
    if len(rules) > _MOST_RULES:
        yield at.child("rules").too_many(len(rules), _MOST_RULES)
    names = {container.get("name", "") for kind in ("containers", "initContainers") for container in pod.get(kind, ())}
    for position, rule in enumerate(rules):
        element, action = at.child("rules").item(position), rule.get("action", "")
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions", ())
        if not action:
            yield element.child("action").required(_valid(_ACTIONS))
        elif action == "FailIndex":
            if "backoffLimitPerIndex" not in spec:
                yield element.child("action").invalid(action, "requires the backoffLimitPerIndex to be set")
        elif action not in _ACTIONS:
            yield element.child("action").not_supported(action, _ACTIONS)
        if codes is not None:
            yield from _exit_codes(codes, names, element.child("onExitCodes"))
        yield from _conditions(conditions, element.child("onPodConditions"))
        if codes is not None and conditions:
            yield element.wrong("specifying both OnExitCodes and OnPodConditions is not supported")
        elif codes is None and not conditions:
            yield element.wrong("specifying one of OnExitCodes and OnPodConditions is required")


def _conditions(conditions: Any, at: Place) -> Iterator[Fault]:
    if len(conditions) > _MOST_RULES:
        yield at.too_many(len(conditions), _MOST_RULES)
    for position, pattern in enumerate(conditions):
        element, status = at.item(position), pattern.get("status") or "True"
        yield from label_name(pattern.get("type", ""), element.child("type"))
        if status not in _STATUSES:
            yield element.child("status").not_supported(status, _STATUSES)


def _exit_codes(codes: dict[str, Any], names: set[str], at: Place) -> Iterator[Fault]:
    operator, values, field = codes.get("operator", ""), codes.get("values"), at.child("values")
    if not operator:
        yield at.child("operator").required(_valid(_OPERATORS))
    elif operator not in _OPERATORS:
        yield at.child("operator").not_supported(operator, _OPERATORS)
    if "containerName" in codes and codes["containerName"] not in names:
        message = "must be one of the container or initContainer names in the pod template"
        yield at.child("containerName").invalid(codes["containerName"], message)
    if not values:
        yield field.invalid(values, "at least one value is required")
        return
    if len(values) > _MOST_EXIT_CODES:
        yield field.too_many(len(values), _MOST_EXIT_CODES)
    for position, value in enumerate(values):
        if operator == "In" and value == 0:
            yield field.item(position).invalid(0, "must not be 0 for the In operator")
        if value in values[:position]:
            yield field.item(position).duplicate(value)
    if values != sorted(values):
        yield field.invalid(values, "must be ordered")


def success_policy(spec: dict[str, Any], mode: str, at: Place) -> Iterator[Fault]:
    """Faults of `spec.successPolicy` of a Job with this completion mode (`validateSuccessPolicy`)."""
    rules, completions = spec["successPolicy"].get("rules"), spec.get("completions")
    if mode != "Indexed":
        shown = [GoStruct({_go(name): rule.get(name) for name in ("succeededIndexes", "succeededCount")}) for rule in rules or ()]
        yield at.invalid(GoStruct(Rules=None if rules is None else shown), NEEDS_INDEXES)
        return
    if not rules:
        yield at.child("rules").required("at least one rules must be specified when the successPolicy is specified")
        return
    if len(rules) > _MOST_RULES:
        yield at.child("rules").too_many(len(rules), _MOST_RULES)
    for position, rule in enumerate(rules):
        element, indexes, count = at.child("rules").item(position), rule.get("succeededIndexes"), rule.get("succeededCount")
        if indexes is None and count is None:
            yield element.required("at least one of succeededCount or succeededIndexes must be specified")
        elif completions is None:
            # Upstream reads the completions without a look whether there are any.
            nil = "runtime error: invalid memory address or nil pointer dereference"
            message = "a Job with a successPolicy needs completions: the server fails at this one"
            yield Fault(INTERNAL_ERROR, "", nil, element.path, message)
        else:
            yield from _success_rule(indexes, count, completions, element)


def _success_rule(indexes: str | None, count: int | None, completions: int, at: Place) -> Iterator[Fault]:
    total = 0
    if indexes is not None:
        field = at.child("succeededIndexes")
        if len(indexes.encode()) > _LONGEST_INDEXES:
            yield field.too_long(_LONGEST_INDEXES)
        try:
            total = _count_indexes(indexes, completions)
        except ValueError as problem:
            yield field.invalid(indexes, f"error parsing succeededIndexes: {problem}")
    if count is not None:
        field = at.child("succeededCount")
        if count < 0:
            yield field.invalid(count, NOT_NEGATIVE)
        if count > completions:
            message = f"must be less than or equal to {completions} (the number of specified completions)"
            yield field.invalid(count, message)
        if indexes is not None and count > total:
            message = "the number of indexes in the specified succeededIndexes field"
            yield field.invalid(count, f"must be less than or equal to {total} ({message})")


def _count_indexes(text: str, completions: int) -> int:
    """How many indexes `1,3-5` names (`validateIndexesFormat`)."""
    total, last = 0, None
    for part in text.split(",") if text else ():
        bounds = part.split("-")
        if len(bounds) > 2:
            message = "violates the requirement that an index interval can have at most two parts separated by '-'"
            raise ValueError(f"the fragment {quote(part)} {message}")
        first = _index(bounds[0], completions)
        end = _index(bounds[1], completions) if len(bounds) > 1 else first
        if len(bounds) > 1 and first >= end:
            raise ValueError(f"non-increasing order, previous: {first}, current: {end}")
        if last is not None and last >= first:
            raise ValueError(f"non-increasing order, previous: {last}, current: {first}")
        total, last = total + end - first + 1, end
    return total


def _index(text: str, completions: int) -> int:
    try:
        index = atoi(text)
    except ValueError:
        raise ValueError(f"cannot convert string to integer for index: {quote(text)}") from None
    if index >= completions:
        raise ValueError(f"too large index: {quote(text)}")
    return index


def _valid(values: tuple[str, ...]) -> str:
    return f"valid values: [{' '.join(map(quote, values))}]"


def _go(name: str) -> str:
    return name[0].upper() + name[1:]
