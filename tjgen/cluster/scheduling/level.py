"""Nodes that are equal to plain pods, and what the scheduler answers about them, which is computed once."""

from __future__ import annotations

from tjgen.cluster.scheduling.filters import dynamic_resources, node_resources_fit, volume_binding
from tjgen.cluster.scheduling.filters.dynamic_resources import PREFIX
from tjgen.cluster.scheduling.filters.table import check_node
from tjgen.cluster.scheduling.filters.volume_binding import Topologies
from tjgen.cluster.scheduling.node import Node
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.cluster.scheduling.verdict import Rejection


class Level:
    """Nodes with equal labels, taints and resources, on which pods use the same amounts."""

    __slots__ = ("_after", "_late", "_static", "node", "pods", "scored", "scores", "used")

    def __init__(self, node: Node, used: dict[str, int], scored: tuple[int, int], pods: int) -> None:
        self.node = node
        """One of the nodes."""
        self.used = used
        self.scored = scored
        """Thousandths of a processor and bytes that scores count."""
        self.pods = pods
        self.scores: dict[str, int] = {}
        """Kind of a pod -> the scores of its resources (see scores.py)."""
        self._static: dict[str, Rejection | None] = {}
        self._late: dict[str, Rejection | None] = {}
        self._after: dict[tuple[str, int], Level] = {}

    def before_ports(self, pod: SchedulingPod) -> Rejection | None:
        """The answer of the filters before NodePorts."""
        if pod.kind not in self._static:
            self._static[pod.kind] = check_node(pod, self.node)
        return self._static[pod.kind]

    def after_ports(self, pod: SchedulingPod, of_claims: Topologies, of_classes: Topologies) -> Rejection | None:
        """The answer of the filters between NodePorts and PodTopologySpread."""
        if pod.kind not in self._late:
            rejection = node_resources_fit.check(pod, self.node, self.used, self.pods)
            if rejection is None and pod.spec.get("volumes"):
                rejection = volume_binding.check(pod, self.node, of_claims, of_classes)
            self._late[pod.kind] = rejection
        return self._late[pod.kind]

    def devices(self, pod: SchedulingPod) -> Rejection | None:
        """The answer of the last filter."""
        return dynamic_resources.check(pod, self.node, self.used) if pod.devices else None

    def with_pod(self, pod: SchedulingPod, sign: int = 1) -> Level:
        """The level with one pod more, or with one less for sign -1."""
        known = self._after.get((pod.kind, sign))
        if known is None:
            used = dict(self.used)
            for name, amount in (*pod.requests.items(), *((PREFIX + name, count) for name, count in pod.devices.items())):
                used[name] = used.get(name, 0) + sign * amount
            scored = (self.scored[0] + sign * pod.scored[0], self.scored[1] + sign * pod.scored[1])
            known = self._after[pod.kind, sign] = Level(self.node, used, scored, self.pods + sign)
        return known
