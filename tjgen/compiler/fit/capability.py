"""A queue that limits what its runs use together, and a run -> what the queue lacks for it."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.scheduling.node import shown
from tjgen.compiler.fit.demand import Demand
from tjgen.compiler.fit.queues import needs


def lacking(demand: Demand, queue: str, capability: Mapping[str, int], used: Mapping[str, int]) -> str:
    """Why the rest of a queue's capability does not suffice for a run; empty if it does."""
    for name, amount in needs(_starting(demand)).items() if capability else ():
        bound = capability.get(name)
        if bound is not None and used.get(name, 0) + amount > bound:
            taken = f", and runs before it use {shown(name, used[name])}" if used.get(name) else ""
            return f"the run requests {shown(name, amount)} of {name}; queue {queue} has {shown(name, bound)}{taken}"
    return ""


def _starting(demand: Demand) -> Demand:
    """The pods without which a gang does not start; the others may wait."""
    if not demand.gang or demand.least >= demand.number:
        return demand
    left, sets = demand.least, []
    for one in demand.sets:
        if left:
            sets.append(one._replace(pods=one.pods[:left]))
            left -= len(sets[-1].pods)
    return demand._replace(sets=tuple(sets))
