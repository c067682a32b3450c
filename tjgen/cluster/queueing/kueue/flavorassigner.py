"""Queues and a workload -> the flavor and the domains of each of its pod sets, or the sentence of Kueue.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/flavorassigner.go` (`assignFlavors`, `findFlavorForPodSets`) for queues with
one resource group and the default flavor fungibility.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tjgen.cluster.queueing.kueue.flavor_attempt import (
    MODE_FIT,
    MODE_NO_FIT,
    FlavorAttempt,
    flavor_mismatch,
    try_flavor,
)
from tjgen.cluster.queueing.kueue.objects import (
    AdmittedWorkload,
    ClusterQueue,
    DomainUsage,
    FlavorResource,
    PodSetRequest,
    Quantities,
    QueuedWorkload,
    ResourceFlavor,
    TopologyAssignment,
)
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.kueue.topology import add_amounts
from tjgen.cluster.queueing.kueue.topology_requests import (
    domain_usage,
    find_workload_topology,
    grouped,
    is_requested,
    topology_mismatch,
)
from tjgen.cluster.scheduling.node import PODS
from tjgen.trees.typing import NamedTuple

FIT, PREEMPT, NO_FIT = "Fit", "Preempt", "NoFit"


class Assignment(NamedTuple):
    """What Kueue decides about a workload."""

    mode: str
    """FIT, PREEMPT if its queue has the quota but others use it, or NO_FIT."""
    flavors: Mapping[str, ResourceFlavor]
    """Pod set -> its flavor, unless the mode is NO_FIT."""
    message: str = ""
    """The sentence of the condition QuotaReserved."""
    usage: Quantities = MappingProxyType({})
    contested: frozenset[FlavorResource] = frozenset()
    """Quota that others use."""
    borrowing: int = 0
    """1 if the queue borrows for it."""
    last_tried: Mapping[str, int] = MappingProxyType({})
    """`LastTriedFlavorIdx`: pod set -> the position of the last flavor that was tried; -1 if none is left."""
    domains: Mapping[str, TopologyAssignment] = MappingProxyType({})
    """Pod set that Kueue places -> its domains."""
    domain_usage: tuple[DomainUsage, ...] = ()

    @property
    def has_pending_flavors(self) -> bool:
        """`PendingFlavors`: whether another attempt may end with other flavors."""
        return any(position != -1 for position in self.last_tried.values())


def assign(
    workload: QueuedWorkload,
    snapshot: QueueSnapshot,
    last_tried: Mapping[str, int] = MappingProxyType({}),
    nominated: Mapping[str, ResourceFlavor] | None = None,
) -> Assignment:
    """`assignFlavors`: pod sets in order, so that the quota that one takes is not left for the next.

    `last_tried` is the field of the assignment that failed before: the next attempt continues with later flavors. `nominated`
    has the only flavor to try for each pod set (`NominationMapping`).
    """
    queue = snapshot.queues[workload.queue]
    usage: dict[FlavorResource, int] = {}
    flavors: dict[str, ResourceFlavor] = {}
    contested: set[FlavorResource] = set()
    sentences: list[str] = []
    borrowing = 0
    tried: dict[str, int] = {}
    for group in grouped(workload.pod_sets):
        requests: dict[str, int] = {}
        for one in group:
            add_amounts(requests, _requests(queue, one))
        if not requests:
            continue
        begin = last_tried.get(group[0].name, -1) + 1
        only = nominated.get(group[0].name) if nominated is not None else None
        attempt, reasons = _find_flavor(snapshot, workload, group, requests, usage, begin, only)
        sentences += [_sentence(one, reasons) for one in group if reasons]
        if attempt is None:
            return Assignment(NO_FIT, {}, "; ".join(sentences), last_tried=tried)
        name = attempt.flavor.name
        is_early = attempt.mode.preemption == MODE_FIT and attempt.position < len(queue.flavors) - 1
        for one in group:
            flavors[one.name] = attempt.flavor
            tried[one.name] = attempt.position if is_early else -1
        borrowing = max(borrowing, attempt.borrowing)
        contested.update([(name, resource) for resource in attempt.contested])
        add_amounts(usage, {(name, resource): amount for resource, amount in requests.items()})
    mode = PREEMPT if contested else FIT
    assignment = Assignment(mode, flavors, "; ".join(sentences), usage, frozenset(contested), borrowing, tried)
    return _placed(workload, snapshot, assignment)


def assign_alone(workload: QueuedWorkload, snapshot: QueueSnapshot) -> Assignment:
    """The assignment after as many attempts as Kueue makes: the first one that fits, or else the first one."""
    first = last = assign(workload, snapshot)
    seen = [first.last_tried]
    while last.mode != FIT and last.has_pending_flavors:
        last = assign(workload, snapshot, last.last_tried)
        if last.last_tried in seen:
            break
        seen.append(last.last_tried)
    return last if last.mode == FIT else first


def _placed(workload: QueuedWorkload, snapshot: QueueSnapshot, assignment: Assignment) -> Assignment:
    """The assignment with domains. If others use them, or the quota, the pods must fit the domains without workloads."""
    queue = snapshot.queues[workload.queue]
    placed = [one for one in workload.pod_sets if one.number and is_requested(one, queue)]
    for one in placed:
        if one.name not in assignment.flavors:
            reason = "no TAS flavor assigned"
            if all(flavor.topology is None for flavor, _ in queue.flavors):
                reason = "workload requires Topology, but there is no TAS cache information"
            text = f"failed to assign flavors to pod set {one.name}: {reason}"
            return Assignment(NO_FIT, {}, text, last_tried=assignment.last_tried)
    if not placed:
        return assignment
    if assignment.mode == FIT:
        result = find_workload_topology(workload, assignment.flavors, snapshot)
        if not result.reason:
            return _in_domains(workload, assignment, result.domains)
        sentence = f"couldn't assign flavors to pod set {result.pod_set}: {result.reason}"
        assignment = assignment._replace(mode=PREEMPT, message=sentence)
    if find_workload_topology(workload, assignment.flavors, snapshot, is_empty=True).reason:
        return Assignment(NO_FIT, {}, assignment.message, last_tried=assignment.last_tried)
    more = {(assignment.flavors[one.name].name, resource) for one in placed for resource in _requests(queue, one)}
    return assignment._replace(contested=assignment.contested | more)


def place_after(
    workload: QueuedWorkload, snapshot: QueueSnapshot, assignment: Assignment, evicted: Sequence[AdmittedWorkload]
) -> Assignment:
    """`updateAssignmentForTAS`: a workload that evicts others with its domains after that.

    If it cannot evict any, it has the domains that it gets without other workloads, to reserve them.
    """
    if assignment.mode != PREEMPT:
        return assignment
    with snapshot.without(evicted):
        result = find_workload_topology(workload, assignment.flavors, snapshot, is_empty=not evicted)
    return _in_domains(workload, assignment, result.domains)


def _in_domains(workload: QueuedWorkload, assignment: Assignment, domains: Mapping[str, TopologyAssignment]) -> Assignment:
    return assignment._replace(domains=domains, domain_usage=domain_usage(workload, assignment.flavors, domains))


def _sentence(one: PodSetRequest, reasons: Sequence[str]) -> str:
    return f"couldn't assign flavors to pod set {one.name}: {', '.join(sorted(reasons))}"


def _find_flavor(
    snapshot: QueueSnapshot,
    workload: QueuedWorkload,
    group: Sequence[PodSetRequest],
    requests: Mapping[str, int],
    usage: Quantities,
    begin: int,
    nominated: ResourceFlavor | None,
) -> tuple[FlavorAttempt | None, list[str]]:
    """`findFlavorForPodSets`: the first flavor that fits, or else the best in which preemption could help; and the reasons.

    `begin` is the position of the first flavor to try.
    """
    queue = snapshot.queues[workload.queue]
    covered = {resource for _, quota in queue.flavors for resource in quota}
    undeclared = [resource for resource in sorted(requests) if resource not in covered and requests[resource]]
    if undeclared:
        return None, [f"resource {undeclared[0]} unavailable in ClusterQueue"]
    reasons: list[str] = []
    best: FlavorAttempt | None = None
    for position, (flavor, _) in enumerate(queue.flavors):
        if position < begin:
            continue
        if nominated is not None and flavor.name != nominated.name:
            resource = min(requests)
            reasons.append(f"skipping flavor {flavor.name} as it is not result in the nomination mapping for resource {resource}")
            continue
        mismatches = (topology_mismatch(one, flavor, queue) or flavor_mismatch(one.spec, flavor) for one in group)
        mismatch = next((reason for reason in mismatches if reason is not None), None)
        if mismatch is not None:
            reasons.append(mismatch)
            continue
        attempt, several = try_flavor(snapshot, workload, position, requests, usage)
        reasons += several
        if attempt.mode.preemption == MODE_FIT:
            return attempt, []
        if attempt.mode.preemption != MODE_NO_FIT and (best is None or attempt.mode.is_preferred(best.mode)):
            best = attempt
    return best, reasons


def _requests(queue: ClusterQueue, one: PodSetRequest) -> dict[str, int]:
    """The requests, with the number of pods if the queue has a quota for it."""
    if any(PODS in quota for _, quota in queue.flavors):
        return {**one.requests, PODS: one.number}
    return dict(one.requests)
