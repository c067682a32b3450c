"""`restart`, `elastic`, `success`, `cleanup`: what happens when part of a run fails, comes, goes or ends."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from tjgen.language.spec.models.identity import Counts
from tjgen.language.spec.models.shape import Alternatives, Count, Shape, Subtree, Text, Whole, expects

ExitCode: TypeAlias = Annotated[int, Field(ge=1, le=255), expects("write an exit code between 1 and 255")]


class FailureRule(Shape):
    """One kind of failure, and what is done about it."""

    alternatives: ClassVar[Alternatives] = (("exitCodes",), ("disruption",))
    needed: ClassVar[bool] = True

    exit_codes: Counts[list[ExitCode] | None] = None
    """Exit codes of the main container that the rule is for."""
    disruption: Counts[Literal[True] | None] = None
    """The rule is for pods that were evicted, preempted or lost with their node."""
    action: Counts[Literal["fail", "count", "ignore"]]
    """`fail` ends the run, `count` starts it again and counts that, `ignore` starts it again without counting."""


class Restart(Shape):
    """What is started again after a failure, and how often."""

    policy: Counts[Literal["Never", "OnFailure", "Always", "ExitCode"] | None] = None
    """Whether a failed container starts again in its pod; ExitCode (jobs of the Training Operator): from 128 on."""
    limit: Counts[Whole | None] = None
    """How often a failure is followed by another start, before the run has failed."""
    rules: Counts[dict[str, FailureRule]] = {}
    """Kinds of failures that are treated otherwise, by a name of your choice; disruptions go before exit codes."""


class Elastic(Shape):
    """How far the number of nodes may change while the run goes on (PyTorchJob)."""

    min: Counts[Count]
    """Fewest nodes with which training goes on."""
    max: Counts[Count]
    """Most nodes."""
    restarts: Counts[Whole | None] = None
    """How often the group of processes may form anew."""
    metrics: Counts[list[Subtree]] = []
    """What the number of nodes follows (autoscaling/v2 MetricSpec); nothing changes it where there is none."""


class Success(Shape):
    """When the run has succeeded; the runtime's or the operator's rule where it is left out."""

    roles: Counts[list[Text]] = []
    """Roles that have to succeed; all where none is named."""
    operator: Counts[Literal["All", "Any"]] = "All"
    """Whether all of them have to, or one."""


class Cleanup(Shape):
    """What stays of a run that has ended."""

    pods: Counts[Literal["All", "Running", "None"] | None] = None
    """Which pods are removed when the run has ended (jobs of the Training Operator and MPI Operator)."""
    ttl_seconds: Counts[Whole | None] = None
    """Seconds after the end at which the run's jobs and pods are removed."""
