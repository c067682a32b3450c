"""The queues of a cluster -> what each can use, borrows, and has left while workloads come and go.

Mirrors kueue v0.19 `pkg/cache/scheduler/snapshot.go` and `resource_node.go` for cohorts without parents, and queues without
limits of borrowing and lending.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from tjgen.cluster.queueing.kueue.objects import AdmittedWorkload, ClusterQueue, FlavorResource, Quantities, QueuedWorkload


class QueueSnapshot:
    """The queues of a cluster, and the workloads that have quota of them."""

    def __init__(self, queues: Iterable[ClusterQueue]) -> None:
        self.queues = {one.name: one for one in queues}
        self.workloads: dict[str, dict[str, AdmittedWorkload]] = {name: {} for name in self.queues}
        """Queue -> its admitted workloads by name."""
        self._nominal = {name: _nominal(one) for name, one in self.queues.items()}
        self._usage: dict[str, dict[FlavorResource, int]] = {name: {} for name in self.queues}
        cohorts = {one.cohort for one in self.queues.values() if one.cohort}
        self._subtree_quota = {cohort: _total(self._nominal[name] for name in self._members(cohort)) for cohort in cohorts}
        self._cohort_usage: dict[str, dict[FlavorResource, int]] = {cohort: {} for cohort in cohorts}
        self.time = 0
        """Advances between reservations that do not happen at the same time."""

    def without_workloads(self) -> QueueSnapshot:
        """The same queues, and no workloads."""
        return QueueSnapshot(self.queues.values())

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

    def admit(self, workload: QueuedWorkload, usage: Quantities) -> None:
        """Reserve quota for a workload now."""
        self.add(AdmittedWorkload(workload, usage, self.time))

    def add(self, admitted: AdmittedWorkload) -> None:
        """`AddWorkload`."""
        queue = admitted.workload.queue
        self.workloads[queue][admitted.workload.name] = admitted
        self.add_usage(queue, admitted.usage)

    def remove(self, admitted: AdmittedWorkload) -> None:
        """`RemoveWorkload`."""
        queue = admitted.workload.queue
        del self.workloads[queue][admitted.workload.name]
        self.add_usage(queue, {key: -amount for key, amount in admitted.usage.items()})

    def release(self, queue: str, name: str) -> None:
        """Return the quota of a workload that ended."""
        self.remove(self.workloads[queue][name])

    def add_usage(self, queue: str, usage: Quantities) -> None:
        """`addUsage`; negative amounts remove usage."""
        cohort = self.queues[queue].cohort
        for used in (self._usage[queue], *([self._cohort_usage[cohort]] if cohort else [])):
            for key, amount in usage.items():
                used[key] = used.get(key, 0) + amount

    @contextmanager
    def without(self, workloads: Iterable[AdmittedWorkload]) -> Iterator[None]:
        """`SimulateWorkloadRemoval`: the usage without some workloads, inside the context."""
        removed = list(workloads)
        for one in removed:
            self.remove(one)
        try:
            yield
        finally:
            for one in removed:
                self.add(one)


def _nominal(queue: ClusterQueue) -> dict[FlavorResource, int]:
    return _total({(flavor.name, resource): amount for resource, amount in quota.items()} for flavor, quota in queue.flavors)


def _total(several: Iterable[Mapping[FlavorResource, int]]) -> dict[FlavorResource, int]:
    total: dict[FlavorResource, int] = {}
    for quantities in several:
        for key, amount in quantities.items():
            total[key] = total.get(key, 0) + amount
    return total
