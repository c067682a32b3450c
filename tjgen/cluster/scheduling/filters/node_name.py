"""Nodes other than the one that the pod names (`nodename/node_name.go:Filter`)."""

from __future__ import annotations

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection

NAME = "NodeName"
_REJECTION = Rejection(("node(s) didn't match the requested node name",), is_resolvable=False)


def check(pod: SchedulingPod, node: Node) -> Rejection | None:
    """The rejection of a node that is not the named one."""
    return _REJECTION if pod.spec.get("nodeName") and pod.spec["nodeName"] != node.name else None
