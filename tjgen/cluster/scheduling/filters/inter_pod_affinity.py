"""Nodes near pods that the pod must avoid, or far from pods that it needs (`interpodaffinity/filtering.go:Filter`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod, selector_of, terms
from tjgen.cluster.scheduling.verdict import Rejection
from tjgen.cluster.validate.builtin.selectors import matches
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

NAME = "InterPodAffinity"
_AFFINITY = Rejection(("node(s) didn't match pod affinity rules",), is_resolvable=False)
_ANTI = Rejection(("node(s) didn't match pod anti-affinity rules",), is_resolvable=True)
_EXISTING = Rejection(("node(s) didn't satisfy existing pods anti-affinity rules",), is_resolvable=True)

Pairs = set[tuple[str, str]]
"""Label and value of nodes with at least one such pod."""
NamespaceLabels = Mapping[str, Mapping[str, str]]


class AffinityState(NamedTuple):
    """What the pods of all nodes mean for a pod (`preFilterState`)."""

    existing: Pairs
    affinity: Pairs
    anti: Pairs
    affinity_topologies: tuple[str, ...]
    anti_topologies: tuple[str, ...]
    is_first: bool
    """Whether the pod satisfies its own affinity, and no other pod does: the first pod of its kind may go anywhere."""


def prepare(
    pod: SchedulingPod,
    nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]],
    repelling: Sequence[tuple[Node, SchedulingPod]],
    namespaces: NamespaceLabels,
) -> AffinityState | None:
    """The state for a pod; None if no rule is about it. `repelling`: the pods with a required anti-affinity, and their nodes."""
    near, apart = terms(pod, "podAffinity"), terms(pod, "podAntiAffinity")
    existing: Pairs = set()
    for node, other in repelling:
        for term in terms(other, "podAntiAffinity"):
            if term["topologyKey"] in node.labels and matches_term(term, other, pod, namespaces):
                existing.add((term["topologyKey"], node.labels[term["topologyKey"]]))
    if not existing and not near and not apart:
        return None
    affinity: Pairs = set()
    anti: Pairs = set()
    for node, others in nodes if near or apart else ():
        for other in others:
            if near and all(matches_term(term, pod, other, namespaces) for term in near):
                affinity.update(_pairs(near, node))
            anti.update(_pairs([term for term in apart if matches_term(term, pod, other, namespaces)], node))
    is_first = not affinity and all(matches_term(term, pod, pod, namespaces) for term in near)
    return AffinityState(existing, affinity, anti, _topologies(near), _topologies(apart), is_first)


def _pairs(several: Sequence[Tree], node: Node) -> Pairs:
    return {(term["topologyKey"], node.labels[term["topologyKey"]]) for term in several if term["topologyKey"] in node.labels}


def _topologies(several: Sequence[Tree]) -> tuple[str, ...]:
    return tuple([term["topologyKey"] for term in several])


def matches_term(term: Tree, owner: SchedulingPod, other: SchedulingPod, namespaces: NamespaceLabels) -> bool:
    """Whether the term of a pod selects another pod (`AffinityTerm.Matches`)."""
    selector = term.get("namespaceSelector")
    names = term.get("namespaces") or ([] if selector is not None else [owner.namespace])
    if other.namespace not in names:
        own = {"kubernetes.io/metadata.name": other.namespace, **namespaces.get(other.namespace, {})}
        if selector is None or not matches(selector, own):
            return False
    return matches(selector_of(term, owner), other.labels)


def check(state: AffinityState, node: Node) -> Rejection | None:
    """The rejection of a node by affinity, anti-affinity, or the anti-affinity of pods that run."""
    labels = node.labels
    if any(topology not in labels for topology in state.affinity_topologies):
        return _AFFINITY
    if not state.is_first and any((topology, labels[topology]) not in state.affinity for topology in state.affinity_topologies):
        return _AFFINITY
    if any((topology, labels.get(topology)) in state.anti for topology in state.anti_topologies):
        return _ANTI
    return _EXISTING if any((label, labels.get(label)) in state.existing for label, _ in state.existing) else None
