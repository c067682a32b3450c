"""A gang that fits no HyperNode of its network topology -> the changes with which it fits."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.hyper_nodes import TOP
from tjgen.compiler.fit.demand import ANY_TIER, Demand
from tjgen.compiler.fit.placement import try_place

_MOST_PODS = 64
"""Above it, no smaller number of pods is looked for."""


def network_hint(demand: Demand, cluster: ScheduledCluster) -> str | None:
    """The changes to a run that fits the nodes of the empty `cluster`, but not its HyperNodes; None for another run."""
    if demand.highest_tier is None or not cluster.hyper_nodes or not _fits(demand, cluster, ANY_TIER):
        return None
    return f"use {', or '.join(_changes(demand, cluster))}"


def anywhere(demand: Demand) -> Demand:
    """A run with a gang of Volcano without its network topology."""
    assert demand.volcano is not None, "the run has a gang of Volcano"
    return demand._replace(volcano=demand.volcano._replace(highest_tier=None))


def _changes(demand: Demand, cluster: ScheduledCluster) -> Iterator[str]:
    assert demand.highest_tier is not None, "the caller looks for a topology"
    tiers = sorted({one.tier for one in cluster.hyper_nodes if one.name != TOP and one.tier > demand.highest_tier})
    wider = next((tier for tier in tiers if _fits(demand, cluster, tier)), None)
    if wider is not None:
        yield f"highestTierAllowed: {wider}"
    yield "mode: soft"
    (own, *others) = demand.sets
    for number in range(min(len(own.pods), _MOST_PODS + 1) - 1, 0, -1) if not others else ():
        if _fits(demand._replace(sets=(own._replace(pods=own.pods[:number]),), gang=number), cluster, demand.highest_tier):
            yield f"at most {number} of {len(own.pods)} pods of {own.role}"
            return


def _fits(demand: Demand, cluster: ScheduledCluster, tier: int) -> bool:
    """Whether all pods fit a HyperNode up to a tier."""
    assert demand.volcano is not None, "the run has a network topology"
    group = demand.volcano._replace(highest_tier=tier, min_resources=demand.resources)
    return try_place(demand._replace(volcano=group, least=demand.number), cluster).fits
