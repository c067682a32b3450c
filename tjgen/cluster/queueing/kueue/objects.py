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


class ResourceFlavor(NamedTuple):
    """A kind of nodes."""

    name: str
    labels: Mapping[str, str]
    taints: Sequence[Tree]
    tolerations: Sequence[Tree]


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


class PodSetRequest(NamedTuple):
    """Pods that Kueue places in one flavor."""

    name: str
    number: int
    spec: Tree
    requests: Mapping[str, int]
    """Resource -> amount of all its pods, as the quota."""


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
