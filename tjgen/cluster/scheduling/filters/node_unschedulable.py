"""Nodes that are cordoned (`nodeunschedulable/node_unschedulable.go:Filter`)."""

from __future__ import annotations

from tjgen.cluster.scheduling.filters.taint_toleration import is_tolerated
from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection

NAME = "NodeUnschedulable"
_TAINT = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_REJECTION = Rejection(("node(s) were unschedulable",), is_resolvable=False)


def check(pod: SchedulingPod, node: Node) -> Rejection | None:
    """The rejection of a cordoned node, unless the pod tolerates its taint."""
    if not node.is_unschedulable or is_tolerated(_TAINT, pod.spec.get("tolerations") or ()):
        return None
    return _REJECTION
