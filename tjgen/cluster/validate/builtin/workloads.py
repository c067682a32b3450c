"""Deployments, ReplicaSets, StatefulSets and DaemonSets -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/apps/validation`, after the defaults of `pkg/apis/apps/v1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.claims import claim_spec
from tjgen.cluster.validate.builtin.gotext import atoi
from tjgen.cluster.validate.builtin.pods import template_faults
from tjgen.cluster.validate.builtin.selectors import label_selector, matches, shown_selector
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s import syntax
from tjgen.trees.typing import Any

_LARGEST = 2**63 - 1
_NOT_NEGATIVE = "must be greater than or equal to 0"
_QUARTER = "25%"
_RETENTION = ("Retain", "Delete")
_NO_DEADLINE = "activeDeadlineSeconds in {} is not Supported"


def deployment(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateDeployment`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    yield from not_negative(spec, ("replicas",), at)
    yield from _replicas_of(spec, at)
    strategy, field = spec.get("strategy", {}), at.child("strategy")
    kind, rolling = strategy.get("type") or "RollingUpdate", strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        yield from _rolling_deployment(rolling or {}, field.child("rollingUpdate"))
    elif kind != "Recreate":
        yield field.not_supported(_shown_strategy(strategy), ("Recreate", "RollingUpdate"))
    elif rolling is not None:
        yield field.child("rollingUpdate").forbidden("may not be specified when strategy `type` is 'Recreate'")
    yield from not_negative(spec, ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"), at)
    deadline = spec.get("progressDeadlineSeconds", 600)
    if deadline <= spec.get("minReadySeconds", 0):
        yield at.child("progressDeadlineSeconds").invalid(deadline, "must be greater than minReadySeconds")


def replica_set(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateReplicaSet`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    yield from not_negative(spec, ("replicas", "minReadySeconds"), at)
    yield from _replicas_of(spec, at)


def stateful_set(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateStatefulSet`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    management = spec.get("podManagementPolicy") or "OrderedReady"
    if management not in ("OrderedReady", "Parallel"):
        yield at.child("podManagementPolicy").invalid(management, "must be 'OrderedReady' or 'Parallel'")
    yield from _stateful_strategy(spec.get("updateStrategy", {}), at.child("updateStrategy"))
    for name, value in spec.get("persistentVolumeClaimRetentionPolicy", {}).items():
        if value and value not in _RETENTION:
            yield at.child("persistentVolumeClaimRetentionPolicy", name).not_supported(value, _RETENTION)
    claims = spec.get("volumeClaimTemplates", [])
    for position, claim in enumerate(claims):
        yield from claim_spec(claim.get("spec", {}), at.child("volumeClaimTemplates").item(position).child("spec"))
    yield from not_negative(spec, ("replicas", "minReadySeconds"), at)
    yield from not_negative(spec.get("ordinals", {}), ("start",), at.child("ordinals"))
    for message in syntax.dns1123_label(spec["serviceName"]) if spec.get("serviceName") else ():
        yield at.child("serviceName").invalid(spec["serviceName"], message)
    template = spec.get("template", {})
    selector, wrong = spec.get("selector"), [*_selector(spec, at.child("selector"), "statefulset")]
    yield from wrong
    if any(label_selector(selector, at)):
        yield at.child("selector").invalid(shown_selector(selector or {}), "")
    else:
        yield from _unmatched(selector, template, at.child("template"))
        yield from _stateful_template(template, claims, at.child("template"))
    yield from _always(template, "StatefulSet", at.child("template"))


def daemon_set(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateDaemonSet`, metadata left out."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    selector, template = spec.get("selector"), spec.get("template", {})
    wrong = [*label_selector(selector, at.child("selector"))]
    yield from wrong
    if not wrong:
        yield from _unmatched(selector, template, at.child("template"))
    if selector is not None and _is_empty(selector):
        yield at.child("selector").invalid(shown_selector(selector), "empty selector is invalid for daemonset")
    yield from template_faults(template, at.child("template"))
    yield from _always(template, "DaemonSet", at.child("template"))
    yield from not_negative(spec, ("minReadySeconds", "revisionHistoryLimit"), at)
    strategy, field = spec.get("updateStrategy", {}), at.child("updateStrategy")
    kind = strategy.get("type") or "RollingUpdate"
    if kind == "RollingUpdate":
        yield from _rolling_daemons(strategy.get("rollingUpdate", {}), field.child("rollingUpdate"))
    elif kind != "OnDelete":
        yield field.not_supported(_shown_strategy(strategy), ("RollingUpdate", "OnDelete"))


def pod_template(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePodTemplate`, metadata left out."""
    yield from template_faults(tree.get("template", {}), Place("template", ("template",)))


def not_negative(tree: dict[str, Any], names: tuple[str, ...], at: Place) -> Iterator[Fault]:
    """`ValidateNonnegativeField` of each."""
    for name in names:
        if tree.get(name, 0) < 0:
            yield at.child(name).invalid(tree[name], _NOT_NEGATIVE)


def positive_or_percent(value: int | str, at: Place) -> Iterator[Fault]:
    """`ValidatePositiveIntOrPercent`."""
    if isinstance(value, str):
        for message in syntax.percent(value):
            yield at.invalid(value, message)
    elif value < 0:
        yield at.invalid(value, _NOT_NEGATIVE)


def at_most_all(value: int | str, at: Place) -> Iterator[Fault]:
    """`IsNotMoreThan100Percent`."""
    if isinstance(value, str) and not syntax.percent(value) and _amount(value) > 100:
        yield at.invalid(value, "must not be greater than 100%")


