"""PodDisruptionBudgets and PriorityClasses -> what the API server has against them.

Mirrors kubernetes 1.36 `pkg/apis/policy/validation` and `pkg/apis/scheduling/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.builtin.pods import preemption_policy
from tjgen.cluster.validate.builtin.selectors import label_selector, shown_selector
from tjgen.cluster.validate.builtin.workloads import at_most_all, positive_or_percent
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.place import Place
from tjgen.cluster.validate.wording import GoStruct
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

_EVICTION = ("AlwaysAllow", "IfHealthyBudget")
_HIGHEST = 1_000_000_000
_SYSTEM_PREFIX = "system-"
_SYSTEM = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}


def pod_disruption_budget(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePodDisruptionBudget`."""
    spec, at = tree.get("spec", {}), Place("spec", ("spec",))
    if "minAvailable" in spec and "maxUnavailable" in spec:
        shown = GoStruct(
            MinAvailable=spec["minAvailable"],
            Selector=shown_selector(spec["selector"]) if "selector" in spec else None,
            MaxUnavailable=spec["maxUnavailable"],
            UnhealthyPodEvictionPolicy=spec.get("unhealthyPodEvictionPolicy"),
        )
        yield at.invalid(shown, "minAvailable and maxUnavailable cannot be both set")
    for name in ("minAvailable", "maxUnavailable"):
        if name in spec:
            yield from positive_or_percent(spec[name], at.child(name))
            yield from at_most_all(spec[name], at.child(name))
    yield from label_selector(spec.get("selector"), at.child("selector"))
    eviction = spec.get("unhealthyPodEvictionPolicy", "AlwaysAllow")
    if eviction not in _EVICTION:
        yield at.child("unhealthyPodEvictionPolicy").not_supported(eviction, _EVICTION)


def priority_class(tree: dict[str, Any]) -> Iterator[Fault]:
    """`ValidatePriorityClass` without metadata except the names of the system."""
    name, value = generated(tree.get("metadata", {})), tree.get("value", 0)
    if name.startswith(_SYSTEM_PREFIX):
        problem = ""
        if name not in _SYSTEM:
            problem = f"{name} is not a known system priority class"
        elif value != _SYSTEM[name]:
            problem = f"value of {name} PriorityClass must be {_SYSTEM[name]}"
        elif tree.get("globalDefault"):
            problem = f"globalDefault of {name} PriorityClass must be false"
        if problem:
            words = f"priority class names with '{_SYSTEM_PREFIX}' prefix are reserved for system use only. error: {problem}"
            yield Place().child("metadata", "name").forbidden(words)
    elif value > _HIGHEST:
        yield Place().child("value").forbidden(f"maximum allowed value of a user defined priority is {_HIGHEST}")
    yield from preemption_policy(tree, Place())
