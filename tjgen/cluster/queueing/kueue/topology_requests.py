"""Pod sets with flavors -> the domains of all pods of a workload, or the sentence of Kueue.

Mirrors kueue v0.19 `pkg/scheduler/flavorassigner/tas_flavorassigner.go`, and `FindTopologyAssignmentsForWorkload`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue.objects import (
    ClusterQueue,
    DomainUsage,
    PodSetRequest,
    QueuedWorkload,
    ResourceFlavor,
    TopologyAssignment,
)
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.kueue.topology_assignment import find_topology_assignment
from tjgen.cluster.queueing.kueue.topology_search import AssumedUsage
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
            domains, reason = find_topology_assignment(tree, group, assumed, is_empty=is_empty)
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
