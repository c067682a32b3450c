"""`restart`, `elastic`, `success`, `cleanup`: what happens when parts of a run fail, change or end."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Alternatives, Count, Shape, Subtree, Text, Whole, expects

ExitCode: TypeAlias = Annotated[int, Field(ge=1, le=255), expects("write an exit code between 1 and 255")]


class FailureRule(Shape):
    """One kind of failure, and the action to take."""

    alternatives: ClassVar[Alternatives] = (("exitCodes",), ("disruption",))
    needed: ClassVar[bool] = True

    exit_codes: Counts[list[ExitCode] | None] = None
    """Exit codes of the main container that the rule matches."""
    disruption: Counts[Literal[True] | None] = None
    """Whether the rule matches pods that were evicted, preempted or lost with their node."""
    action: Counts[Literal["fail", "count", "ignore"]]
    """`fail` ends the run, `count` restarts it and counts, `ignore` restarts it without counting."""


class Restart(Shape):
    """Pods to restart after a failure, and the number of restarts."""

    policy: Counts[Literal["Never", "OnFailure", "Always", "ExitCode"] | None] = None
    """Whether a failed container restarts in its pod. ExitCode (Training Operator) restarts for codes of 128 and above."""
    limit: Counts[Whole | None] = None
    """Number of restarts before the run fails: of all pods together, or of each pod where pods restart alone."""
    rules: Counts[dict[str, FailureRule]] = {}
    """Rules for kinds of failures, by a name of your choice. Disruptions match before exit codes."""


class Elastic(Shape):
    """The range in which the number of nodes can change during the run (PyTorchJob, Volcano Job of torchrun)."""

    min: Counts[Count]
    """Minimum number of nodes. A Volcano Job starts as soon as they fit."""
    max: Counts[Count]
    """Maximum number of nodes."""
    restarts: Counts[Whole | None] = None
    """Number of times that the group of processes can form again."""
    metrics: Counts[list[Subtree]] = []
    """Metrics for autoscaling (autoscaling/v2 MetricSpec). Only a PyTorchJob has an autoscaler."""


class Success(Shape):
    """When the run counts as succeeded. The default is the rule of the runtime or operator."""

    roles: Counts[list[Text]] = []
    """Roles that must succeed. The default is all."""
    operator: Counts[Literal["All", "Any"]] = "All"
    """Whether all of these roles must succeed, or one."""


class Cleanup(Shape):
    """Objects of a finished run to keep."""

    pods: Counts[Literal["All", "Running", "None"] | None] = None
    """Pods to delete when the run has ended (Training Operator and MPI Operator)."""
    ttl_seconds: Counts[Whole | None] = None
    """Seconds after the end of the run at which its jobs and pods are deleted. Refused for a TrainJob: it would start again."""
