"""The pods of a run, and a cluster -> where they go, or which of them stays pending.

The scheduler tries the pods one after the other: those of an earlier role first, as their controller creates them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tjgen.cluster.controllers.jobset_pods import DOMAIN_OF
from tjgen.cluster.queueing.volcano.resources import Resources, added, is_within, resources_of
from tjgen.cluster.scheduling.cluster import ScheduledCluster, SchedulingAttempt
from tjgen.cluster.scheduling.hyper_nodes import TOP, HyperNode
from tjgen.cluster.scheduling.node import CPU, MEMORY
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.compiler.fit.demand import Demand, DemandSet
from tjgen.trees.typing import NamedTuple

Placed = tuple[tuple[SchedulingPod, int], ...]
"""Pods and the positions of their nodes."""


class Shortfall(NamedTuple):
    """How far a scheduler comes with a run that does not fit."""

    schedulable: int
    """Pods that have a node."""
    position: int
    """Position of the pod that fits no node, among the pods of all sets."""
    sentence: str
    """What the scheduler writes about that pod; empty if it does not try to place it."""


class Placement(NamedTuple):
    """The result for one run."""

    placed: Placed
    pending: SchedulingPod | None
    """The first pod that stays pending."""
    pending_set: DemandSet | None
    attempt: SchedulingAttempt | None
    hyper_node: str = ""
    """HyperNode of Volcano in which the pods are; empty if no topology selects one."""
    schedulable: int = 0
    """Pods with a node in the HyperNode that takes most of them, if the run has a network topology and fits none."""

    @property
    def fits(self) -> bool:
        """Whether all pods have a node."""
        return self.pending is None

    @property
    def message(self) -> str:
        """The sentence of the scheduler about the pod that stays pending; empty if all fit."""
        return self.attempt.message if self.attempt is not None else ""

    @property
    def shortfall(self) -> Shortfall:
        """How far the scheduler came."""
        return Shortfall(max(self.schedulable, len(self.placed)), len(self.placed), self.message)

    def starts(self, demand: Demand) -> bool:
        """Whether the run starts: all of its pods have a node, or as many as its gang needs."""
        return self.fits or bool(demand.gang and len(self.placed) >= demand.least)


NOT_TRIED = Placement((), None, None, None)


def place(demand: Demand, cluster: ScheduledCluster) -> Placement:
    """Place the pods that exist together. The cluster keeps them, also if one of them stays pending.

    A role whose pods are created after others are complete gets the nodes that those leave. A cluster without nodes is one
    whose nodes are unknown: all pods fit.
    """
    if not cluster.nodes:
        return NOT_TRIED
    if demand.highest_tier is None or not cluster.hyper_nodes or not demand.sets:
        return _place(demand, cluster)
    return _place_in_hyper_node(demand, cluster)


def _place_in_hyper_node(demand: Demand, cluster: ScheduledCluster) -> Placement:
    """Place the pods in the fullest HyperNode of the lowest tier in which they fit (`allocateForJob`).

    Among HyperNodes of equal score, Volcano takes any, and this takes the first.
    """
    first = demand.sets[0]
    failed = Placement((), first.pods[0], first, SchedulingAttempt(None))
    schedulable = 0
    for group in candidates(demand, cluster):
        tried = []
        for one in group:
            placement = _place(demand, cluster, one)
            remove(placement.placed, cluster)
            tried.append((one, placement))
        fitting = [one for one, placement in tried if placement.starts(demand)]
        if fitting:
            best = max(fitting, key=lambda one: _packing(one, demand, cluster))
            return _place(demand, cluster, best)._replace(hyper_node="" if best.name == TOP else best.name)
        last = max(one.depth for one, _ in tried)
        failed = max((placement for one, placement in tried if one.depth == last), key=lambda placement: len(placement.placed))
        schedulable = max(schedulable, *(len(placement.placed) for _, placement in tried))
    for pod, position in failed.placed:
        cluster.place(pod, position)
    return failed._replace(schedulable=schedulable)


def _place(demand: Demand, cluster: ScheduledCluster, hyper_node: HyperNode | None = None) -> Placement:
    """Place the pods on any nodes, or on those of a HyperNode."""
    within = hyper_node.nodes if hyper_node is not None else None
    placed: list[tuple[SchedulingPod, int]] = []
    hosts: dict[str, int] = {}
    for number, stage in enumerate(_stages(demand)):
        if number:
            remove(placed, cluster)
            placed = []
        current: list[tuple[SchedulingPod, int]] = []
        for one in stage:
            for pod in one.pods:
                resolved = _resolved(pod, hosts, cluster)
                attempt = cluster.attempt(resolved, within)
                if attempt.node is None:
                    if demand.volcano is not None:
                        message = cluster.volcano_message(resolved, within)
                        attempt = attempt._replace(message=_sentence_in(hyper_node, message) if hyper_node else message)
                    return Placement((*placed, *current), resolved, one, attempt)
                cluster.place(resolved, attempt.node)
                current.append((resolved, attempt.node))
                hosts[str(pod.spec.get("hostname") or "")] = attempt.node
        placed = current
    return Placement(tuple(placed), None, None, None)


def try_place(demand: Demand, cluster: ScheduledCluster) -> Placement:
    """The result of `place`. The cluster stays as it is."""
    placement = place(demand, cluster)
    remove(placement.placed, cluster)
    return placement


def remove(placed: list[tuple[SchedulingPod, int]] | Placed, cluster: ScheduledCluster) -> None:
    """Take pods off their nodes."""
    for pod, position in placed:
        cluster.remove(pod, position)


def _stages(demand: Demand) -> Iterator[list[DemandSet]]:
    """The sets in groups that exist together: first those that wait for none, then those whose others are complete."""
    waiting = list(demand.sets)
    complete: set[str] = set()
    while waiting:
        stage = [one for one in waiting if complete.issuperset(one.after)] or waiting
        yield stage
        waiting = [one for one in waiting if one not in stage]
        complete.update(one.role for one in stage)


def _resolved(pod: SchedulingPod, hosts: dict[str, int], cluster: ScheduledCluster) -> SchedulingPod:
    """The pod with the domain of the first pod of its Job instead of the placeholder."""
    selector = pod.spec.get("nodeSelector") or {}
    for label, value in selector.items():
        if isinstance(value, str) and value.startswith(DOMAIN_OF) and value.removeprefix(DOMAIN_OF) in hosts:
            node = cluster.nodes[hosts[value.removeprefix(DOMAIN_OF)]]
            domain = node.labels.get(label, "")
            spec = {**pod.spec, "nodeSelector": {**selector, label: domain}}
            return pod._replace(spec=spec, kind=f"{pod.kind} {label}={domain}")
    return pod


# A gang with a network topology, and a cluster with HyperNodes -> the HyperNodes in which Volcano tries to place it.
#
# Mirrors the plugin network-topology-aware (volcano v1.15 pkg/scheduler/plugins) with its default arguments.

_PACKED = (CPU, MEMORY)


def candidates(demand: Demand, cluster: ScheduledCluster) -> Iterator[list[HyperNode]]:
    """The HyperNodes with enough free resources for the whole gang, in groups of one tier, the lowest first."""
    assert demand.volcano is not None and demand.volcano.highest_tier is not None, "the gang has a network topology"
    highest = demand.volcano.highest_tier
    least = [demand.volcano.min_resources, demand.resources]
    for tier, several in groupby(cluster.hyper_nodes, key=lambda one: one.tier):
        if tier <= highest:
            group = [one for one in several if all(is_within(amounts, _idle(one, cluster)) for amounts in least)]
            if group:
                yield group


def _packing(one: HyperNode, demand: Demand, cluster: ScheduledCluster) -> float:
    """The score of a HyperNode in which a gang fits: how much of its processors and memory is in use then."""
    used = added([resources_of(cluster.used(one.nodes)), demand.resources])
    total = _allocatable(one, cluster)
    shares = [used[name] / total[name] for name in _PACKED if used.get(name) and total.get(name)]
    return sum(shares) / len(shares) if shares else 0.0


def _sentence_in(one: HyperNode, sentence: str) -> str:
    """The sentence of the scheduler about the nodes of a HyperNode (`FitErrors.Error`)."""
    return sentence if one.name == TOP else f"In hyperNode {one.name}: {sentence}"


def _idle(one: HyperNode, cluster: ScheduledCluster) -> Resources:
    used = resources_of(cluster.used(one.nodes))
    return {name: amount - used.get(name, 0.0) for name, amount in _allocatable(one, cluster).items()}


def _allocatable(one: HyperNode, cluster: ScheduledCluster) -> Resources:
    return added(resources_of(cluster.nodes[position].allocatable) for position in one.nodes)
