"""A run that does not fit the empty cluster -> another order of its roles, or another flavor of its queue, with which it fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from tjgen.cluster.queueing.kueue.flavorassigner import FIT, assign
from tjgen.cluster.queueing.kueue.objects import ClusterQueue, QueuedWorkload
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.compiler.fit.demand import Demand, DemandSet
from tjgen.compiler.fit.domains import admitted
from tjgen.compiler.fit.placement import try_place
from tjgen.compiler.fit.queues import pod_sets

_MOST_SETS = 4
"""Up to this number of roles, all of their orders are tried."""


def other_order(demand: Demand, cluster: ScheduledCluster) -> str:
    """The order of roles with which the pods fit; empty if none does. Controllers create the pods of several roles at once."""
    for sets in _orders(demand.sets):
        reordered = demand._replace(sets=tuple(sets))
        if try_place(reordered, cluster).starts(reordered):
            return f"all pods fit if they are scheduled in the order {', '.join(one.role for one in sets)}"
    return ""


def other_flavor(demand: Demand, queue: ClusterQueue, cluster: ScheduledCluster) -> str:
    """The flavor of the queue that Kueue assigns only if the quota of earlier ones is used, and with which the pods fit."""
    for position, (flavor, _) in enumerate(queue.flavors):
        if not position:
            continue
        later = QueueSnapshot([queue._replace(flavors=queue.flavors[position:])], cluster.nodes)
        assignment = assign(QueuedWorkload("", queue.name, pod_sets(demand)), later)
        if assignment.mode != FIT:
            continue
        changed = admitted(demand, assignment)
        if try_place(changed, cluster).starts(changed):
            return f"all pods fit in flavor {flavor.name}, which Kueue assigns if other runs use the quota of earlier flavors"
    return ""


def _orders(sets: Sequence[DemandSet]) -> Iterator[Sequence[DemandSet]]:
    if len(sets) < 2:
        return
    if len(sets) <= _MOST_SETS:
        yield from (order for order in permutations(sets) if order != tuple(sets))
        return
    yield sorted(sets, key=lambda one: -sum(number for name, number in one.pods[0].requests.items() if "/" in name))
    yield list(reversed(sets))
