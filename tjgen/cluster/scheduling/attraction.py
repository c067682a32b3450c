"""Affinities between pods that are preferred, or required by pods that run -> which nodes attract a pod.

Mirrors `interpodaffinity/scoring.go` of kubernetes 1.36 (`processExistingPod`, `NormalizeScore`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.scheduling.filters.inter_pod_affinity import NamespaceLabels, matches_term
from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import PREFERRED, SchedulingPod, terms
from tjgen.trees.fields.path import Tree, get

_MOST = 100
_KINDS = (("podAffinity", 1), ("podAntiAffinity", -1))

Pull = Mapping[tuple[str, str], int]
"""Label and value of nodes -> their attraction."""


def attracts(pod: SchedulingPod) -> bool:
    """Whether the pod, once it runs, makes nodes better or worse for others."""
    return bool(terms(pod, "podAffinity")) or any(_preferred(pod, kind) for kind, _ in _KINDS)


def pull(
    pod: SchedulingPod,
    nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]],
    attracting: Sequence[tuple[Node, SchedulingPod]],
    namespaces: NamespaceLabels,
) -> Pull:
    """The attraction of labels for the pod. `attracting` are the pods that attract others, and their nodes."""
    weights: dict[tuple[str, str], int] = {}
    own = any(_preferred(pod, kind) for kind, _ in _KINDS)
    for node, term, weight in (*_of_pod(pod, nodes if own else (), namespaces), *_of_others(pod, attracting, namespaces)):
        pair = (term["topologyKey"], node.labels.get(term["topologyKey"], ""))
        if pair[1]:
            weights[pair] = weights.get(pair, 0) + weight
    return weights


def _of_pod(
    pod: SchedulingPod, nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]], namespaces: NamespaceLabels
) -> Iterator[tuple[Node, Tree, int]]:
    for node, others in nodes:
        for other in others:
            for kind, sign in _KINDS:
                for one in _preferred(pod, kind):
                    if matches_term(one["podAffinityTerm"], pod, other, namespaces):
                        yield node, one["podAffinityTerm"], sign * int(one["weight"])


def _of_others(
    pod: SchedulingPod, attracting: Sequence[tuple[Node, SchedulingPod]], namespaces: NamespaceLabels
) -> Iterator[tuple[Node, Tree, int]]:
    for node, other in attracting:
        for term in terms(other, "podAffinity"):
            if matches_term(term, other, pod, namespaces):
                yield node, term, 1  # hardPodAffinityWeight
        for kind, sign in _KINDS:
            for one in _preferred(other, kind):
                if matches_term(one["podAffinityTerm"], other, pod, namespaces):
                    yield node, one["podAffinityTerm"], sign * int(one["weight"])


def _preferred(pod: SchedulingPod, kind: str) -> list[Tree]:
    return get(pod.spec, ("affinity", kind, PREFERRED), None) or []


def attraction(pulls: Pull, nodes: Sequence[Node]) -> list[int]:
    """The score of each node, in the same order."""
    if not pulls:
        return [0] * len(nodes)
    weights = [sum(pulls.get(pair, 0) for pair in node.labels.items()) for node in nodes]
    least, most = min(weights), max(weights)
    return [int(_MOST * ((one - least) / (most - least))) if most > least else 0 for one in weights]
