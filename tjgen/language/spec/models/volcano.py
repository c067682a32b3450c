"""`volcano`: fields of a Volcano Job other than its tasks, for the target volcanojob."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from tjgen.language.spec.models.identity import Counts, Present
from tjgen.language.spec.models.shape import Count, Shape, Text, Whole

Action: TypeAlias = Literal[
    "AbortJob",
    "CompleteJob",
    "RestartJob",
    "RestartPartition",
    "RestartPod",
    "RestartTask",
    "ResumeJob",
    "TerminateJob",
]
"""Actions that Volcano takes (`pkg/apis/bus/v1alpha1`). The API server accepts others for exit codes, and they have no effect."""


class VolcanoPolicy(Shape):
    """Policy of Volcano for an event."""

    short: ClassVar[tuple[str, ...]] = ("action",)

    action: Counts[Action]
    """Action that Volcano takes."""
    timeout: Counts[Text | None] = None
    """Time that Volcano waits before the action, as a Go duration such as 5m or 1h30m."""


class VolcanoTask(Shape):
    """Fields of one task other than its pods."""

    min_available: Counts[Whole | None] = None
    """Minimum number of pods of the task. The default is all."""
    max_retry: Counts[Count | None] = None
    """Number of retries of the task."""
    topology_policy: Counts[Literal["none", "best-effort", "restricted", "single-numa-node"] | None] = None
    """NUMA policy of the pods."""
    policies: Counts[dict[str, VolcanoPolicy | Action]] = {}
    """Action for each event of a pod of the task."""
    exit_codes: Counts[dict[str, VolcanoPolicy | Action]] = {}
    """Action for each exit code of a pod of the task."""


class Volcano(Shape):
    """Fields of a Volcano Job other than its tasks."""

    plugins: Counts[dict[str, Present[list[Text]]]] = {}
    """Plugins and their arguments, in addition to those that the runtime needs."""
    policies: Counts[dict[str, VolcanoPolicy | Action]] = {}
    """Action for each event. It replaces the failure policy of the runtime."""
    exit_codes: Counts[dict[str, VolcanoPolicy | Action]] = {}
    """Action for each exit code of a pod."""
    max_retry: Counts[Count | None] = None
    """Number of starts of the job, the first one included. Each restart of a pod or of the job counts, after evictions too."""
    min_success: Counts[Count | None] = None
    """Number of pods that must succeed to complete the job."""
    ttl_seconds_after_finished: Counts[Whole | None] = None
    """Seconds after the end of the job at which it is deleted."""
    running_estimate: Counts[Text | None] = None
    """Expected duration of the job, as a Go duration such as 2h. It is a hint for the scheduler."""
    tasks: Counts[dict[str, VolcanoTask]] = {}
    """Fields of single tasks, by role."""
