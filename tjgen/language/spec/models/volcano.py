"""`volcano`: what a Volcano Job says beside its tasks, with target volcanojob."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.identity import Counts, Present
from tjgen.language.spec.models.shape import Count, Shape, Text, Whole


class VolcanoPolicy(Shape):
    """What Volcano does when something happens."""

    short: ClassVar[tuple[str, ...]] = ("action",)

    action: Counts[Text]
    """What is done, such as RestartJob, RestartTask, AbortJob or CompleteJob."""
    timeout: Counts[Text | None] = None
    """How long Volcano waits before it does so, such as 5m."""


class VolcanoTask(Shape):
    """What one task says beside its pods."""

    min_available: Counts[Whole | None] = None
    """Pods of the task without which the job does not run; all where it is left out."""
    max_retry: Counts[Count | None] = None
    """How often the task is retried."""
    topology_policy: Counts[Literal["none", "best-effort", "restricted", "single-numa-node"] | None] = None
    """How strictly pods get CPUs and devices of one NUMA node."""
    policies: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """What is done when something happens to a pod of the task, by event."""
    exit_codes: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """What is done when a pod of the task ends with a code, by the code."""


class Volcano(Shape):
    """What a Volcano Job says beside its tasks."""

    plugins: Counts[dict[str, Present[list[Text]]]] = {}
    """Plugins and their arguments, beside those that the runtime needs; for one of those, its arguments."""
    policies: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """What is done when something happens, by event; in place of what the runtime's failure policy comes to."""
    exit_codes: Counts[dict[str, VolcanoPolicy | Text]] = {}
    """What is done when a pod ends with a code, by the code."""
    max_retry: Counts[Count | None] = None
    """How often the job is started again."""
    min_success: Counts[Count | None] = None
    """Pods that have to succeed for the job to be completed."""
    ttl_seconds_after_finished: Counts[Whole | None] = None
    """Seconds after which a job that has ended is removed."""
    running_estimate: Counts[Text | None] = None
    """How long the job is expected to run, such as 2h: a hint for the scheduler."""
    tasks: Counts[dict[str, VolcanoTask]] = {}
    """What single tasks say, by role."""
