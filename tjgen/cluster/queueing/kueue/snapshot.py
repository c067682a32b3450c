"""The queues of a cluster -> what each can use, borrows, and has left while workloads come and go.

Mirrors kueue v0.19 `pkg/cache/scheduler/snapshot.go`, `clusterqueue_snapshot.go` and `resource_node.go` for cohorts without
parents, and queues without limits of borrowing and lending.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from tjgen.cluster.queueing.kueue.objects import (
    AdmittedWorkload,
    ClusterQueue,
    DomainUsage,
    FlavorResource,
    Quantities,
    QueuedWorkload,
)
from tjgen.cluster.queueing.kueue.topology import NodeUsage, TopologySnapshot
from tjgen.cluster.scheduling.node import Node


class QueueSnapshot:
    """The queues of a cluster, and the workloads that have quota of them."""

    def __init__(
        self, queues: Iterable[ClusterQueue], nodes: Sequence[Node] = (), others: NodeUsage = MappingProxyType({})
    ) -> None:
        self.queues = {one.name: one for one in queues}
        self.nodes = nodes
        self.workloads: dict[str, dict[str, AdmittedWorkload]] = {name: {} for name in self.queues}
        """Queue -> its admitted workloads by name."""
        self._nominal = {name: _nominal(one) for name, one in self.queues.items()}
        self._usage: dict[str, dict[FlavorResource, int]] = {name: {} for name in self.queues}
        cohorts = {one.cohort for one in self.queues.values() if one.cohort}
        self._subtree_quota = {cohort: _total(self._nominal[name] for name in self._members(cohort)) for cohort in cohorts}
        self._cohort_usage: dict[str, dict[FlavorResource, int]] = {cohort: {} for cohort in cohorts}
        self.time = 0
        """Advances between reservations that do not happen at the same time."""
        self.topologies: dict[str, TopologySnapshot] = {}
        """Flavor with a topology whose levels are known -> its domains."""
        self.place_others(others)

    def without_workloads(self) -> QueueSnapshot:
        """The same queues and nodes, and no workloads."""
        return QueueSnapshot(self.queues.values(), self.nodes, self._others)

    def place_others(self, others: NodeUsage) -> None:
        """Count pods on the nodes that Kueue did not place, instead of those of the last call."""
        self._others = others
        flavors = {flavor.name: flavor for one in self.queues.values() for flavor, _ in one.flavors if flavor.has_known_levels}
        self.topologies = {name: TopologySnapshot(flavor, self.nodes, others) for name, flavor in flavors.items()}
        by_node = [set(one.leaves) for one in self.topologies.values() if one.is_lowest_level_node]
        self._shares_nodes = len(set().union(*by_node)) < sum(map(len, by_node))
        self._count_domains()

    def start_cycle(self) -> None:
        """Count the usage of nodes that several flavors share in each of them (`TASHandleOverlappingFlavors`).

        Within a cycle, Kueue counts new usage only in its own flavor.
        """
        if self._shares_nodes:
            self._count_domains()

    def _count_domains(self) -> None:
        for tree in self.topologies.values():
            tree.clear_usage()
        every = [usage for several in self.workloads.values() for one in several.values() for usage in one.domains]
        for usage in every:
            own = self.topologies[usage.flavor]
            is_shared = self._shares_nodes and own.is_lowest_level_node
            for tree in self.topologies.values() if is_shared else [own]:
                if tree is own or tree.is_lowest_level_node:
                    tree.add_usage(usage)

    def cohort_queues(self, queue: ClusterQueue) -> Sequence[str]:
        """The other queues of the cohort of a queue."""
        return [name for name in self._members(queue.cohort) if name != queue.name] if queue.cohort else []

    def _members(self, cohort: str) -> list[str]:
        return [name for name, one in self.queues.items() if one.cohort == cohort]

    def nominal(self, queue: str, key: FlavorResource) -> int:
        """The nominal quota."""
        return self._nominal[queue].get(key, 0)

    def usage(self, queue: str, key: FlavorResource) -> int:
        """What the workloads of a queue use."""
        return self._usage[queue].get(key, 0)

    def available(self, queue: str, key: FlavorResource) -> int:
        """`available`: what a queue and its cohort have left; at least 0."""
        cohort = self.queues[queue].cohort
        quota, used = (
            (self._subtree_quota[cohort], self._cohort_usage[cohort]) if cohort else (self._nominal[queue], self._usage[queue])
        )
        return max(0, quota.get(key, 0) - used.get(key, 0))

    def potential_available(self, queue: str, key: FlavorResource) -> int:
        """`potentialAvailable`: what a queue can use if no workload has quota."""
        cohort = self.queues[queue].cohort
        return (self._subtree_quota[cohort] if cohort else self._nominal[queue]).get(key, 0)

    def borrows_with(self, queue: str, key: FlavorResource, amount: int = 0) -> bool:
        """`BorrowingWith`: whether a queue uses more than its nominal quota if it uses `amount` more."""
        return self.nominal(queue, key) < self.usage(queue, key) + amount

    def borrowing_level(self, queue: str, key: FlavorResource, amount: int) -> int:
        """`FindHeightOfLowestSubtreeThatFits`: 1 if the queue borrows from its cohort, or else 0."""
        return int(bool(self.queues[queue].cohort) and self.borrows_with(queue, key, amount))

    def is_within_nominal(self, queue: str, keys: Iterable[FlavorResource]) -> bool:
        """`IsWithinNominalInResources`."""
        return not any(self.borrows_with(queue, key) for key in keys)

    def admit(self, workload: QueuedWorkload, usage: Quantities, domains: Sequence[DomainUsage] = ()) -> None:
        """Reserve quota and domains for a workload now."""
        self.add(AdmittedWorkload(workload, usage, self.time, domains))

    def add(self, admitted: AdmittedWorkload) -> None:
        """`AddWorkload`."""
        queue = admitted.workload.queue
        self.workloads[queue][admitted.workload.name] = admitted
        self.add_usage(queue, admitted.usage, admitted.domains)

    def remove(self, admitted: AdmittedWorkload) -> None:
        """`RemoveWorkload`."""
        queue = admitted.workload.queue
        del self.workloads[queue][admitted.workload.name]
        self.remove_usage(queue, admitted.usage, admitted.domains)

    def release(self, queue: str, name: str) -> None:
        """Return the quota of a workload that ended."""
        self.remove(self.workloads[queue][name])

    def add_usage(self, queue: str, usage: Quantities, domains: Iterable[DomainUsage]) -> None:
        """`AddUsage`."""
        self._change_usage(queue, usage, domains, 1)

    def remove_usage(self, queue: str, usage: Quantities, domains: Iterable[DomainUsage]) -> None:
        """`RemoveUsage`."""
        self._change_usage(queue, usage, domains, -1)

    def _change_usage(self, queue: str, usage: Quantities, domains: Iterable[DomainUsage], sign: int) -> None:
        cohort = self.queues[queue].cohort
        for used in (self._usage[queue], *([self._cohort_usage[cohort]] if cohort else [])):
            for key, amount in usage.items():
                used[key] = used.get(key, 0) + sign * amount
        for one in domains:
            self.topologies[one.flavor].add_usage(one, sign)

    def fits_quota(self, queue: str, usage: Quantities) -> bool:
        """Whether a queue and its cohort have this left."""
        return all(amount <= self.available(queue, key) for key, amount in usage.items())

    def fits_domains(self, domains: Sequence[DomainUsage]) -> bool:
        """Whether the domains have this left."""
        flavors = dict.fromkeys(one.flavor for one in domains)
        return all(self.topologies[name].fits([one for one in domains if one.flavor == name]) for name in flavors)

    @contextmanager
    def without(self, workloads: Iterable[AdmittedWorkload]) -> Iterator[None]:
        """`SimulateWorkloadRemoval`: the usage without some workloads, inside the context."""
        removed = list(workloads)
        for one in removed:
            self.remove_usage(one.workload.queue, one.usage, one.domains)
        try:
            yield
        finally:
            for one in removed:
                self.add_usage(one.workload.queue, one.usage, one.domains)


def _nominal(queue: ClusterQueue) -> dict[FlavorResource, int]:
    return _total({(flavor.name, resource): amount for resource, amount in quota.items()} for flavor, quota in queue.flavors)


def _total(several: Iterable[Mapping[FlavorResource, int]]) -> dict[FlavorResource, int]:
    total: dict[FlavorResource, int] = {}
    for quantities in several:
        for key, amount in quantities.items():
            total[key] = total.get(key, 0) + amount
    return total
