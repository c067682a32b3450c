"""Nodes without the resources that the pod requests (`noderesources/fit.go:fitsRequest`)."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.scheduling.node import PODS, Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection

NAME = "NodeResourcesFit"


def check(pod: SchedulingPod, node: Node, used: Mapping[str, int], pods: int) -> Rejection | None:
    """The rejection of a node with `pods` pods that use `used`, with every resource that it lacks."""
    reasons = ["Too many pods"] if pods + 1 > node.allocatable.get(PODS, 0) else []
    is_resolvable = True
    for resource, amount in pod.requests.items():
        capacity = node.allocatable.get(resource, 0)
        if amount > capacity - used.get(resource, 0):
            reasons.append(f"Insufficient {resource}")
            is_resolvable = is_resolvable and amount <= capacity
    return Rejection(tuple(reasons), is_resolvable) if reasons else None
