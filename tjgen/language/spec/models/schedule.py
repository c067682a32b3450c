"""`schedule`: scheduler, queue and priority of the pods."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.identity import Counts, Present
from tjgen.language.spec.models.shape import Alternatives, Count, LabelKey, Quantity, Shape, System, Text


class NetworkTopology(Shape):
    """How close to each other Volcano places the pods."""

    mode: Counts[Literal["hard", "soft"]] = "hard"
    """Whether the limit is required or preferred."""
    highest_tier_allowed: Counts[Count | None] = None
    """Highest network tier that the pods can span."""


class TopologySlice(Shape):
    """Parts of the run that are placed together (Kueue)."""

    level: Counts[LabelKey]
    """Node label: all pods of a slice are placed under one value of it."""
    size: Counts[Count]
    """Pods of a slice."""


class Topology(Shape):
    """Placement of pods by node labels, for JobSet and Kueue."""

    alternatives: ClassVar[Alternatives] = (("exclusive",), ("required", "slice"), ("preferred",), ("unconstrained",))
    needed: ClassVar[bool] = True

    exclusive: Counts[LabelKey | None] = None
    """Node label: the run gets exclusive use of all nodes with one value (JobSet)."""
    required: Counts[LabelKey | None] = None
    """Node label: all pods run under one value, or the run waits (Kueue)."""
    slice: Counts[TopologySlice | None] = None
    """Parts that are placed together under a lower label (Kueue)."""
    preferred: Counts[LabelKey | None] = None
    """Node label: all pods run under one value if possible (Kueue)."""
    unconstrained: Counts[Literal[True] | None] = None
    """Kueue places the pods on any nodes with free capacity."""


class Schedule(Shape):
    """Gang scheduling, queue and priority."""

    system: Counts[System | None] = None
    """System that schedules the gang or admits the run. The default is that of the project."""
    queue: Counts[Text | None] = None
    """Queue of the run: a Volcano Queue, or a Kueue LocalQueue."""
    min_available: Counts[Count | None] = None
    """Minimum number of pods to start the run. The default is all. Not for the targets trainjob and jobset."""
    min_resources: Counts[dict[str, Quantity]] = {}
    """Resources that must be free to start the run. The default is the sum over its pods. Only for jobs of the operators."""
    priority_class_name: Counts[Text | None] = None
    """PriorityClass of the pods."""
    workload_priority: Counts[Text | None] = None
    """Kueue WorkloadPriorityClass of the run."""
    multi_kueue: Counts[bool] = False
    """Whether Kueue dispatches the run to another cluster (MultiKueue)."""
    timeout_seconds: Counts[Count | None] = None
    """Time that coscheduling waits for the whole gang, in seconds."""
    network_topology: Present[NetworkTopology | None] = None
    """How close to each other Volcano places the pods."""
    topology: Counts[Topology | None] = None
    """Placement of pods by node labels, for JobSet and Kueue."""
