"""A Job, by itself or as a template of a CronJob -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/batch/validation` (ValidateJob), after the defaults of `pkg/apis/batch/v1` and the
selector that `pkg/registry/batch/job` generates.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.job import NAME_LABELS, UID_LABEL, UID_LABELS, labeled_template
from tjgen.cluster.validate.builtin.gotext import atoi
from tjgen.cluster.validate.builtin.pods import template_faults
from tjgen.cluster.validate.builtin.selectors import label_name, label_selector, matches, shown_selector
from tjgen.cluster.validate.fault import INTERNAL_ERROR, Fault
from tjgen.cluster.validate.metadata import labels
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct, quote
from tjgen.trees.k8s import syntax
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

UID = "00000000-0000-4000-8000-000000000000"
"""Placeholder for the UID that the server gives the Job."""

_MODES = ("NonIndexed", "Indexed")
_RESTART_POLICIES = ("OnFailure", "Never")
_REPLACEMENT = ("Failed", "TerminatingOrFailed")
_MOST_INDEXES = 100_000
_MOST_WITH_MANY_COMPLETIONS = 10_000
_LONGEST_MANAGER = 63
_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_OWN_WORDS = "the server fills in this label itself, with the Job's name or identity: leave it out"
_IN_PATH = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-._~%!$&'()*+,;=:")
_PATH_WORDS = r"Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')"


def stored_faults(job: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateJob` of an existing Job, whose selector and labels are not filled in again."""
    at, spec, metadata = Place("spec", ("spec",)), job.get("spec", {}), job.get("metadata", {})
    name = metadata.get("name", "")
    if not spec.get("manualSelector") and spec.get("selector") is not None:
        yield from _generated_selector(spec, name, at, uid=metadata.get("uid", UID))
    yield from job_spec(spec, at)
    yield from _selector(spec, at)
    yield from _host_name(spec, name)


