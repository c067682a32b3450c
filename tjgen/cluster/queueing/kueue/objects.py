"""Queues, flavors and workloads of Kueue, as far as admission depends on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

FlavorResource = tuple[str, str]
"""Name of a flavor, and a resource."""
Quantities = Mapping[FlavorResource, int]
"""Amounts: thousandths of a processor, bytes, or whole devices."""

NEVER, LOWER_PRIORITY, LOWER_OR_NEWER_EQUAL_PRIORITY, ANY = "Never", "LowerPriority", "LowerOrNewerEqualPriority", "Any"


TopologyPath = tuple[str, ...]
"""Values of the labels of a domain, from the highest level."""


class FlavorTopology(NamedTuple):
    """How nodes are arranged."""

    name: str
    levels: Sequence[str]
    """Node labels, from the highest level; empty if they are unknown."""


class TopologyRequest(NamedTuple):
    """Where the pods of a pod set are placed (`PodSetTopologyRequest`)."""

    required: str = ""
    """Label of the level at which one domain takes all pods."""
    preferred: str = ""
    unconstrained: bool | None = None
    slices: tuple[tuple[str, int], ...] = ()
    """Level of the domains that each take whole slices, and the pods of a slice; then smaller slices inside them."""
    group: str = ""
    """Pod sets of one group have one flavor and one domain."""

    @property
    def is_slice_only(self) -> bool:
        """Whether only slices have a level."""
        return bool(self.slices) and not self.required and not self.preferred

    def level(self, levels: Sequence[str]) -> str | None:
        """`levelKey`: the label of the level at which the search begins; None if the request has none."""
        if self.required or self.preferred:
            return self.required or self.preferred
        if self.slices:
            return levels[0]
        return levels[-1] if self.unconstrained else None

    def is_possible(self, levels: Sequence[str]) -> bool:
        """`HasLevel`: whether a topology has all levels of the request."""
        return self.level(levels) in levels and all(label in levels for label, _ in self.slices)


class TopologyAssignment(NamedTuple):
    """The domains of the pods of a pod set."""

    levels: tuple[str, ...]
    domains: tuple[tuple[TopologyPath, int], ...]
    """Path of a domain with these levels, and the number of its pods."""


class DomainUsage(NamedTuple):
    """What pods use of a domain (`TopologyDomainRequests`)."""

    flavor: str
    path: TopologyPath
    number: int
    """Number of pods."""
    requests: Mapping[str, int]
    """Resource -> amount of one pod."""


class ResourceFlavor(NamedTuple):
    """A kind of nodes."""

    name: str
    labels: Mapping[str, str]
    taints: Sequence[Tree]
    tolerations: Sequence[Tree]
    topology: FlavorTopology | None = None
    """How Kueue places the pods; None if kube-scheduler places them."""

    @property
    def has_known_levels(self) -> bool:
        """Whether Kueue places the pods in domains that are known."""
        return self.topology is not None and bool(self.topology.levels)


class ClusterQueuePreemption(NamedTuple):
    """Which workloads the pending workloads of a queue can evict."""

    within_cluster_queue: str = NEVER
    reclaim_within_cohort: str = NEVER
    borrow_within_cohort: bool = False
    """Whether a workload that borrows can evict workloads of other queues (policy LowerPriority)."""
    max_priority_threshold: int | None = None
    """Highest priority of workloads that a workload that borrows can evict."""


class ClusterQueue(NamedTuple):
    """A queue and its quota."""

    name: str
    flavors: Sequence[tuple[ResourceFlavor, Mapping[str, int]]]
    """Flavors in order of preference, each with its quota."""
    cohort: str = ""
    is_strict: bool = False
    """Whether a workload that does not fit keeps later ones from starting (StrictFIFO)."""
    preemption: ClusterQueuePreemption = ClusterQueuePreemption()

    @property
    def is_topology_only(self) -> bool:
        """`IsTASOnly`: whether all flavors have a topology, so that Kueue places all pods."""
        return all(flavor.topology is not None for flavor, _ in self.flavors)


class PodSetRequest(NamedTuple):
    """Pods that Kueue places in one flavor."""

    name: str
    number: int
    spec: Tree
    requests: Mapping[str, int]
    """Resource -> amount of all its pods, as the quota."""
    topology: TopologyRequest | None = None

    @property
    def per_pod(self) -> Mapping[str, int]:
        """Resource -> amount of one pod."""
        return {name: amount // self.number for name, amount in self.requests.items()}


class QueuedWorkload(NamedTuple):
    """A workload of a queue."""

    name: str
    """Unique in the cluster."""
    queue: str
    pod_sets: Sequence[PodSetRequest]
    priority: int = 0
    created: int = 0
    """Time or ordinal of its creation."""


class AdmittedWorkload(NamedTuple):
    """A workload with quota."""

    workload: QueuedWorkload
    usage: Quantities
    reserved: int
    """Time of its reservation."""
    domains: Sequence[DomainUsage] = ()
    """What it uses of topologies."""
