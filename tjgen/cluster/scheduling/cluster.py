"""A cluster at one moment: nodes and the pods on them. A pod -> its node, or the sentence that kube-scheduler writes.

Mirrors one cycle of kube-scheduler 1.36 (`pkg/scheduler/schedule_one.go`) with its default plugins. Among nodes of equal score,
this takes the first one, and the scheduler any. In a cluster of more than 100 nodes, the scheduler compares only a part of those
that the pod fits; this compares all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush

from tjgen.cluster.scheduling.filters import inter_pod_affinity, node_affinity, node_ports, pod_topology_spread
from tjgen.cluster.scheduling.filters.inter_pod_affinity import NamespaceLabels, matches_term
from tjgen.cluster.scheduling.filters.table import check_for_volcano, check_node
from tjgen.cluster.scheduling.filters.volume_binding import Topologies
from tjgen.cluster.scheduling.hyper_nodes import HyperNode
from tjgen.cluster.scheduling.level import Level
from tjgen.cluster.scheduling.node import PODS, Node
from tjgen.cluster.scheduling.pod import PREFERRED, SchedulingPod, terms
from tjgen.cluster.scheduling.scores import scores
from tjgen.cluster.scheduling.verdict import Rejection
from tjgen.trees.canonical import json_text
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import HOSTNAME
from tjgen.trees.typing import NamedTuple

_ABSENT = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
_NO_VICTIMS = Rejection(("No preemption victims found for incoming pod",), is_resolvable=False)
_NO_HELP = "Preemption is not helpful for scheduling"
_NO_NEW_CLAIMS, _STILL = "no new claims to deallocate", "still not schedulable"


class SchedulingAttempt(NamedTuple):
    """The end of one attempt to schedule a pod."""

    node: int | None
    """Position of the node; None if the pod stays pending."""
    message: str = ""
    """The sentence of the event FailedScheduling."""
    equals: tuple[int, ...] = ()
    """Positions of all nodes that the scheduler could choose."""
    preempts: bool = False
    """Whether the removal of pods with a lower priority lets the pod start."""


class ScheduledCluster:
    """Nodes, and the pods on them."""

    def __init__(
        self,
        nodes: Iterable[Node],
        *,
        namespaces: NamespaceLabels | None = None,
        of_claims: Topologies | None = None,
        of_classes: Topologies | None = None,
        hyper_nodes: Sequence[HyperNode] = (),
    ) -> None:
        self.nodes = list(nodes)
        self.hyper_nodes = hyper_nodes
        """The HyperNodes that Volcano's scheduler reads, as `read_hyper_nodes` returns them."""
        self._namespaces = namespaces or {}
        self._of_claims, self._of_classes = of_claims or {}, of_classes or {}
        self._pods: list[list[SchedulingPod]] = [[] for _ in self.nodes]
        self._repelling: list[tuple[int, SchedulingPod]] = []
        self._attracting: list[tuple[int, SchedulingPod]] = []
        self._levels: list[Level] = []
        self._lowest = 2**31
        """A bound of the priorities of all pods on nodes."""
        self._members: dict[Level, list[int]] = {}
        """Level -> positions of its nodes, as a heap."""
        self._by_host: dict[str, list[int]] = {}
        """Host name -> positions of its nodes."""
        kinds: dict[str, Level] = {}
        for position, node in enumerate(self.nodes):
            labels = {key: value for key, value in node.labels.items() if key != HOSTNAME}
            kind = json_text([labels, list(node.taints), node.is_unschedulable, node.allocatable, node.devices])
            level = kinds.setdefault(kind, Level(node, {}, (0, 0), 0))
            self._levels.append(level)
            self._members.setdefault(level, []).append(position)
            self._by_host.setdefault(node.labels.get(HOSTNAME, ""), []).append(position)

    def without_pods(self) -> ScheduledCluster:
        """The same nodes, without pods."""
        return ScheduledCluster(
            self.nodes,
            namespaces=self._namespaces,
            of_claims=self._of_claims,
            of_classes=self._of_classes,
            hyper_nodes=self.hyper_nodes,
        )

    def attempt(self, pod: SchedulingPod, within: Sequence[int] | None = None) -> SchedulingAttempt:
        """Try to schedule the pod on any node, or on one of the positions `within`. The cluster stays as it is."""
        if not self.nodes:
            return SchedulingAttempt(None, _NO_NODES)
        host = (pod.spec.get("nodeSelector") or {}).get(HOSTNAME) if within is None else None
        if host is not None:  # All other nodes are rejected.
            attempt = self.attempt(pod, self._by_host.get(host, ()))
            if attempt.node is not None:
                return attempt
        names = node_affinity.named(pod)
        if names is not None and not names:
            reason = node_affinity.CONFLICT.reasons[0]
            return SchedulingAttempt(None, sentence(len(self.nodes), {}, before=reason, after=self._unhelpful()))
        pulls = self._pull(pod)
        feasible, rejected, absent = self._filtered(pod, names, within, by_node=bool(pulls))
        if feasible:
            values = scores(pod, [level for level, _ in feasible], _attraction(pulls, [level.node for level, _ in feasible]))
            best = max(values)
            equals = sorted(p for (_, positions), score in zip(feasible, values, strict=True) if score == best for p in positions)
            return SchedulingAttempt(equals[0], equals=tuple(equals))
        return self._failed(pod, rejected, absent)

    def volcano_message(self, pod: SchedulingPod, within: Sequence[int] | None = None) -> str:
        """The sentence of Volcano's scheduler about a pod that fits no node, or none of the positions `within`."""
        spread = pod_topology_spread.prepare(pod, self._occupied())
        affinity = self._affinity(pod)
        counts: dict[str, int] = {}
        every = range(len(self.nodes)) if within is None else within
        groups = (
            (members for _, members in self._by_levels(within)) if pod.is_plain and affinity is None else ([p] for p in every)
        )
        for members in groups:
            level = self._levels[members[0]]
            rejection = check_for_volcano(pod, self.nodes[members[0]], level.used, level.pods)
            rejection = rejection or self._by_node(pod, members[0], spread, affinity)
            for reason in rejection.reasons if rejection is not None else ():
                counts[reason] = counts.get(reason, 0) + len(members)
        reasons = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
        return f"0/{len(every)} nodes are unavailable: {reasons}."

    def place(self, pod: SchedulingPod, position: int) -> None:
        """Put the pod on the node."""
        self._move(position, self._levels[position].with_pod(pod))
        self._pods[position].append(pod)
        self._lowest = min(self._lowest, pod.priority)
        if terms(pod, "podAntiAffinity"):
            self._repelling.append((position, pod))
        if _attracts(pod):
            self._attracting.append((position, pod))

    def remove(self, pod: SchedulingPod, position: int) -> None:
        """Take the pod off the node."""
        self._move(position, self._levels[position].with_pod(pod, -1))
        self._pods[position].remove(pod)
        if terms(pod, "podAntiAffinity"):
            self._repelling.remove((position, pod))
        if _attracts(pod):
            self._attracting.remove((position, pod))

    def used(self, within: Sequence[int] | None = None) -> dict[str, int]:
        """What the pods on all nodes request, or on those of the positions `within`, with the resource `pods`."""
        total: dict[str, int] = {}
        for level, members in self._by_levels(within):
            for name, amount in (*level.used.items(), (PODS, level.pods)):
                total[name] = total.get(name, 0) + amount * len(members)
        return total

    def pods(self, position: int) -> Sequence[SchedulingPod]:
        """The pods on a node."""
        return self._pods[position]

    def _move(self, position: int, level: Level) -> None:
        members = self._members[self._levels[position]]
        if members[0] == position:
            heappop(members)
        else:
            members.remove(position)
            members.sort()  # a sorted list is a heap
        if not members:
            del self._members[self._levels[position]]
        self._levels[position] = level
        heappush(self._members.setdefault(level, []), position)

    def _by_levels(self, within: Sequence[int] | None) -> Iterable[tuple[Level, list[int]]]:
        """The levels with the positions of their nodes, or with those of `within`."""
        if within is None:
            return self._members.items()
        several: dict[Level, list[int]] = {}
        for position in within:
            several.setdefault(self._levels[position], []).append(position)
        return several.items()

    def _filtered(
        self, pod: SchedulingPod, names: set[str] | None, within: Sequence[int] | None, *, by_node: bool
    ) -> tuple[list[tuple[Level, list[int]]], list[tuple[Rejection, list[int]]], int]:
        """The nodes that pass, those that do not, and the number of those that no filter sees."""
        affinity = self._affinity(pod)
        if pod.is_plain and affinity is None and not by_node:
            feasible, rejected = [], []
            for level, members in self._by_levels(within):
                rejection = self._by_level(pod, level)
                if rejection is None:
                    feasible.append((level, members))
                else:
                    rejected.append((rejection, members))
            return feasible, rejected, 0
        every = range(len(self.nodes)) if within is None else within
        seen = [p for p in every if names is None or self.nodes[p].name in names]
        spread = pod_topology_spread.prepare(pod, self._occupied())
        feasible, rejected = [], []
        for position in seen:
            rejection = self._by_node(pod, position, spread, affinity)
            if rejection is None:
                level = self._levels[position]
                own = Level(self.nodes[position], level.used, level.scored, level.pods)
                feasible.append((own, [position]))
            else:
                rejected.append((rejection, [position]))
        return feasible, rejected, len(every) - len(seen)

    def _affinity(self, pod: SchedulingPod) -> inter_pod_affinity.AffinityState | None:
        if not self._repelling and pod.is_plain:
            return None
        around = [] if pod.is_plain else self._occupied()
        repelling = [(self.nodes[p], other) for p, other in self._repelling]
        return inter_pod_affinity.prepare(pod, around, repelling, self._namespaces)

    def _pull(self, pod: SchedulingPod) -> Pull:
        if not self._attracting and pod.is_plain:
            return {}
        around = [] if pod.is_plain else self._occupied()
        return _pull(pod, around, [(self.nodes[p], other) for p, other in self._attracting], self._namespaces)

    def _occupied(self) -> list[tuple[Node, list[SchedulingPod]]]:
        """Each node with the pods on it."""
        return list(zip(self.nodes, self._pods, strict=True))

    def _by_level(self, pod: SchedulingPod, level: Level) -> Rejection | None:
        return level.before_ports(pod) or level.after_ports(pod, self._of_claims, self._of_classes) or level.devices(pod)

    def _by_node(
        self,
        pod: SchedulingPod,
        position: int,
        spread: Sequence[pod_topology_spread.Constraint],
        affinity: inter_pod_affinity.AffinityState | None,
    ) -> Rejection | None:
        node, level = self.nodes[position], self._levels[position]
        return (
            check_node(pod, node)
            or (node_ports.check(pod, self._pods[position]) if pod.ports else None)
            or level.after_ports(pod, self._of_claims, self._of_classes)
            or pod_topology_spread.check(spread, node)
            or (inter_pod_affinity.check(affinity, node) if affinity is not None else None)
            or level.devices(pod)
        )

    def _failed(self, pod: SchedulingPod, rejected: Sequence[tuple[Rejection, list[int]]], absent: int) -> SchedulingAttempt:
        counts: dict[str, int] = {_ABSENT: absent} if absent else {}
        for rejection, members in rejected:
            for reason in rejection.reasons:
                counts[reason] = counts.get(reason, 0) + len(members)
        after = self._preemption(pod, [p for rejection, members in rejected if rejection.is_resolvable for p in members])
        return SchedulingAttempt(None, sentence(len(self.nodes), counts, after=after or ""), preempts=after is None)

    def _preemption(self, pod: SchedulingPod, positions: Sequence[int]) -> str | None:
        """The sentences of DynamicResources and DefaultPreemption (`PostFilter`); None if there are pods to remove."""
        first = _NO_NEW_CLAIMS if not pod.spec.get("resourceClaims") else _STILL
        if pod.spec.get("preemptionPolicy") == "Never":
            return f"{first}, preemption: not eligible due to preemptionPolicy=Never."
        counts: dict[str, int] = {}
        if positions and pod.priority <= self._lowest:
            counts = {_NO_VICTIMS.reasons[0]: len(positions)}
        for position in positions if not counts else ():
            rejection = self._without_victims(pod, position)
            if rejection is None:
                return None
            for reason in rejection.reasons:
                counts[reason] = counts.get(reason, 0) + 1
        if len(positions) < len(self.nodes):
            counts[_NO_HELP] = len(self.nodes) - len(positions)
        return f"{first}, preemption: {sentence(len(self.nodes), counts)}"

    def _without_victims(self, pod: SchedulingPod, position: int) -> Rejection | None:
        """Why the pod does not fit even without the pods of lower priority (`SelectVictimsOnNode`)."""
        victims = [other for other in self._pods[position] if other.priority < pod.priority]
        if not victims:
            return _NO_VICTIMS
        for victim in victims:
            self.remove(victim, position)
        spread = pod_topology_spread.prepare(pod, self._occupied())
        rejection = self._by_node(pod, position, spread, self._affinity(pod))
        for victim in victims:
            self.place(victim, position)
        return rejection

    def _unhelpful(self) -> str:
        return f"preemption: {sentence(len(self.nodes), {_NO_HELP: len(self.nodes)})}"


