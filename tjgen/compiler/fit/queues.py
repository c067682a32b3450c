"""Queues of a Platform -> the quotas of Kueue, and the capabilities of queues of Volcano."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue.objects import (
    LOWER_PRIORITY,
    NEVER,
    ClusterQueue,
    ClusterQueuePreemption,
    FlavorTopology,
    PodSetRequest,
    ResourceFlavor,
)
from tjgen.cluster.queueing.volcano.objects import CAPACITY, DEFAULT_QUEUE, PROPORTION, ROOT, VolcanoCluster, WeightedQueue
from tjgen.cluster.queueing.volcano.resources import added, resources_of
from tjgen.cluster.scheduling.node import Node, amounts
from tjgen.compiler.fit.demand import Demand
from tjgen.compiler.fit.domains import topology_request
from tjgen.language.spec.objects import PlatformSpec, Queue
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.quantity import parse

Amounts = Mapping[str, "str | int | float"]


def cluster_queues(spec: PlatformSpec) -> list[ClusterQueue]:
    """The ClusterQueues that the Platform creates."""
    return [
        _cluster_queue(name, queue, spec)
        for name, queue in spec.queues.items()
        if queue.create is not None and queue.create.kueue
    ]


def volcano_cluster(spec: PlatformSpec, nodes: Sequence[Node]) -> VolcanoCluster | None:
    """The nodes and the Queues that the Platform creates; None if it has no nodes or no Queues, or a tree of Queues."""
    several = {
        name: (queue.capability, queue.create.volcano)
        for name, queue in spec.queues.items()
        if queue.create is not None and queue.create.volcano
    }
    if not nodes or not several or any(one.parent not in (None, ROOT) for _, one in several.values()):
        return None
    queues = {
        name: WeightedQueue(
            name,
            one.weight,
            one.priority or 0,
            {resource: amount for resource, amount in resources_of(_amounts(capability)).items() if amount},
            resources_of(_amounts(one.deserved)),
            resources_of(_amounts(one.guarantee)),
        )
        for name, (capability, one) in several.items()
    }
    plugin = CAPACITY if any(one.deserved for one in queues.values()) else PROPORTION
    default = WeightedQueue(DEFAULT_QUEUE)
    return VolcanoCluster({DEFAULT_QUEUE: default, **queues}, added(resources_of(node.allocatable) for node in nodes), plugin)


def capabilities(spec: PlatformSpec) -> dict[str, dict[str, int]]:
    """Queue that is not one of Kueue -> what its runs can use together."""
    return {
        name: _amounts(queue.capability)
        for name, queue in spec.queues.items()
        if queue.capability and (queue.create is None or queue.create.kueue is None)
    }


def _cluster_queue(name: str, queue: Queue, spec: PlatformSpec) -> ClusterQueue:
    assert queue.create is not None and queue.create.kueue is not None, "the caller looks for queues of Kueue"
    own = queue.create.kueue
    shares = [(one.name, one.quota) for one in own.flavors] or [(name, queue.capability)]
    flavors = [(_flavor(flavor, spec), _amounts(quota)) for flavor, quota in shares]
    covered = dict.fromkeys(resource for _, quota in flavors for resource in quota)
    whole = [(flavor, {resource: quota.get(resource, 0) for resource in covered}) for flavor, quota in flavors]
    return ClusterQueue(name, whole, own.cohort or "", own.strategy == "StrictFIFO", _preemption(own.preemption))


def _preemption(policy: Tree) -> ClusterQueuePreemption:
    """The rules of a queue. A rule that Kueue does not know evicts nothing; the check of its ClusterQueue reports it."""
    threshold = get(policy, ("borrowWithinCohort", "maxPriorityThreshold"), None)
    return ClusterQueuePreemption(
        str(policy.get("withinClusterQueue", NEVER)),
        str(policy.get("reclaimWithinCohort", NEVER)),
        get(policy, ("borrowWithinCohort", "policy"), None) == LOWER_PRIORITY,
        threshold if isinstance(threshold, int) else None,
    )


def _flavor(name: str, spec: PlatformSpec) -> ResourceFlavor:
    known = spec.flavors.get(name)
    if known is None:
        return ResourceFlavor(name, {}, (), ())
    topology = None
    if known.topology is not None:
        arranged = spec.topologies.get(known.topology)
        topology = FlavorTopology(known.topology, tuple(arranged.levels) if arranged is not None else ())
    return ResourceFlavor(name, known.node_labels, known.node_taints, known.tolerations, topology)


def _amounts(quota: Amounts) -> dict[str, int]:
    return amounts({name: parse(amount) for name, amount in quota.items()})


def pod_sets(demand: Demand) -> list[PodSetRequest]:
    """The pod sets of the Workload of a run."""
    return [
        PodSetRequest(
            one.role,
            len(one.pods),
            one.pods[0].spec,
            {name: amount * len(one.pods) for name, amount in one.pods[0].requests.items()},
            topology_request(get(one.manifest.tree, (*one.path, "metadata", "annotations"), None) or {}),
        )
        for one in demand.sets
    ]


def needs(demand: Demand) -> dict[str, int]:
    """Resource -> amount of all pods of a run."""
    total: dict[str, int] = {}
    for one in pod_sets(demand):
        for name, amount in one.requests.items():
            total[name] = total.get(name, 0) + amount
    return total
