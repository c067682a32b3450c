"""`schedule`: who places the pods, in which queue, with what priority."""

from __future__ import annotations

from typing import Literal

from tjgen.spec.models.shape import Count, Shape, System, Text


class NetworkTopology(Shape):
    """How close to each other the pods must be placed (Volcano)."""

    mode: Literal["hard", "soft"] = "hard"
    """Whether the limit is a condition or a preference."""
    highest_tier_allowed: Count | None = None
    """Highest tier of the network that the pods may span."""


class Schedule(Shape):
    """Gang scheduling, queue and priority."""

    system: System | None = None
    """Gang scheduler; the project's where it is left out."""
    queue: Text | None = None
    """Queue that the run waits in."""
    priority_class_name: Text | None = None
    """PriorityClass of the pods."""
    timeout_seconds: Count | None = None
    """Seconds that coscheduling waits for the whole gang."""
    network_topology: NetworkTopology | None = None
    """How close to each other the pods must be placed."""
