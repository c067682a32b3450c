"""Queues and jobs, as Volcano's scheduler reads them."""

from __future__ import annotations

from tjgen.cluster.queueing.volcano.resources import NOTHING, Resources
from tjgen.trees.typing import NamedTuple

PROPORTION, CAPACITY = "proportion", "capacity"
DEFAULT_QUEUE, ROOT = "default", "root"
"""Queues that Volcano creates: that of groups that name none, and the parent of the others."""


class WeightedQueue(NamedTuple):
    """A Queue."""

    name: str
    weight: int = 1
    priority: int = 0
    capability: Resources = NOTHING
    """What its jobs can use together; a resource that is missing has no limit."""
    deserved: Resources = NOTHING
    """What the plugin capacity reads instead of the weight."""
    guarantee: Resources = NOTHING
    """What is reserved for the queue."""


class VolcanoCluster(NamedTuple):
    """The queues and nodes of a cluster."""

    queues: dict[str, WeightedQueue]
    total: Resources
    """What all nodes can allocate."""
    plugin: str = PROPORTION
    """The plugin of the scheduler that divides the nodes among the queues: PROPORTION or CAPACITY."""


class VolcanoJob(NamedTuple):
    """A PodGroup with its pods."""

    name: str
    queue: str
    priority: int
    created: int
    requests: Resources
    """What all pods request, with the resource `pods`."""
    min_resources: Resources
    has_pods: bool = True
    """Whether its pods exist before the group is Inqueue: those of a Volcano Job do not."""
