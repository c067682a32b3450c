"""Nodes in which the pod would be too near to its like (`podtopologyspread/filtering.go:Filter`)."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.scheduling.filters.node_affinity import matches as matches_node
from tjgen.cluster.scheduling.filters.taint_toleration import untolerated_taint
from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod, selector_of
from tjgen.cluster.scheduling.verdict import Rejection
from tjgen.cluster.validate.builtin.selectors import matches
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

NAME = "PodTopologySpread"
_SKEW = "node(s) didn't match pod topology spread constraints"
_REJECTION = Rejection((_SKEW,), is_resolvable=True)
_UNLABELED = Rejection((f"{_SKEW} (missing required label)",), is_resolvable=False)
_NONE = 2**31 - 1


class Constraint(NamedTuple):
    """A constraint of a pod, with the pods that it counts (`preFilterState`)."""

    topology: str
    max_skew: int
    least: int
    """The smallest number of pods in a domain."""
    is_own: bool
    """Whether the pod counts, too."""
    counts: dict[str, int]
    """Value of the label -> pods in the domain."""


def prepare(pod: SchedulingPod, nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]]) -> list[Constraint]:
    """The constraints that keep the pod from nodes, over all nodes and their pods (`calPreFilterState`)."""
    hard = [one for one in pod.spec.get("topologySpreadConstraints") or () if one["whenUnsatisfiable"] == "DoNotSchedule"]
    if not hard:
        return []
    counted = [each for each in nodes if all(one["topologyKey"] in each[0].labels for one in hard)]
    return [_constraint(pod, one, counted) for one in hard]


def _constraint(pod: SchedulingPod, one: Tree, nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]]) -> Constraint:
    selector = selector_of(one, pod)
    is_empty = selector is not None and not selector.get("matchLabels") and not selector.get("matchExpressions")
    counts: dict[str, int] = {}
    for node, others in nodes:
        if not _is_included(pod, one, node):
            continue
        number = 0 if is_empty else sum(other.namespace == pod.namespace and matches(selector, other.labels) for other in others)
        domain = node.labels[one["topologyKey"]]
        counts[domain] = counts.get(domain, 0) + number
    least = 0 if len(counts) < (one.get("minDomains") or 1) else min(counts.values(), default=_NONE)
    return Constraint(one["topologyKey"], int(one["maxSkew"]), least, matches(selector, pod.labels), counts)


def _is_included(pod: SchedulingPod, one: Tree, node: Node) -> bool:
    """`matchNodeInclusionPolicies`."""
    if one.get("nodeAffinityPolicy", "Honor") == "Honor" and not matches_node(pod, node):
        return False
    return (
        one.get("nodeTaintsPolicy", "Ignore") == "Ignore"
        or untolerated_taint(node.taints, pod.spec.get("tolerations") or ()) is None
    )


def check(constraints: Sequence[Constraint], node: Node) -> Rejection | None:
    """The rejection of a node whose domain would have too many of the pods."""
    for one in constraints:
        domain = node.labels.get(one.topology)
        if domain is None:
            return _UNLABELED
        if one.counts.get(domain, 0) + one.is_own - one.least > one.max_skew:
            return _REJECTION
    return None
