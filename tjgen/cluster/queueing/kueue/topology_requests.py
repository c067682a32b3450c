"""Pod sets with flavors -> the domains of all pods of a workload, or the sentence of Kueue.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/tas_flavorassigner.go`, and `FindTopologyAssignmentsForWorkload`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster.queueing.kueue.objects import (
    ClusterQueue,
    DomainUsage,
    PodSetRequest,
    QueuedWorkload,
    ResourceFlavor,
    TopologyAssignment,
)
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.kueue.topology import Domain, TopologySnapshot, add_amounts
from tjgen.cluster.queueing.kueue.topology_search import (
    AssumedUsage,
    TopologyMisfitError,
    TopologySearch,
    fill_in_counts,
    misfit_sentence,
    scheduling_key,
    start_search,
)
from tjgen.cluster.scheduling.node import PODS
from tjgen.trees.typing import NamedTuple


class WorkloadTopology(NamedTuple):
    """`TASAssignmentsResult`."""

    domains: dict[str, TopologyAssignment]
    """Pod set -> its domains."""
    pod_set: str = ""
    """The first pod set that does not fit; empty if all fit."""
    reason: str = ""
    """The sentence of Kueue about it."""


def is_requested(one: PodSetRequest, queue: ClusterQueue) -> bool:
    """`isTASRequested`: whether Kueue places the pods. The queue can imply it."""
    return one.topology is not None or queue.is_topology_only


def topology_mismatch(one: PodSetRequest, flavor: ResourceFlavor, queue: ClusterQueue) -> str | None:
    """`checkPodSetAndFlavorMatchForTAS`: why a flavor cannot place the pods."""
    if one.topology is None:
        if flavor.topology is None or queue.is_topology_only:
            return None
        return f'Flavor "{flavor.name}" supports only TopologyAwareScheduling'
    if flavor.topology is None:
        return f'Flavor "{flavor.name}" does not support TopologyAwareScheduling'
    if flavor.has_known_levels and not one.topology.is_possible(flavor.topology.levels):
        return f'Flavor "{flavor.name}" does not contain the requested level'
    return None


def find_workload_topology(
    workload: QueuedWorkload, flavors: Mapping[str, ResourceFlavor], snapshot: QueueSnapshot, *, is_empty: bool = False
) -> WorkloadTopology:
    """`FindTopologyAssignmentsForWorkload`. With `is_empty`, no workload uses the domains.

    `flavors` has the flavor of each pod set.
    """
    queue = snapshot.queues[workload.queue]
    result = WorkloadTopology({})
    if not snapshot.nodes:
        return result  # The nodes are unknown.
    by_flavor: dict[str, list[PodSetRequest]] = {}
    for one in workload.pod_sets:
        if is_requested(one, queue) and one.number and one.name in flavors:
            by_flavor.setdefault(flavors[one.name].name, []).append(one)
    of_nodes: AssumedUsage = {}
    for name, several in sorted(by_flavor.items()):
        tree = snapshot.topologies.get(name)
        if tree is None:
            continue  # The levels are unknown.
        assumed = of_nodes if tree.is_lowest_level_node else {}
        for group in grouped(several):
            domains, reason = _find_topology_assignment(tree, group, assumed, is_empty=is_empty)
            result.domains.update(domains)
            if reason:
                result = result if result.reason else result._replace(pod_set=group[0].name, reason=reason)
                break
    return result


def grouped(pod_sets: Sequence[PodSetRequest]) -> list[list[PodSetRequest]]:
    """Pod sets in the order of their groups; most are alone in theirs."""
    groups: dict[str, list[PodSetRequest]] = {}
    for position, one in enumerate(pod_sets):
        key = one.topology.group if one.topology is not None else ""
        groups.setdefault(key or f"{position}", []).append(one)
    return list(groups.values())


def domain_usage(
    workload: QueuedWorkload, flavors: Mapping[str, ResourceFlavor], domains: Mapping[str, TopologyAssignment]
) -> tuple[DomainUsage, ...]:
    """`ComputeTASNetUsage`: what the pods use of each domain."""
    return tuple(
        [
            DomainUsage(flavors[one.name].name, path, count, one.per_pod)
            for one in workload.pod_sets
            if one.name in domains
            for path, count in domains[one.name].domains
        ]
    )


# Pod sets and the domains of their flavor -> the domains of their pods, or the sentence of Kueue.
#
# Mirrors phase 2 of kueue v0.19 `pkg/cache/scheduler/tas_flavor_snapshot.go` (`findTopologyAssignment`) with the default
# feature gates: BestFit, and LeastFreeCapacity for pods without a required or preferred level. In a group of two pod sets, the
# smaller one is the leader.

PodSetDomains = tuple[Mapping[str, TopologyAssignment], str]
"""Pod set -> its domains, and the sentence of Kueue if they do not fit."""


def _find_topology_assignment(
    tree: TopologySnapshot, group: Sequence[PodSetRequest], assumed: AssumedUsage, *, is_empty: bool
) -> PodSetDomains:
    """`findTopologyAssignment`: the domains of one pod set, or of a leader and its workers.

    With `is_empty`, no workload uses the domains. The usage of the result is added to `assumed`.
    """
    if assumed:
        assignments, reason = _search(tree, group, assumed, is_empty=is_empty)
    else:
        memo = tree.memo if is_empty else tree.memo_of_usage
        key = tuple([(one.name, one.number, tuple(one.per_pod.items()), one.topology, scheduling_key(one.spec)) for one in group])
        if key not in memo:
            memo[key] = _search(tree, group, {}, is_empty=is_empty)
        assignments, reason = memo[key]
    for one in group if assignments else ():
        for path, count in assignments[one.name].domains:
            usage = assumed.setdefault(path, {})
            add_amounts(usage, one.per_pod, count)
            add_amounts(usage, {PODS: 1}, count)
    return assignments, reason


def _search(tree: TopologySnapshot, group: Sequence[PodSetRequest], assumed: AssumedUsage, *, is_empty: bool) -> PodSetDomains:
    workers, leader = _roles(group)
    try:
        search = start_search(tree, workers, leader)
        fill_in_counts(search, workers, leader, assumed, is_empty=is_empty)
        level, domains = _find_level(search, search.requested_level)
    except TopologyMisfitError as problem:
        return {}, str(problem)
    domains = _distribute(search, level, domains)
    assignments = {workers.name: _assignment(tree, [(one, one.state) for one in domains])}
    if leader is not None:
        assignments[leader.name] = _assignment(tree, [(one, one.leader_state) for one in domains])
    return assignments, ""


def _roles(group: Sequence[PodSetRequest]) -> tuple[PodSetRequest, PodSetRequest | None]:
    """`findLeaderAndWorkers`."""
    if len(group) < 2:
        return group[0], None
    first, second = group[:2]
    return (second, first) if second.number > first.number else (first, second)


def _find_level(search: TopologySearch, level: int) -> tuple[int, list[Domain]]:
    """`findLevelWithFitDomains`: the domains at or above a level that take all pods.

    Raises TopologyMisfitError if there are none.
    """
    every = search.tree.domains[level]
    if not every:
        raise TopologyMisfitError(f"no topology domains at level: {search.tree.levels[level]}")
    domains = _sorted_with_leader(search, every.values())
    slices, first = search.number // search.slice_size, domains[0]

    def holds(domain: Domain) -> bool:
        return domain.slice_state_with_leader >= slices and domain.leader_state >= search.leaders

    if search.is_unconstrained:
        for one in domains:
            if one.slice_state >= slices:
                return level, [one]
    elif holds(first):
        first = _best_fit(domains, slices, search.leaders, "slice_state")
    if holds(first):
        return level, [first]
    if search.is_required:
        raise TopologyMisfitError(misfit_sentence(search, level, first.slice_state))
    if level and not search.is_unconstrained:
        return _find_level(search, level - 1)
    return level, _across(search, level, domains, slices)


def _across(search: TopologySearch, level: int, domains: list[Domain], slices: int) -> list[Domain]:
    """Several domains of a level that take all pods: first one for the leader.

    Raises TopologyMisfitError if they do not suffice.
    """
    chosen: list[Domain] = []
    leaders, missing, position = search.leaders, slices, 0
    while leaders > 0 and position < len(domains) and domains[position].leader_state:
        domain = domains[position]
        if not search.is_unconstrained and domain.slice_state_with_leader >= missing:
            domain = _best_fit(domains[position:], missing, leaders, "slice_state")
        chosen.append(domain)
        leaders -= domain.leader_state
        missing -= domain.slice_state_with_leader
        position += 1
    if leaders > 0:
        raise TopologyMisfitError(misfit_sentence(search, level, search.leaders - leaders))
    domains = _sorted(search, domains[position:])
    for position, first in enumerate(domains):
        if missing <= 0:
            break
        is_last = not search.is_unconstrained and first.slice_state >= missing
        domain = _best_fit(domains[position:], missing, 0, "slice_state") if is_last else first
        chosen.append(domain)
        missing -= domain.slice_state
    if missing > 0:
        raise TopologyMisfitError(misfit_sentence(search, level, slices - missing))
    return chosen


def _distribute(search: TopologySearch, level: int, domains: list[Domain]) -> list[Domain]:
    """Phase 2b: from the domains of a level down to those of the lowest level."""
    lowest = len(search.tree.levels) - 1
    domains = _to_minimum(search, domains, search.number, search.leaders, search.slice_size, is_sliced=True)
    while level < min(lowest, search.slice_level):
        below = _sorted(search, [child for one in domains for child in one.children])
        domains = _to_minimum(search, below, search.number, search.leaders, search.slice_size, is_sliced=True)
        level += 1
    while level < lowest:
        size = search.slice_sizes.get(level + 1, 1)
        chosen: list[Domain] = []
        for one in domains:
            below = _sorted(search, one.children)
            if size > 1:
                for child in below:
                    child.slice_state, child.slice_state_with_leader = child.state // size, child.state_with_leader // size
            chosen += _to_minimum(search, below, one.state, one.leader_state, size, is_sliced=size > 1)
        domains = chosen
        level += 1
    return domains


def _to_minimum(
    search: TopologySearch, domains: Sequence[Domain], count: int, leaders: int, size: int, *, is_sliced: bool
) -> list[Domain]:
    """`updateCountsToMinimumGeneric`: the first domains that take all pods. Their counts become those of the assigned pods."""
    unit, missing = ("slice_state", count // size) if is_sliced else ("state", count)
    chosen: list[Domain] = []
    for position, first in enumerate(domains):
        rest = domains[position:]
        if leaders > 0:
            domain, left = _consume_with_leader(search, rest, missing, leaders, size, unit)
            chosen.append(domain)
            if left is None:
                return chosen
            missing, leaders = left
            continue
        is_last = not search.is_unconstrained and getattr(first, unit) >= missing
        domain = _best_fit(rest, missing, 0, unit) if is_last else first
        chosen.append(domain)
        domain.leader_state = 0
        is_last = getattr(domain, unit) >= missing
        if is_last:
            setattr(domain, unit, missing)
        if is_sliced:
            domain.state = domain.slice_state * size
        if is_last:
            return chosen
        missing -= getattr(domain, unit)
    return []


def _consume_with_leader(
    search: TopologySearch, domains: Sequence[Domain], missing: int, leaders: int, size: int, unit: str
) -> tuple[Domain, tuple[int, int] | None]:
    """`consumeWithLeadersGeneric`: a domain, and the pods or slices and leaders that it leaves; None if it takes all."""
    domain, with_leader = domains[0], f"{unit}_with_leader"

    def holds() -> bool:
        return getattr(domain, with_leader) >= missing and domain.leader_state >= leaders

    if not search.is_unconstrained and holds():
        domain = _best_fit(domains, missing, leaders, unit)
    is_sliced = unit == "slice_state"
    if holds():
        setattr(domain, unit, missing)
        domain.leader_state = leaders
        domain.state = missing * (size if is_sliced else 1)
        return domain, None
    if is_sliced:
        domain.slice_state_with_leader = min(domain.slice_state_with_leader, missing)
        domain.leader_state = min(domain.leader_state, leaders)
        domain.state = domain.slice_state_with_leader * size
        return domain, (missing - domain.slice_state_with_leader, leaders - domain.leader_state)
    # Kueue 0.19 subtracts before it compares, and keeps the count of pods without the leader.
    missing, leaders = missing - domain.state_with_leader, leaders - domain.leader_state
    domain.state_with_leader = min(domain.state_with_leader, missing)
    domain.leader_state = min(domain.leader_state, leaders)
    return domain, (missing, leaders)


def _best_fit(domains: Sequence[Domain], needed: int, leaders: int, unit: str) -> Domain:
    """`findBestFitDomainBy`: the first of the domains with the least capacity that suffices, or else the first one."""
    field = f"{unit}_with_leader" if leaders else unit
    best = domains[0]
    for one in domains:
        if needed <= getattr(one, field) < getattr(best, field):
            best = one
    return best


def _sorted_with_leader(search: TopologySearch, domains: Iterable[Domain]) -> list[Domain]:
    """`sortedDomainsWithLeader`."""
    sign = 1 if search.is_unconstrained else -1
    return sorted(
        domains, key=lambda one: (-one.leader_state, sign * one.slice_state_with_leader, one.state_with_leader, one.path)
    )


def _sorted(search: TopologySearch, domains: Iterable[Domain]) -> list[Domain]:
    """`sortedDomains`."""
    sign = 1 if search.is_unconstrained else -1
    return sorted(domains, key=lambda one: (sign * one.slice_state, one.state, one.path))


def _assignment(tree: TopologySnapshot, counts: Iterable[tuple[Domain, int]]) -> TopologyAssignment:
    """`buildAssignment`."""
    ordered = sorted(((one, count) for one, count in counts if count), key=lambda entry: entry[0].path)
    levels = tree.levels[-1:] if tree.is_lowest_level_node else tree.levels
    return TopologyAssignment(tuple(levels), tuple([(tree.assigned_path(one), count) for one, count in ordered]))
