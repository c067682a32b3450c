"""What a filter answers about a pod and a node."""

from __future__ import annotations

from tjgen.trees.typing import NamedTuple


class Rejection(NamedTuple):
    """Why a pod cannot run on a node, in the words of the scheduler."""

    reasons: tuple[str, ...]
    is_resolvable: bool
    """Whether the removal of pods from the node could help (`Unschedulable`, not `UnschedulableAndUnresolvable`)."""
