"""What an engine of policies besides the API server is: how its policies become those of Kubernetes."""

from __future__ import annotations

from tjgen.cluster.policies.evaluation import Binding
from tjgen.cluster.policies.policy import CompiledPolicy, PolicyProblem
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Converted(NamedTuple):
    """A policy of another engine that can be evaluated."""

    policy: CompiledPolicy | None
    """None if nothing of it can be evaluated."""
    binding: Binding
    omitted: list[PolicyProblem]
    """What is not evaluated, and why."""


class PolicyEngine(NamedTuple):
    """An engine whose policies have the form of a ValidatingAdmissionPolicy with its binding. Its webhook judges objects."""

    title: str
    """As people write it."""
    command: str
    """Its own command that judges objects without a cluster."""
    convert: Callable[[Tree], Converted]
    """A policy -> the policy and binding with the same effect, and what has no such form."""
