"""`schedule`: who places the pods, in which queue, with what priority."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Alternatives, Count, LabelKey, Quantity, Shape, System, Text


class NetworkTopology(Shape):
    """How close to each other the pods must be placed (Volcano)."""

    mode: Counts[Literal["hard", "soft"]] = "hard"
    """Whether the limit is a condition or a preference."""
    highest_tier_allowed: Counts[Count | None] = None
    """Highest tier of the network that the pods may span."""


class TopologySlice(Shape):
    """Parts of the run that are placed together (Kueue)."""

    level: Counts[LabelKey]
    """Node label: all pods of a slice are placed under one value of it."""
    size: Counts[Count]
    """Pods of a slice."""


class Topology(Shape):
    """Which nodes belong together, by a node label, and how strictly pods are placed by it."""

    alternatives: ClassVar[Alternatives] = (("exclusive",), ("required", "slice"), ("preferred",), ("unconstrained",))
    needed: ClassVar[bool] = True

    exclusive: Counts[LabelKey | None] = None
    """Node label: the run gets all nodes of one value, alone (JobSet)."""
    required: Counts[LabelKey | None] = None
    """Node label: all pods under one value, or the run waits (Kueue)."""
    slice: Counts[TopologySlice | None] = None
    """Parts that are placed together under a lower label (Kueue)."""
    preferred: Counts[LabelKey | None] = None
    """Node label: all pods under one value where that is possible (Kueue)."""
    unconstrained: Counts[Literal[True] | None] = None
    """Pods wherever there is room, but placed by Kueue, which knows the room."""


class Schedule(Shape):
    """Gang scheduling, queue and priority."""

    system: Counts[System | None] = None
    """Who starts the pods together, or lets the run in; the project's where it is left out."""
    queue: Counts[Text | None] = None
    """Queue that the run waits in: of Volcano, or a LocalQueue of Kueue."""
    min_available: Counts[Count | None] = None
    """Pods without which the run does not start; all where it is left out. Not with targets trainjob and jobset."""
    min_resources: Counts[dict[str, Quantity]] = {}
    """What has to be free for the run to start; counted from its pods where it is left out. For jobs of the operators alone."""
    priority_class_name: Counts[Text | None] = None
    """PriorityClass of the pods."""
    workload_priority: Counts[Text | None] = None
    """WorkloadPriorityClass, by which Kueue lets runs in."""
    multi_kueue: Counts[bool] = False
    """Whether Kueue sends the run to another cluster, whose Trainer starts it."""
    timeout_seconds: Counts[Count | None] = None
    """Seconds that coscheduling waits for the whole gang."""
    network_topology: Counts[NetworkTopology | None] = None
    """How close to each other the pods must be placed."""
    topology: Counts[Topology | None] = None
    """Which nodes belong together, for JobSet and Kueue."""