def _amount(value: int | str) -> int:
    """`getIntOrPercentValue`: the number, or that before the percent sign."""
    if not isinstance(value, str):
        return value
    try:
        return atoi(value if syntax.percent(value) else value[:-1])
    except ValueError as problem:
        return _LARGEST if "range" in str(problem) else 0


def _replicas_of(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """Selector and template of what becomes a ReplicaSet."""
    selector, template = spec.get("selector"), spec.get("template", {})
    yield from _selector(spec, at.child("selector"), "deployment")
    if any(label_selector(selector, at)):
        yield at.child("selector").invalid(shown_selector(selector or {}), "invalid label selector")
        return
    field = at.child("template")
    yield from _unmatched(selector, template, field)
    yield from template_faults(template, field)
    yield from _always(template, "ReplicaSet", field)


def _selector(spec: dict[str, Any], at: Place, kind: str) -> Iterator[Fault]:
    selector = spec.get("selector")
    if selector is None:
        yield at.required()
        return
    yield from label_selector(selector, at)
    if _is_empty(selector):
        yield at.invalid(shown_selector(selector), f"empty selector is invalid for {kind}")


def _is_empty(selector: dict[str, Any]) -> bool:
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def _unmatched(selector: dict[str, Any] | None, template: dict[str, Any], at: Place) -> Iterator[Fault]:
    labels = template.get("metadata", {}).get("labels")
    if not matches(selector, labels or {}):
        yield at.child("metadata", "labels").invalid(labels, "`selector` does not match template `labels`")


def _always(template: dict[str, Any], kind: str, at: Place) -> Iterator[Fault]:
    spec = template.get("spec", {})
    policy = spec.get("restartPolicy") or "Always"
    if policy != "Always":
        yield at.child("spec", "restartPolicy").not_supported(policy, ("Always",))
    if "activeDeadlineSeconds" in spec:
        yield at.child("spec", "activeDeadlineSeconds").forbidden(_NO_DEADLINE.format(kind))


def _rolling_deployment(rolling: dict[str, Any], at: Place) -> Iterator[Fault]:
    unavailable, surge = rolling.get("maxUnavailable", _QUARTER), rolling.get("maxSurge", _QUARTER)
    yield from positive_or_percent(unavailable, at.child("maxUnavailable"))
    yield from positive_or_percent(surge, at.child("maxSurge"))
    if _amount(unavailable) == 0 and _amount(surge) == 0:
        yield at.child("maxUnavailable").invalid(unavailable, "may not be 0 when `maxSurge` is 0")
    yield from at_most_all(unavailable, at.child("maxUnavailable"))


def _rolling_daemons(rolling: dict[str, Any], at: Place) -> Iterator[Fault]:
    unavailable, surge = rolling.get("maxUnavailable", 1), rolling.get("maxSurge", 0)
    for value, name in ((unavailable, "maxUnavailable"), (surge, "maxSurge")):
        yield from positive_or_percent(value, at.child(name))
        yield from at_most_all(value, at.child(name))
    if _amount(unavailable) and _amount(surge):
        yield at.child("maxSurge").invalid(surge, "may not be set when maxUnavailable is non-zero")
    elif not _amount(unavailable) and not _amount(surge):
        yield at.child("maxUnavailable").required("cannot be 0 when maxSurge is 0")


def _shown_strategy(strategy: dict[str, Any]) -> GoStruct:
    rolling = strategy.get("rollingUpdate")
    if rolling is not None:
        rolling = GoStruct(MaxUnavailable=rolling.get("maxUnavailable", 0), MaxSurge=rolling.get("maxSurge", 0))
    return GoStruct(Type=strategy["type"], RollingUpdate=rolling)


def _stateful_strategy(strategy: dict[str, Any], at: Place) -> Iterator[Fault]:
    kind, rolling = strategy.get("type") or "RollingUpdate", strategy.get("rollingUpdate")
    # Upstream drops the largest number of unavailable pods, which is behind a gate that is off.
    shown = None if rolling is None else GoStruct(Partition=rolling.get("partition", 0), MaxUnavailable=None)
    if kind == "RollingUpdate":
        yield from not_negative(rolling or {}, ("partition",), at.child("rollingUpdate"))
    elif kind != "OnDelete":
        yield at.invalid(GoStruct(Type=kind, RollingUpdate=shown), "must be 'RollingUpdate' or 'OnDelete'")
    elif rolling is not None:
        yield at.child("rollingUpdate").invalid(shown, "only allowed for updateStrategy 'RollingUpdate'")


def _stateful_template(template: dict[str, Any], claims: list[dict[str, Any]], at: Place) -> Iterator[Fault]:
    """The template as the controller fills it in: with its own names, and with a volume for each claim."""
    spec = {name: value for name, value in template.get("spec", {}).items() if name not in ("subdomain", "hostname")}
    names = list(dict.fromkeys(claim.get("metadata", {}).get("name", "") for claim in claims))
    own = [(position, volume) for position, volume in enumerate(spec.get("volumes", ())) if volume.get("name", "") not in names]
    if claims:
        volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
        spec["volumes"] = [*volumes, *(volume for _, volume in own)]
    field = (*at.path, "spec", "volumes")
    places: list[FieldPath] = [("spec", "volumeClaimTemplates")] * len(names)
    places += [(*field, position) for position, _ in own]
    for fault in template_faults({**template, "spec": spec}, at):
        path = fault.path
        if claims and path[: len(field)] == field and len(path) > len(field):
            position: Any = path[len(field)]
            path = (*places[position], *path[len(field) + 1 :])
        yield fault._replace(path=path)
