"""A workload that needs quota of others -> the workloads that Kueue evicts for it.

Mirrors kueue v0.19 `pkg/scheduler/preemption/preemption.go` (`classicalPreemptions`) and `classical/`, for cohorts without
parents. Fair sharing is not covered: a Platform cannot enable it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from tjgen.cluster.queueing.kueue.objects import (
    ANY,
    LOWER_OR_NEWER_EQUAL_PRIORITY,
    LOWER_PRIORITY,
    NEVER,
    AdmittedWorkload,
    ClusterQueue,
    FlavorResource,
    Quantities,
    QueuedWorkload,
)
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.trees.typing import NamedTuple

IN_CLUSTER_QUEUE = "InClusterQueue"
IN_COHORT_RECLAMATION = "InCohortReclamation"
IN_COHORT_RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"
REASONS: Mapping[str, str] = {
    IN_CLUSTER_QUEUE: "prioritization in the ClusterQueue",
    IN_COHORT_RECLAMATION: "reclamation within the cohort",
    IN_COHORT_RECLAIM_WHILE_BORROWING: "reclamation within the cohort while borrowing",
}
"""`HumanReadablePreemptionReasons`."""


class PreemptionTarget(NamedTuple):
    """A workload to evict."""

    admitted: AdmittedWorkload
    reason: str


class _Candidate(NamedTuple):
    admitted: AdmittedWorkload
    reason: str
    without_borrowing: bool = False
    """Whether it is only evicted for a workload that does not borrow (`ReclaimWithoutBorrowing`)."""


def get_targets(
    snapshot: QueueSnapshot,
    workload: QueuedWorkload,
    requests: Quantities,
    contested: Collection[FlavorResource],
    fits_topology: Callable[[], bool] | None = None,
) -> list[PreemptionTarget]:
    """`classicalPreemptions`: the workloads to evict; none if that does not help.

    `contested` is the quota that is missing. `fits_topology` reports whether the pods fit the domains of the snapshot as it is.
    """
    queue = snapshot.queues[workload.queue]
    same_queue = _ordered(_same_queue_candidates(snapshot, queue, workload, contested))
    others = _ordered(_cohort_candidates(snapshot, queue, workload, contested, requests))
    has_advantage = _fits_in_quota(snapshot, queue.name, requests)
    is_forbidden = not queue.preemption.borrow_within_cohort
    # A queue with nominal quota for the requests has an advantage over the whole cohort (`HiearchicalReclaim`).
    has_quota_left = all(snapshot.usage(queue.name, key) < snapshot.nominal(queue.name, key) for key in contested)
    if not others or (is_forbidden and not has_quota_left):
        attempts: Sequence[bool] = (True,)
    elif is_forbidden and not has_advantage:
        attempts = (False, True)
    else:
        attempts = (True, False)
    for may_borrow in attempts:
        fits = partial(_workload_fits, snapshot, workload, requests, fits_topology, may_borrow=may_borrow)
        targets = _attempt(snapshot, workload, contested, [*others, *same_queue], fits, may_borrow=may_borrow)
        if targets:
            return targets
    return []


def satisfies_policy(workload: QueuedWorkload, candidate: QueuedWorkload, policy: str) -> bool:
    """`SatisfiesPreemptionPolicy`."""
    if policy == ANY:
        return True
    if policy == LOWER_OR_NEWER_EQUAL_PRIORITY and workload.priority == candidate.priority:
        return workload.created < candidate.created
    return policy in (LOWER_PRIORITY, LOWER_OR_NEWER_EQUAL_PRIORITY) and workload.priority > candidate.priority


def _attempt(
    snapshot: QueueSnapshot,
    workload: QueuedWorkload,
    contested: Collection[FlavorResource],
    candidates: Sequence[_Candidate],
    fits: Callable[[], bool],
    *,
    may_borrow: bool,
) -> list[PreemptionTarget]:
    """Remove candidates until the workload fits, then add back those that it does not need. The snapshot stays as it is."""
    targets: list[PreemptionTarget] = []
    has_capacity = False
    for candidate in candidates:
        owner = candidate.admitted.workload.queue
        is_excluded = may_borrow and candidate.without_borrowing
        if owner != workload.queue and (is_excluded or snapshot.is_within_nominal(owner, contested)):
            continue
        snapshot.remove(candidate.admitted)
        targets.append(PreemptionTarget(candidate.admitted, candidate.reason))
        has_capacity = fits()
        if has_capacity:
            targets = _fill_back(snapshot, targets, fits)
            break
    for target in targets:
        snapshot.add(target.admitted)
    return targets if has_capacity else []


def _fill_back(snapshot: QueueSnapshot, targets: list[PreemptionTarget], fits: Callable[[], bool]) -> list[PreemptionTarget]:
    """`fillBackWorkloads`: the last target moves to the place of one that stays, as in Kueue."""
    kept = list(targets)
    for position in range(len(kept) - 2, -1, -1):
        target = kept[position]
        snapshot.add(target.admitted)
        if fits():
            kept[position] = kept[-1]
            kept.pop()
        else:
            snapshot.remove(target.admitted)
    return kept


def _workload_fits(
    snapshot: QueueSnapshot,
    workload: QueuedWorkload,
    requests: Quantities,
    fits_topology: Callable[[], bool] | None,
    *,
    may_borrow: bool,
) -> bool:
    if not may_borrow and any(snapshot.borrows_with(workload.queue, key, amount) for key, amount in requests.items()):
        return False
    return snapshot.fits_quota(workload.queue, requests) and (fits_topology is None or fits_topology())


def _same_queue_candidates(
    snapshot: QueueSnapshot, queue: ClusterQueue, workload: QueuedWorkload, contested: Collection[FlavorResource]
) -> Iterator[_Candidate]:
    """`collectSameQueueCandidates`."""
    policy = queue.preemption.within_cluster_queue
    for one in _evictable(snapshot, queue.name, workload, policy, contested):
        yield _Candidate(one, IN_CLUSTER_QUEUE)


def _cohort_candidates(
    snapshot: QueueSnapshot,
    queue: ClusterQueue,
    workload: QueuedWorkload,
    contested: Collection[FlavorResource],
    requests: Quantities,
) -> Iterator[_Candidate]:
    """`collectCandidatesForHierarchicalReclaim`: workloads of queues that borrow."""
    own = queue.preemption
    has_advantage = _fits_in_quota(snapshot, queue.name, requests)
    for name in snapshot.cohort_queues(queue) if own.reclaim_within_cohort != NEVER else ():
        if snapshot.is_within_nominal(name, contested):
            continue
        for one in _evictable(snapshot, name, workload, own.reclaim_within_cohort, contested):
            above = one.workload.priority >= workload.priority or (
                own.max_priority_threshold is not None and one.workload.priority > own.max_priority_threshold
            )
            if has_advantage:
                yield _Candidate(one, IN_COHORT_RECLAMATION)
            elif not own.borrow_within_cohort or above:
                yield _Candidate(one, IN_COHORT_RECLAMATION, without_borrowing=True)
            else:
                yield _Candidate(one, IN_COHORT_RECLAIM_WHILE_BORROWING)


def _evictable(
    snapshot: QueueSnapshot, queue: str, workload: QueuedWorkload, policy: str, contested: Collection[FlavorResource]
) -> Iterator[AdmittedWorkload]:
    """The workloads of a queue that the policy allows to evict, and that use what is missing."""
    if policy == NEVER:
        return
    for one in snapshot.workloads[queue].values():
        if satisfies_policy(workload, one.workload, policy) and any(key in one.usage for key in contested):
            yield one


def _ordered(candidates: Iterable[_Candidate]) -> list[_Candidate]:
    """`CandidatesOrdering`: lower priority first, then those that were admitted later. The name replaces the UID."""
    return sorted(
        candidates, key=lambda one: (one.admitted.workload.priority, -one.admitted.reserved, one.admitted.workload.name)
    )


def _fits_in_quota(snapshot: QueueSnapshot, queue: str, requests: Quantities) -> bool:
    """`QuantitiesFitInQuota`."""
    return not any(snapshot.borrows_with(queue, key, amount) for key, amount in requests.items())
