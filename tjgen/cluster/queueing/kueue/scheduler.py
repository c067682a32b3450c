"""Pending workloads of all queues -> those that Kueue admits, those that it evicts for others, and why the others wait.

Mirrors kueue v0.19 `pkg/scheduler/scheduler.go` (`schedule`, `processEntry`, `classicalIterator`) and the order of
`pkg/cache/queue/cluster_queue.go`. An evicted workload returns its quota at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue.flavorassigner import FIT, NO_FIT, PREEMPT, Assignment, assign, place_after
from tjgen.cluster.queueing.kueue.objects import ANY, DomainUsage, FlavorResource, Quantities, QueuedWorkload, ResourceFlavor
from tjgen.cluster.queueing.kueue.preemption import PreemptionTarget, get_targets
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.kueue.topology_requests import find_workload_topology
from tjgen.cluster.scheduling.node import PODS
from tjgen.trees.typing import NamedTuple

MOST_EVICTIONS = 5
"""A workload that is evicted more often is not tried again: Kueue would admit and evict it forever."""
_OVERLAPPING = "Workload has overlapping preemption targets with another workload"
_NO_LONGER_FITS = "Workload no longer fits after processing another workload"


class Eviction(NamedTuple):
    """A workload that lost its quota."""

    victim: QueuedWorkload
    preemptor: QueuedWorkload
    reason: str


class SchedulingOutcome(NamedTuple):
    """The end of all scheduling cycles."""

    admitted: dict[str, Assignment]
    """Pending workload -> its flavors."""
    waiting: dict[str, str]
    """Pending or evicted workload -> the sentence of Kueue; empty for one behind the head of a StrictFIFO queue."""
    evictions: list[Eviction]
    """In their order."""
    unsettled: set[str]
    """Workloads that Kueue would admit and evict forever."""


class _Entry(NamedTuple):
    workload: QueuedWorkload
    assignment: Assignment
    targets: Sequence[PreemptionTarget]

    @property
    def order(self) -> tuple[int, int, int]:
        """`classicalIterator`: those that do not borrow first, then by priority and time."""
        return self.assignment.borrowing, -self.workload.priority, self.workload.created


class _Queues:
    """`pkg/cache/queue`: the pending workloads of each queue."""

    def __init__(self, snapshot: QueueSnapshot, pending: Sequence[QueuedWorkload]) -> None:
        self.snapshot = snapshot
        self.active: dict[str, list[QueuedWorkload]] = {name: [] for name in snapshot.queues}
        self.inadmissible: dict[str, list[QueuedWorkload]] = {name: [] for name in snapshot.queues}
        self.last_tried: dict[str, Mapping[str, int]] = {}
        """`LastAssignment`: workload -> the flavors that were tried."""
        self.equivalent: dict[str, str] = {}
        """A workload that is set aside untried -> the one that it equals."""
        self.sticky: dict[str, str] = {}
        """Queue -> the workload that waits for evictions, and stays its first."""
        for name in snapshot.queues:
            self._activate(name, [one for one in pending if one.queue == name])

    def pop_heads(self) -> list[QueuedWorkload]:
        """`Heads`: the first workload of each queue."""
        return [several.pop(0) for several in self.active.values() if several]

    def retry_at_once(self, workload: QueuedWorkload) -> None:
        """Try the workload again in the next cycle, with all flavors."""
        self.last_tried.pop(workload.name, None)
        self.requeue(workload)

    def requeue(self, workload: QueuedWorkload) -> None:
        """Try the workload again in the next cycle."""
        self._activate(workload.queue, [workload])

    def set_aside(self, workload: QueuedWorkload, assignment: Assignment) -> bool:
        """Whether a workload waits until others return quota, or continues with other flavors.

        A StrictFIFO queue tries its head in each cycle. Others set equal workloads aside, too (`handleInadmissibleHash`).
        """
        self.last_tried[workload.name] = assignment.last_tried
        if self.snapshot.queues[workload.queue].is_strict or assignment.has_pending_flavors:
            self.requeue(workload)
            return False
        several = self.active[workload.queue]
        equal = [one for one in several if _is_equivalent(one, workload)]
        self.active[workload.queue] = [one for one in several if one not in equal] if equal else several
        self.inadmissible[workload.queue] += [workload, *equal]
        self.equivalent.update({one.name: workload.name for one in equal})
        return True

    def retry(self, queue: str) -> None:
        """`QueueAssociatedInadmissibleWorkloadsAfter`: a workload of this queue returned its quota.

        The others of the queue begin with the first flavor again (`AllocatableResourceGeneration`).
        """
        for one in (*self.active[queue], *self.inadmissible[queue]):
            self.last_tried.pop(one.name, None)
        for name in (queue, *self.snapshot.cohort_queues(self.snapshot.queues[queue])):
            self._activate(name, self.inadmissible[name])
            self.inadmissible[name] = []

    def wait_for_evictions(self, workload: QueuedWorkload) -> None:
        """Try the workload again in the next cycle, before the others of a BestEffortFIFO queue."""
        if not self.snapshot.queues[workload.queue].is_strict:
            self.sticky[workload.queue] = workload.name
        self.retry_at_once(workload)

    def _activate(self, queue: str, workloads: Sequence[QueuedWorkload]) -> None:
        """`baseCompareFunc`: the pending workloads by priority and time, after the one that waits for evictions."""
        first = self.sticky.get(queue)
        several = [*self.active[queue], *workloads]
        several.sort(key=lambda one: (one.name != first, -one.priority, one.created, one.name))
        self.active[queue] = several


def schedule(snapshot: QueueSnapshot, pending: Sequence[QueuedWorkload]) -> SchedulingOutcome:
    """Run scheduling cycles until nothing changes. The snapshot keeps what is admitted."""
    queues = _Queues(snapshot, pending)
    outcome = SchedulingOutcome({}, {}, [], set())
    evicted: dict[str, int] = {}
    seen: set[tuple[object, ...]] = set()
    """Heads with the flavors that they tried, in cycles since something changed."""
    while heads := queues.pop_heads():
        snapshot.time += 1
        snapshot.start_cycle()
        state = tuple([(one.name, tuple(queues.last_tried.get(one.name, {}).items())) for one in heads])
        entries = sorted([_nominate(queues, one) for one in heads], key=lambda entry: entry.order)
        changed, targets = _cycle(queues, entries, outcome)
        for preemptor, target in targets:
            victim = target.admitted.workload
            snapshot.remove(target.admitted)
            outcome.admitted.pop(victim.name, None)
            outcome.evictions.append(Eviction(victim, preemptor, target.reason))
            evicted[victim.name] = evicted.get(victim.name, 0) + 1
            if evicted[victim.name] <= MOST_EVICTIONS:
                queues.retry_at_once(victim)
            else:
                outcome.unsettled.add(victim.name)
            outcome.waiting[victim.name] = ""
            queues.retry(victim.queue)
        if changed:
            seen.clear()
        elif state in seen:
            break
        seen.add(state)
    for several in (*queues.active.values(), *queues.inadmissible.values()):
        for one in several:
            outcome.waiting.setdefault(one.name, outcome.waiting.get(queues.equivalent.get(one.name, ""), ""))
    return outcome


def find_targets(snapshot: QueueSnapshot, workload: QueuedWorkload, assignment: Assignment) -> list[PreemptionTarget]:
    """`GetTargets`: the workloads to evict; none if the mode of the assignment is not PREEMPT.

    Kueue leaves the number of pods out of the requests (`TotalRequestsFor`), so it may evict too few workloads for a quota of
    pods.
    """
    if assignment.mode != PREEMPT:
        return []
    requests = {key: amount for key, amount in assignment.usage.items() if key[1] != PODS}

    def fits_topology() -> bool:
        return not find_workload_topology(workload, assignment.flavors, snapshot).reason

    return get_targets(snapshot, workload, requests, assignment.contested, fits_topology)


def _nominate(queues: _Queues, workload: QueuedWorkload, nominated: Mapping[str, ResourceFlavor] | None = None) -> _Entry:
    """`getAssignments`: the flavors and domains of a workload, and the workloads to evict for it."""
    last_tried = queues.last_tried.get(workload.name, {}) if nominated is None else {}
    assignment = assign(workload, queues.snapshot, last_tried, nominated)
    targets = find_targets(queues.snapshot, workload, assignment)
    placed = place_after(workload, queues.snapshot, assignment, [target.admitted for target in targets])
    return _Entry(workload, placed, targets)


def _cycle(
    queues: _Queues, entries: Sequence[_Entry], outcome: SchedulingOutcome
) -> tuple[bool, list[tuple[QueuedWorkload, PreemptionTarget]]]:
    """`processEntry` for each head: whether something changed, and the workloads to evict, each with the one that needs it."""
    snapshot = queues.snapshot
    changed = False
    evicting: list[tuple[QueuedWorkload, PreemptionTarget]] = []
    reserved: list[tuple[str, Quantities, Sequence[DomainUsage]]] = []
    """Quota and domains that are reserved for workloads until the end of the cycle."""

    def reserve(queue: str, usage: Quantities, domains: Sequence[DomainUsage]) -> None:
        snapshot.add_usage(queue, usage, domains)
        reserved.append((queue, usage, domains))

    for entry in entries:
        (workload, assignment, targets), fits = _updated(queues, entry, [target for _, target in evicting])
        outcome.waiting[workload.name] = assignment.message
        if assignment.mode == NO_FIT:
            changed |= queues.set_aside(workload, assignment)
            continue
        if assignment.mode != FIT and not targets:
            if snapshot.queues[workload.queue].preemption.reclaim_within_cohort != ANY:
                reserve(workload.queue, _to_reserve(snapshot, workload, assignment), assignment.domain_usage)
            changed |= queues.set_aside(workload, assignment)
            continue
        names = {target.admitted.workload.name for _, target in evicting}
        if any(target.admitted.workload.name in names for target in targets):
            outcome.waiting[workload.name] = _OVERLAPPING
            queues.retry_at_once(workload)
            continue
        if not fits:
            outcome.waiting[workload.name] = _NO_LONGER_FITS
            queues.retry_at_once(workload)
            continue
        changed = True
        if assignment.mode == FIT:
            snapshot.admit(workload, assignment.usage, assignment.domain_usage)
            outcome.admitted[workload.name] = assignment
            queues.sticky = {name: first for name, first in queues.sticky.items() if first != workload.name}
            del outcome.waiting[workload.name]
            continue
        evicting += [(workload, target) for target in targets]
        reserve(workload.queue, assignment.usage, assignment.domain_usage)
        queues.wait_for_evictions(workload)
    for queue, usage, domains in reserved:
        snapshot.remove_usage(queue, usage, domains)
    return changed, evicting


def _updated(queues: _Queues, entry: _Entry, evicting: Sequence[PreemptionTarget]) -> tuple[_Entry, bool]:
    """`updateAssignmentIfNeeded`: an entry with other domains if workloads before it took those; and whether it fits."""
    snapshot = queues.snapshot

    def check(one: _Entry) -> tuple[bool, bool]:
        # Kueue removes a workload twice that two others evict.
        with snapshot.without([target.admitted for target in (*evicting, *one.targets)]):
            has_quota = snapshot.fits_quota(one.workload.queue, one.assignment.usage)
            return has_quota, snapshot.fits_domains(one.assignment.domain_usage)

    has_quota, has_domains = check(entry)
    if has_quota and not has_domains:
        entry = _nominate(queues, entry.workload, entry.assignment.flavors)
        has_quota, has_domains = check(entry)
    return entry, has_quota and has_domains


def _to_reserve(snapshot: QueueSnapshot, workload: QueuedWorkload, assignment: Assignment) -> dict[FlavorResource, int]:
    """`quotaResourcesToReserve`: the quota of the queue that others cannot borrow in this cycle."""
    if assignment.borrowing:
        return dict(assignment.usage)
    return {
        key: max(0, min(amount, snapshot.nominal(workload.queue, key) - snapshot.usage(workload.queue, key)))
        for key, amount in assignment.usage.items()
    }


def _is_equivalent(one: QueuedWorkload, other: QueuedWorkload) -> bool:
    """`computeSchedulingHash`: whether two workloads of a queue have equal pods and priorities."""
    return one.priority == other.priority and one.pod_sets == other.pod_sets
