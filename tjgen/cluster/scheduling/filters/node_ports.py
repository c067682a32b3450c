"""Nodes whose ports other pods use (`nodeports/node_ports.go:Filter`)."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection

NAME = "NodePorts"
_REJECTION = Rejection(("node(s) didn't have free ports for the requested pod ports",), is_resolvable=True)
_ANY = "0.0.0.0"  # the address that a port without hostIP has


def check(pod: SchedulingPod, others: Iterable[SchedulingPod]) -> Rejection | None:
    """The rejection of a node whose pods have a port of this pod."""
    used = [port for other in others for port in other.ports]
    return _REJECTION if any(_conflicts(one, port) for one in pod.ports for port in used) else None


def _conflicts(one: tuple[str, str, int], other: tuple[str, str, int]) -> bool:
    """`HostPortInfo.CheckConflict`."""
    return one[1:] == other[1:] and (one[0] == other[0] or _ANY in (one[0], other[0]))