def faults(job: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateJob` without metadata except the labels that it takes over from the template."""
    at, name = Place("spec", ("spec",)), generated(job.get("metadata", {}))
    spec = dict(job.get("spec", {}))
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
    given = spec.get("template", {}).get("metadata", {}).get("labels")
    is_generated = not spec.get("manualSelector")
    if is_generated:
        spec = with_selector(spec, name)
    stored = spec.get("template", {}).get("metadata", {}).get("labels")
    if given is not None and not job.get("metadata", {}).get("labels"):
        for fault in labels(stored, Place("metadata.labels", (*at.path, "template", "metadata", "labels"))):
            yield _of_filled_in(fault, given)._replace(echo=True)
    if is_generated:
        yield from _generated_selector(spec, name, at)
    for fault in job_spec(spec, at):
        yield _of_filled_in(fault, given or {})
    yield from _selector(spec, at)
    yield from _host_name(spec, name)


def _host_name(spec: dict[str, Any], name: str) -> Iterator[Fault]:
    """The pods of an Indexed Job are called after it."""
    if spec.get("completionMode") == "Indexed" and spec.get("completions", 0) > 0:
        host = f"{name}-{spec['completions'] - 1}"
        if syntax.dns1123_label(host):
            message = f"will not able to create pod with invalid DNS label: {host}"
            yield Place("metadata.name", ("metadata", "name")).invalid(name, message)


def with_selector(spec: dict[str, Any], name: str) -> dict[str, Any]:
    """The spec with the labels and the selector that the server generates (`generateSelector`)."""
    selector = spec.get("selector", {})
    return {
        **spec,
        "template": labeled_template(spec, name, UID),
        "selector": {**selector, "matchLabels": {UID_LABEL: UID, **selector.get("matchLabels", {})}},
    }


def _of_filled_in(fault: Fault, given: dict[str, str]) -> Fault:
    """What is wrong with a label that was filled in is wrong with the name that it holds."""
    key = fault.path[-1]
    if key not in NAME_LABELS or key in given or fault.path[-4:-1] != ("template", "metadata", "labels"):
        return fault
    return fault._replace(path=("metadata", "name"))


def _generated_selector(spec: dict[str, Any], name: str, at: Place, uid: str = UID) -> Iterator[Fault]:
    """`validateGeneratedSelector`."""
    stored = spec.get("template", {}).get("metadata", {}).get("labels", {})
    expected = dict.fromkeys(NAME_LABELS, name) | dict.fromkeys(UID_LABELS, uid)
    for key, value in expected.items():
        field = at.child("template", "metadata", "labels").key(key)
        if key not in stored:
            yield field.required(f"must be '{value}'")
        elif stored[key] != value:
            yield field.invalid(stored, f"must be '{value}'")._replace(summary=_OWN_WORDS)
    selector = spec["selector"]
    if not any(label_selector(selector, at)) and not matches(selector, expected):
        message = "the server generates the selector of a Job: leave it out"
        yield at.child("selector").invalid(shown_selector(selector), "`selector` not auto-generated")._replace(summary=message)


def _selector(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """Yield the errors of ValidateJobSpec about the selector."""
    selector, field = spec.get("selector"), at.child("selector")
    wrong = [*label_selector(selector, field)]
    yield from wrong
    if selector is None:
        yield field.required()
    stored = spec.get("template", {}).get("metadata", {}).get("labels")
    if not wrong and not matches(selector, stored or {}):
        field = at.child("template", "metadata", "labels")
        yield field.invalid(stored, "`selector` does not match template `labels`")


def job_spec(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateJobSpec`: everything but the selector."""
    for name in _COUNTS:
        if spec.get(name, 0) < 0:
            yield at.child(name).invalid(spec[name], _NOT_NEGATIVE)
    if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
        yield at.child("backoffLimitPerIndex").required("when maxFailedIndexes is specified")
    if "managedBy" in spec:
        yield from _managed_by(spec["managedBy"], at.child("managedBy"))
    mode = spec.get("completionMode", "NonIndexed")
    if mode not in _MODES:
        yield at.child("completionMode").not_supported(mode, _MODES)
    elif mode == "Indexed":
        yield from _indexed(spec, at)
    else:
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if name in spec:
                yield at.child(name).invalid(spec[name], _NEEDS_INDEXES)
    if "podFailurePolicy" in spec:
        yield from _failure_policy(spec, at.child("podFailurePolicy"))
    if "successPolicy" in spec:
        yield from _success_policy(spec, mode, at.child("successPolicy"))
    if "podReplacementPolicy" in spec:
        supported = _REPLACEMENT[:1] if "podFailurePolicy" in spec else _REPLACEMENT
        if spec["podReplacementPolicy"] not in supported:
            yield at.child("podReplacementPolicy").not_supported(spec["podReplacementPolicy"], supported)
    yield from template_faults(spec.get("template", {}), at.child("template"))
    yield from _restart_policy(spec, at.child("template", "spec", "restartPolicy"))


def _restart_policy(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    policy = spec.get("template", {}).get("spec", {}).get("restartPolicy") or "Always"
    if policy == "Always":
        yield at.required('valid values: "OnFailure", "Never"')
    elif policy not in _RESTART_POLICIES:
        yield at.not_supported(policy, _RESTART_POLICIES)
    elif "podFailurePolicy" in spec and policy != "Never":
        yield at.invalid(policy, 'only "Never" is supported when podFailurePolicy is specified')


def _managed_by(manager: str, at: Place) -> Iterator[Fault]:
    """`IsDomainPrefixedPath`, and its length."""
    host, _, path = manager.partition("/")
    if not manager:
        yield at.required()
    elif not host or not path:
        yield at.invalid(manager, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        for message in syntax.dns1123_subdomain(host):
            yield at.invalid(host, message)
        if not _IN_PATH.issuperset(path):
            yield at.invalid(path, _PATH_WORDS)
    if len(manager.encode()) > _LONGEST_MANAGER:
        yield at.too_long(_LONGEST_MANAGER)


def _indexed(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism", 0)
    failed = spec.get("maxFailedIndexes")
    if completions is None:
        yield at.child("completions").required("when completion mode is Indexed")
    if parallelism > _MOST_INDEXES:
        message = f"must be less than or equal to {_MOST_INDEXES} when completion mode is Indexed"
        yield at.child("parallelism").invalid(parallelism, message)
    if failed is not None:
        if completions is not None and failed > completions:
            yield at.child("maxFailedIndexes").invalid(failed, "must be less than or equal to completions")
        if failed > _MOST_INDEXES:
            yield at.child("maxFailedIndexes").invalid(failed, f"must be less than or equal to {_MOST_INDEXES}")
    if completions is None or completions <= _MOST_INDEXES or "backoffLimitPerIndex" not in spec:
        return
    if failed is None:
        yield at.child("maxFailedIndexes").required(f"must be specified when completions is above {_MOST_INDEXES}")
    for name in ("parallelism", "maxFailedIndexes"):
        if spec.get(name, 0) > _MOST_WITH_MANY_COMPLETIONS:
            yield at.child(name).invalid(
                spec[name],
                f"must be less than or equal to {_MOST_WITH_MANY_COMPLETIONS} "
                f"when completions are above {_MOST_INDEXES} and used with backoff limit per index",
            )


# The podFailurePolicy and the successPolicy of a Job -> their faults.
#
# Mirrors kubernetes 1.36 `pkg/apis/batch/validation` (validatePodFailurePolicy, validateSuccessPolicy).

_NEEDS_INDEXES = "requires indexed completion mode"
_NOT_NEGATIVE = "must be greater than or equal to 0"
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_MOST_RULES = 20
_MOST_EXIT_CODES = 255
_LONGEST_INDEXES = 64 * 1024


def _failure_policy(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
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


def _success_policy(spec: dict[str, Any], mode: str, at: Place) -> Iterator[Fault]:
    """Faults of `spec.successPolicy` of a Job with this completion mode (`validateSuccessPolicy`)."""
    rules, completions = spec["successPolicy"].get("rules"), spec.get("completions")
    if mode != "Indexed":
        shown = [GoStruct({_go(name): rule.get(name) for name in ("succeededIndexes", "succeededCount")}) for rule in rules or ()]
        yield at.invalid(GoStruct(Rules=None if rules is None else shown), _NEEDS_INDEXES)
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
            yield field.invalid(count, _NOT_NEGATIVE)
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
