"""HyperNodes and nodes of a cluster -> the nodes of each HyperNode.

Mirrors `HyperNodesInfo` of Volcano (v1.15 pkg/scheduler/api/hyper_node_info.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.schema.pattern_escapes import PatternError
from tjgen.cluster.schema.patterns import search
from tjgen.cluster.validate.builtin.selectors import matches
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

TOP = "<cluster-top-hypernode>"
"""The HyperNode above all others, which the scheduler adds."""


class HyperNode(NamedTuple):
    """A part of the network."""

    name: str
    tier: int
    nodes: tuple[int, ...]
    """Positions of its nodes, also of those in HyperNodes below it."""
    depth: int = 0
    """HyperNodes above it. In a tier, the scheduler tries those with the fewest first."""


def read_hyper_nodes(trees: Sequence[Tree], nodes: Sequence[Node]) -> tuple[HyperNode, ...]:
    """The HyperNodes by tier and name, and `TOP` at the end; empty without manifests. Their members form a forest."""
    if not trees:
        return ()
    known = {str(tree["metadata"]["name"]): tree for tree in trees}
    positions = positions_of(nodes)
    own = {name: member_nodes(tree, nodes, positions) for name, tree in known.items()}

    def below(name: str) -> set[int]:
        members: set[int] = set()
        waiting = [name]
        while waiting:
            one = waiting.pop()
            members |= own[one]
            waiting += [child for child in children(known[one]) if child in known]
        return members

    parents = {child: name for name, tree in known.items() for child in children(tree)}

    def depth(name: str) -> int:
        above = 0
        while name in parents:
            name, above = parents[name], above + 1
        return above

    several = [
        HyperNode(name, int(tree["spec"]["tier"]), tuple(sorted(below(name))), depth(name)) for name, tree in known.items()
    ]
    top = HyperNode(TOP, max(one.tier for one in several) + 1, tuple(range(len(nodes))))
    return (*sorted(several, key=lambda one: (one.tier, one.name)), top)


def children(tree: Tree) -> Iterator[str]:
    """The names of the HyperNodes that are members of one."""
    for member in get(tree, ("spec", "members"), None) or ():
        name = get(member, ("selector", "exactMatch", "name"), None)
        if member.get("type") == "HyperNode" and name:
            yield str(name)


def member_nodes(tree: Tree, nodes: Sequence[Node], positions: Mapping[str, int]) -> set[int]:
    """The positions of the nodes that are members of a HyperNode themselves (`GetMembers`). `positions` has all nodes by name."""
    members: set[int] = set()
    for member in get(tree, ("spec", "members"), None) or ():
        selector = member.get("selector") or {}
        if member.get("type") != "Node":
            continue
        name, pattern = get(selector, ("exactMatch", "name"), None), get(selector, ("regexMatch", "pattern"), None)
        labels = selector.get("labelMatch") or {}
        if name in positions:
            members.add(positions[name])
        elif pattern is not None:
            members |= _matching(pattern, nodes)
        elif labels.get("matchLabels") or labels.get("matchExpressions"):
            members.update(position for position, node in enumerate(nodes) if matches(labels, node.labels))
    return members


def _matching(pattern: str, nodes: Sequence[Node]) -> set[int]:
    """The positions of the nodes whose names match; the scheduler selects none by a pattern that it cannot read."""
    try:
        is_match = search(pattern)
        return {position for position, node in enumerate(nodes) if is_match(node.name)}
    except PatternError:
        return set()


def positions_of(nodes: Sequence[Node]) -> dict[str, int]:
    """Name of a node -> its position."""
    return {node.name: position for position, node in enumerate(nodes)}
