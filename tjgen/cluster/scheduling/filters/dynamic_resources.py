"""Nodes without the devices that the claims of the pod request (`dynamicresources.go:Filter`), counted by DeviceClass.

Only the cluster has the attributes of devices, and claims that several pods share.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection

NAME = "DynamicResources"
PREFIX = "deviceclass:"
"""What the names of device classes have among the used resources of a node."""
_REJECTION = Rejection(("cannot allocate all claims",), is_resolvable=False)


def check(pod: SchedulingPod, node: Node, used: Mapping[str, int]) -> Rejection | None:
    """The rejection of a node with too few free devices of a class."""
    for name, count in pod.devices.items():
        if count > node.devices.get(name, 0) - used.get(PREFIX + name, 0):
            return _REJECTION
    return None
