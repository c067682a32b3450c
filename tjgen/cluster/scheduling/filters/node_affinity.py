"""Nodes that the node selector or the node affinity of the pod leaves out (`nodeaffinity/node_affinity.go:Filter`)."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import REQUIRED, SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection
from tjgen.trees.fields.path import Tree, get

NAME = "NodeAffinity"
_FIELD = "metadata.name"
_REJECTION = Rejection(("node(s) didn't match Pod's node affinity/selector",), is_resolvable=False)
CONFLICT = Rejection(("pod affinity terms conflict",), is_resolvable=False)


def named(pod: SchedulingPod) -> set[str] | None:
    """The only nodes that the affinity names, if each of its terms names some (`PreFilter`); None for any node."""
    names_of_terms: set[str] = set()
    selector = get(pod.spec, ("affinity", "nodeAffinity", REQUIRED), None)
    if selector is None or not selector.get("nodeSelectorTerms"):
        return None
    for term in selector["nodeSelectorTerms"]:
        names: set[str] | None = None
        for one in term.get("matchFields") or ():
            if one["key"] == _FIELD and one["operator"] == "In":
                names = set(one["values"]) if names is None else names & set(one["values"])
        if names is None:
            return None
        names_of_terms |= names
    return names_of_terms


def check(pod: SchedulingPod, node: Node) -> Rejection | None:
    """The rejection of a node without the labels that the pod requires."""
    return None if matches(pod, node) else _REJECTION


def matches(pod: SchedulingPod, node: Node) -> bool:
    """Whether the node selector and the required node affinity match the node (`GetRequiredNodeAffinity`)."""
    return matches_required(pod.spec, node.labels, node.name)


def matches_required(spec: Tree, labels: Mapping[str, str], name: str) -> bool:
    """Whether the node selector and the required node affinity of a pod spec match a node of these labels and this name."""
    for label, value in (spec.get("nodeSelector") or {}).items():
        if labels.get(label) != value:
            return False
    selector = get(spec, ("affinity", "nodeAffinity", REQUIRED), None)
    return selector is None or any(matches_term(term, labels, name) for term in selector.get("nodeSelectorTerms") or ())


def matches_term(term: Tree, labels: Mapping[str, str], name: str) -> bool:
    """Whether one term matches; an empty one matches no node."""
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    names = {_FIELD: name}
    return all(matches_requirement(one, labels) for one in expressions) and all(matches_requirement(one, names) for one in fields)


def matches_requirement(requirement: Tree, labels: Mapping[str, str]) -> bool:
    """Whether labels meet one requirement (k8s.io/apimachinery `labels.Requirement.Matches`)."""
    value, operator, values = labels.get(requirement["key"]), requirement["operator"], requirement.get("values") or [""]
    if operator in ("In", "NotIn"):
        return (value in values) is (operator == "In")
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) is (operator == "Exists")
    try:
        actual, bound = int(value or ""), int(values[0])
    except ValueError:
        return False
    return actual > bound if operator == "Gt" else actual < bound
