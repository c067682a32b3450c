"""`volcano`: fields of a Volcano Job other than its tasks, for the target volcanojob."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.identity import Counts, Present
from tjgen.language.spec.models.shape import Count, Shape, Text, Whole


class VolcanoPolicy(Shape):
    """Policy of Volcano for an event."""

    short: ClassVar[tuple[str, ...]] = ("action",)

    action: Counts[Text]
    """Action, such as RestartJob, RestartTask, AbortJob or CompleteJob."""
    timeout: Counts[Text | None] = None
    """Time that Volcano waits before the action, such as 5m."""


class VolcanoTask(Shape):
    """Fields of one task other than its pods."""

    min_available: Counts[Whole | None] = None
    """Minimum number of pods of the task. The default is all."""
    max_retry: Counts[Count | None] = None
    """Number of retries of the task."""
    topology_policy: Counts[Literal["none", "best-effort", "restricted", "single-numa-node"] | None] = None
    """NUMA policy of the pods."""
    policies: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """Action for each event of a pod of the task."""
    exit_codes: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """Action for each exit code of a pod of the task."""


class Volcano(Shape):
    """Fields of a Volcano Job other than its tasks."""

    plugins: Counts[dict[str, Present[list[Text]]]] = {}
    """Plugins and their arguments, in addition to those that the runtime needs."""
    policies: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """Action for each event. It replaces the failure policy of the runtime."""
    exit_codes: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """Action for each exit code of a pod."""
    max_retry: Counts[Count | None] = None
    """Number of retries of the job."""
    min_success: Counts[Count | None] = None
    """Number of pods that must succeed to complete the job."""
    ttl_seconds_after_finished: Counts[Whole | None] = None
    """Seconds after the end of the job at which it is deleted."""
    running_estimate: Counts[Text | None] = None
    """Expected duration of the job, such as 2h: a hint for the scheduler."""
    tasks: Counts[dict[str, VolcanoTask]] = {}
    """Fields of single tasks, by role."""