# Affinities between pods that are preferred, or required by pods that run -> which nodes attract a pod.
#
# Mirrors `interpodaffinity/scoring.go` of kubernetes 1.36 (`processExistingPod`, `NormalizeScore`).

_MOST = 100
_KINDS = (("podAffinity", 1), ("podAntiAffinity", -1))

Pull = Mapping[tuple[str, str], int]
"""Label and value of nodes -> their attraction."""


def _attracts(pod: SchedulingPod) -> bool:
    """Whether the pod, once it runs, makes nodes better or worse for others."""
    return bool(terms(pod, "podAffinity")) or any(_preferred(pod, kind) for kind, _ in _KINDS)


def _pull(
    pod: SchedulingPod,
    nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]],
    attracting: Sequence[tuple[Node, SchedulingPod]],
    namespaces: NamespaceLabels,
) -> Pull:
    """The attraction of labels for the pod. `attracting` are the pods that attract others, and their nodes."""
    weights: dict[tuple[str, str], int] = {}
    own = any(_preferred(pod, kind) for kind, _ in _KINDS)
    for node, term, weight in (*_of_pod(pod, nodes if own else (), namespaces), *_of_others(pod, attracting, namespaces)):
        pair = (term["topologyKey"], node.labels.get(term["topologyKey"], ""))
        if pair[1]:
            weights[pair] = weights.get(pair, 0) + weight
    return weights


