"""Queues and what their jobs request -> what each queue deserves, and what it can use at most.

Mirrors `OnSessionOpen` of the plugins proportion and capacity (volcano v1.15 pkg/scheduler/plugins).
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.queueing.volcano.objects import VolcanoCluster, WeightedQueue
from tjgen.cluster.queueing.volcano.resources import Resources, added, exceeding, is_empty, is_within, limited, most


def real_capabilities(cluster: VolcanoCluster) -> dict[str, Resources]:
    """Queue -> what it can use at most: the nodes without the guarantees of other queues, and at most its capability."""
    free = exceeding(cluster.total, added(one.guarantee for one in cluster.queues.values()))
    return {name: limited(added([free, one.guarantee]), one.capability) for name, one in cluster.queues.items()}


def by_weight(
    queues: Mapping[str, WeightedQueue], requests: Mapping[str, Resources], most_of: Mapping[str, Resources], total: Resources
) -> dict[str, Resources]:
    """Queue with jobs -> what it deserves of all nodes (plugin proportion).

    The nodes are divided by weight. What a queue does not request, or its capability does not allow, is divided again.
    """
    deserved: dict[str, Resources] = {name: {} for name in requests}
    remaining, met = dict(total), set[str]()
    while True:
        weights = sum(queues[name].weight for name in requests if name not in met)
        if not weights:
            return deserved
        before = remaining
        increased: dict[str, float] = {}
        decreased: dict[str, float] = {}
        for name, request in requests.items():
            if name in met:
                continue
            old, part = deserved[name], queues[name].weight / weights
            new = limited(added([old, {key: amount * part for key, amount in remaining.items()}]), most_of[name])
            new = most({key: min(amount, request.get(key, 0.0)) for key, amount in new.items()}, queues[name].guarantee)
            deserved[name] = new
            if is_within(request, new) or new == old:
                met.add(name)
            increased = added([increased, exceeding(new, old)])
            decreased = added([decreased, exceeding(old, new)])
        remaining = exceeding(added([remaining, decreased]), increased)
        if is_empty(remaining) or remaining == before:
            return deserved


def as_written(queues: Mapping[str, WeightedQueue], most_of: Mapping[str, Resources]) -> dict[str, Resources]:
    """Queue -> what it deserves, as its Queue sets it (plugin capacity)."""
    return {name: most(limited(one.deserved, most_of[name]), one.guarantee) for name, one in queues.items()}
