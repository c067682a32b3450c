"""A gang with a network topology, and a cluster with HyperNodes -> the HyperNodes in which Volcano tries to place it.

Mirrors the plugin network-topology-aware (volcano v1.15 pkg/scheduler/plugins) with its default arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from tjgen.cluster.queueing.volcano.resources import Resources, added, is_within, resources_of
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.hyper_nodes import TOP, HyperNode
from tjgen.cluster.scheduling.node import CPU, MEMORY
from tjgen.compiler.fit.demand import Demand

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


def packing(one: HyperNode, demand: Demand, cluster: ScheduledCluster) -> float:
    """The score of a HyperNode in which a gang fits: how much of its processors and memory is in use then."""
    used = added([resources_of(cluster.used(one.nodes)), demand.resources])
    total = _allocatable(one, cluster)
    shares = [used[name] / total[name] for name in _PACKED if used.get(name) and total.get(name)]
    return sum(shares) / len(shares) if shares else 0.0


def sentence_in(one: HyperNode, sentence: str) -> str:
    """The sentence of the scheduler about the nodes of a HyperNode (`FitErrors.Error`)."""
    return sentence if one.name == TOP else f"In hyperNode {one.name}: {sentence}"


def _idle(one: HyperNode, cluster: ScheduledCluster) -> Resources:
    used = resources_of(cluster.used(one.nodes))
    return {name: amount - used.get(name, 0.0) for name, amount in _allocatable(one, cluster).items()}


def _allocatable(one: HyperNode, cluster: ScheduledCluster) -> Resources:
    return added(resources_of(cluster.nodes[position].allocatable) for position in one.nodes)