def _of_pod(
    pod: SchedulingPod, nodes: Sequence[tuple[Node, Sequence[SchedulingPod]]], namespaces: NamespaceLabels
) -> Iterator[tuple[Node, Tree, int]]:
    for node, others in nodes:
        for other in others:
            for kind, sign in _KINDS:
                for one in _preferred(pod, kind):
                    if matches_term(one["podAffinityTerm"], pod, other, namespaces):
                        yield node, one["podAffinityTerm"], sign * int(one["weight"])


def _of_others(
    pod: SchedulingPod, attracting: Sequence[tuple[Node, SchedulingPod]], namespaces: NamespaceLabels
) -> Iterator[tuple[Node, Tree, int]]:
    for node, other in attracting:
        for term in terms(other, "podAffinity"):
            if matches_term(term, other, pod, namespaces):
                yield node, term, 1  # hardPodAffinityWeight
        for kind, sign in _KINDS:
            for one in _preferred(other, kind):
                if matches_term(one["podAffinityTerm"], other, pod, namespaces):
                    yield node, one["podAffinityTerm"], sign * int(one["weight"])


def _preferred(pod: SchedulingPod, kind: str) -> list[Tree]:
    return get(pod.spec, ("affinity", kind, PREFERRED), None) or []


def _attraction(pulls: Pull, nodes: Sequence[Node]) -> list[int]:
    """The score of each node, in the same order."""
    if not pulls:
        return [0] * len(nodes)
    weights = [sum(pulls.get(pair, 0) for pair in node.labels.items()) for node in nodes]
    least, most = min(weights), max(weights)
    return [int(_MOST * ((one - least) / (most - least))) if most > least else 0 for one in weights]


# Reasons and the number of nodes with each -> the sentence of the event FailedScheduling.

_NO_NODES = "no nodes available to schedule pods"


def sentence(nodes: int, counts: Mapping[str, int], *, before: str = "", after: str = "") -> str:
    """The sentence, as `framework.FitError.Error`: reasons sort as text, their numbers included.

    `before` is the reason of a check before all filters, `after` the result of preemption.
    """
    text = f"0/{nodes} nodes are available:"
    if before:
        text += f" {before}."
    elif counts:
        text += f" {', '.join(sorted(f'{count} {reason}' for reason, count in counts.items()))}."
    return f"{text} {after}" if after else text
