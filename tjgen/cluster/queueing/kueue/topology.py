"""Nodes and a flavor with a topology -> its domains, and what they have left while workloads come and go.

Mirrors the tree of kueue v0.19 `pkg/cache/scheduler/tas_flavor_snapshot.go`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from tjgen.cluster.queueing.kueue.objects import DomainUsage, ResourceFlavor, TopologyPath
from tjgen.cluster.scheduling.node import PODS, Node
from tjgen.trees.k8s.labels import HOSTNAME
from tjgen.trees.typing import Any

_Key = TypeVar("_Key")
Requests = tuple[tuple[str, int], ...]
"""What one pod requests, with the resource `pods`."""
NodeUsage = Mapping[str, Mapping[str, int]]
"""Name of a node -> what pods on it use that Kueue did not place, and their number as `pods`."""


class Domain:
    """A domain of a topology, and what the search for an assignment counts in it."""

    __slots__ = (
        "children",
        "counts",
        "free",
        "leader_state",
        "node",
        "path",
        "slice_state",
        "slice_state_with_leader",
        "state",
        "state_with_leader",
        "used",
    )

    def __init__(self, path: TopologyPath) -> None:
        self.path = path
        """Values of the labels, from the highest level."""
        self.children: list[Domain] = []
        self.free: dict[str, int] = {}
        """What the nodes of a domain of the lowest level have, less what pods use that Kueue did not place."""
        self.used: dict[str, int] = {}
        """What Kueue assigned in a domain of the lowest level."""
        self.counts: dict[Requests, tuple[int, str]] = {}
        """Requests of a pod -> the result of `count_in` for what a domain of the lowest level has left."""
        self.node: Node | None = None
        """The node, if the lowest level is the host name."""
        self.reset()

    def reset(self) -> None:
        """Forget the counts of the last search."""
        self.state = self.state_with_leader = 0
        """Pods that fit, without the pod of the leader and with it; then the pods that are assigned."""
        self.slice_state = self.slice_state_with_leader = 0
        """The same for slices."""
        self.leader_state = 0
        """1 if the leader fits."""


class TopologySnapshot:
    """The domains of a flavor (`TASFlavorSnapshot`)."""

    def __init__(self, flavor: ResourceFlavor, nodes: Iterable[Node], others: NodeUsage) -> None:
        assert flavor.topology is not None, "only flavors with a topology have domains"
        self.name, self.levels = flavor.topology
        self.tolerations = flavor.tolerations
        self.is_lowest_level_node = self.levels[-1] == HOSTNAME
        self.domains: list[dict[TopologyPath, Domain]] = [{} for _ in self.levels]
        """Level -> its domains."""
        self.leaves: dict[TopologyPath, Domain] = {}
        """Path as in an assignment -> domain of the lowest level."""
        self.memo: dict[object, Any] = {}
        """Results that depend on the nodes alone."""
        self.memo_of_usage: dict[object, Any] = {}
        """Results that also depend on usage; empty after each change of it."""
        for node in nodes:
            has_levels = all(label in node.labels for label in self.levels)  # `NodeMatchesFlavor`
            if has_levels and not node.is_unschedulable and matches_labels(node, flavor.labels):
                self._add(node, others.get(node.name, {}))

    def assigned_path(self, domain: Domain) -> TopologyPath:
        """The path of a domain of the lowest level in an assignment: the host name suffices."""
        return domain.path[-1:] if self.is_lowest_level_node else domain.path

    def identity(self, domain: Domain) -> str:
        """The ID of a domain (`utiltas.DomainID`)."""
        is_leaf = len(domain.path) == len(self.levels)
        return ",".join(self.assigned_path(domain) if is_leaf else domain.path)

    def add_usage(self, usage: DomainUsage, sign: int = 1) -> None:
        """`updateTASUsage`; a negative sign removes usage. Usage of domains without nodes counts nowhere."""
        leaf = self.leaves.get(usage.path)
        if leaf is not None:
            self.memo_of_usage, leaf.counts = {}, {}
            add_amounts(leaf.used, usage.requests, sign * usage.number)
            add_amounts(leaf.used, {PODS: 1}, sign * usage.number)

    def clear_usage(self) -> None:
        """Remove all usage."""
        self.memo_of_usage = {}
        for leaf in self.leaves.values():
            leaf.used, leaf.counts = {}, {}

    def fits(self, usages: Iterable[DomainUsage]) -> bool:
        """`Fits`: whether the domains of an assignment still have what it needs."""
        return all(
            one.path in self.leaves and count_in(one.requests, remaining(self.leaves[one.path]))[0] >= one.number
            for one in usages
        )

    def _add(self, node: Node, others: Mapping[str, int]) -> None:
        path = tuple([node.labels[level] for level in self.levels])
        leaf = self._domain(path)
        leaf.node = node if self.is_lowest_level_node else None
        add_amounts(leaf.free, node.allocatable)
        add_amounts(leaf.free, others, -1)
        self.leaves[self.assigned_path(leaf)] = leaf

    def _domain(self, path: TopologyPath) -> Domain:
        level = self.domains[len(path) - 1]
        if path not in level:
            level[path] = Domain(path)
            if len(path) > 1:
                self._domain(path[:-1]).children.append(level[path])
        return level[path]


def remaining(leaf: Domain) -> dict[str, int]:
    """What a domain of the lowest level has left."""
    left = dict(leaf.free)
    add_amounts(left, leaf.used, -1)
    return left


def count_left(leaf: Domain, requests: Requests) -> tuple[int, str]:
    """How many pods fit what a domain of the lowest level has left, and the resource that limits them."""
    if requests not in leaf.counts:
        left = {name: leaf.free.get(name, 0) - leaf.used.get(name, 0) for name, _ in requests}
        leaf.counts[requests] = count_in(dict(requests), left)
    return leaf.counts[requests]


def count_in(requests: Mapping[str, int], capacity: Mapping[str, int]) -> tuple[int, str]:
    """`CountInWithLimitingResource`: how many pods fit, and the resource that limits them."""
    counts = [(max(capacity.get(name, 0) // amount, 0), name) for name, amount in requests.items() if amount]
    return min(counts, default=(0, ""))


def add_amounts(total: dict[_Key, int], amounts: Mapping[_Key, int], times: int = 1) -> None:
    """Add amounts, so many times."""
    for name, amount in amounts.items():
        total[name] = total.get(name, 0) + amount * times


def matches_labels(node: Node, labels: Mapping[str, str]) -> bool:
    """Whether a node has the labels of a flavor."""
    return all(node.labels.get(key, "") == value for key, value in labels.items())
