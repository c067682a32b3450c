"""Runs, nodes and queues -> for each run whether it starts on an empty cluster, and next to the other runs.

Runs start in the order of their priority; of equal priority, in the order in which they are listed. It is a model of one moment:
no run ends, and nothing else runs in the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue import FITS, NEVER, WAITS, QueueAssignment, Quotas
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import shown
from tjgen.compiler.fit.alternatives import flavored, other_flavor, other_order
from tjgen.compiler.fit.demand import Demand, Priorities
from tjgen.compiler.fit.placement import Placed, Placement, place, remove, try_place
from tjgen.compiler.fit.queues import needs, pod_sets
from tjgen.trees.typing import NamedTuple

BY_SCHEDULER, BY_QUEUE = "scheduler", "queue"


class FitRun(NamedTuple):
    """A run whose pods are to start."""

    name: str
    namespace: str
    queue: str
    """Queue of the run; empty if it has none."""
    demand: Demand

    @property
    def title(self) -> str:
        """Namespace and name."""
        return f"{self.namespace}/{self.name}"


class FitVerdict(NamedTuple):
    """What happens to a run."""

    run: FitRun
    mode: str
    """FITS, WAITS for what other runs use, or NEVER."""
    order: int = 0
    """Ordinal in which it starts, from 1; 0 if it does not start."""
    by: str = ""
    """BY_SCHEDULER or BY_QUEUE: what keeps it from starting."""
    message: str = ""
    """The sentence of the scheduler or the queue."""
    flavors: tuple[str, ...] = ()
    """Flavors of Kueue that it is admitted to."""
    demand: Demand | None = None
    """The pods as they are scheduled: with the labels and tolerations of their flavors."""
    placement: Placement | None = None
    """The placement of a run that starts, or the one on an empty cluster that failed."""
    started: int = 0
    """Pods of a run without a gang that start, though the run waits."""
    condition: str = ""
    """The order of roles or the flavor with which a run fits that does not fit the empty cluster otherwise; or empty."""

    @property
    def result(self) -> str:
        """The verdict in words."""
        if self.order:
            return "starts"
        if self.mode == NEVER:
            return "never starts"
        if self.condition:
            return "may not start"
        return f"waits, {self.started} of {self.run.demand.number} pods on nodes" if self.started else f"waits for the {self.by}"


class FitCluster(NamedTuple):
    """The nodes and queues that runs share."""

    cluster: ScheduledCluster
    """Without pods."""
    quotas: Quotas
    capabilities: Mapping[str, Mapping[str, int]]
    """Queue of Volcano -> what its runs can use together."""
    platform: str
    """Name of the Platform."""
    priorities: Priorities
    memo: dict[object, Placement]
    """Pods of a run -> their placement on the empty cluster."""


class Candidate:
    """A run that is to start, and what it holds of the cluster."""

    def __init__(self, run: FitRun) -> None:
        self.run = run
        self.assignment: QueueAssignment | None = None
        """Its reservation in Kueue, which it keeps while its pods wait for nodes."""
        self.placed: Placed = ()
        """Its pods on nodes."""


class Occupancy:
    """The nodes and queues of a cluster, and what its runs use of them."""

    def __init__(self, shared: FitCluster) -> None:
        self.cluster = shared.cluster.without_pods()
        self.quotas = Quotas(list(shared.quotas.queues.values()))
        self.capabilities = shared.capabilities
        self.used: dict[str, dict[str, int]] = {}
        """Queue -> what its runs use."""

    def release(self, ended: Candidate) -> None:
        """Remove a run that started and ended."""
        remove(ended.placed, self.cluster)
        if ended.assignment is not None:
            self.quotas.release(ended.run.queue, ended.assignment)
        for name, amount in needs(ended.run.demand).items():
            self.used[ended.run.queue][name] -= amount
        ended.placed, ended.assignment = (), None


def verdicts(runs: Sequence[FitRun], shared: FitCluster) -> list[FitVerdict]:
    """A verdict for each run, in the order of the runs. The nodes and queues of `shared` are empty and stay so."""
    alone = [verdict_alone(run, shared) for run in runs]
    able = [Candidate(one.run) for one in alone if one.mode != NEVER]
    started = {id(one.run): one for one in start(able, Occupancy(shared))}
    return [combined(one, started.get(id(one.run))) for one in alone]


def combined(alone: FitVerdict, started: FitVerdict | None) -> FitVerdict:
    """The verdict for a run next to others: a run that waits may need more than the end of other runs."""
    if started is None:
        return alone
    return started if started.order else started._replace(condition=alone.condition)


def start(candidates: Sequence[Candidate], occupancy: Occupancy) -> list[FitVerdict]:
    """Start those of the runs for which `occupancy` has capacity; it keeps them. Each run may fit the empty cluster.

    Runs that hold some nodes already are first; the others follow in the order of their priority.
    """
    results: dict[int, FitVerdict] = {}
    candidates = sorted(candidates, key=lambda one: (not one.placed, -one.run.demand.priority))
    _admit(candidates, occupancy.quotas, results)
    order = changes = 0
    stuck: dict[tuple[int, str], tuple[int, str]] = {}
    """Changes so far and kind of pod -> the number of such pods that fit, and the sentence for the next one."""
    cluster = occupancy.cluster
    for one in candidates:
        run, assignment = one.run, one.assignment
        if run.queue in occupancy.quotas.queues and assignment is None:
            continue
        demand = flavored(run.demand, assignment.flavors) if assignment is not None else run.demand
        lacking = _lacking(run, occupancy.capabilities.get(run.queue, {}), occupancy.used.get(run.queue, {}))
        if lacking:
            results[id(run)] = FitVerdict(run, WAITS, by=BY_QUEUE, message=lacking)
            continue
        remove(one.placed, cluster)
        one.placed = ()
        # The same pods fit no better until others are on the nodes.
        key = (changes, demand.kind[0][0]) if demand.is_plain and len(demand.sets) == 1 else None
        least = demand.least if demand.gang else 1
        fitting, waiting = stuck.get(key, (least, "")) if key is not None else (least, "")
        placement = place(demand, cluster) if fitting >= least else None
        flavors = _names(assignment)
        if placement is not None and placement.starts(demand):
            order += 1
            changes += 1
            one.placed = placement.placed
            results[id(run)] = FitVerdict(run, FITS, order=order, flavors=flavors, demand=demand, placement=placement)
            queue_usage = occupancy.used.setdefault(run.queue, {})
            for name, amount in needs(run.demand).items():
                queue_usage[name] = queue_usage.get(name, 0) + amount
            continue
        started = 0
        if placement is not None:
            waiting = placement.message
            if demand.gang:
                remove(placement.placed, cluster)
            if key is not None and (demand.gang or not placement.placed):
                stuck[key] = (len(placement.placed), waiting)
            if placement.placed and not demand.gang:
                started = len(placement.placed)
                changes += 1
                one.placed = placement.placed
        results[id(run)] = FitVerdict(run, WAITS, by=BY_SCHEDULER, message=waiting, started=started, flavors=flavors)
    return [results[id(one.run)] for one in candidates]


def _names(assignment: QueueAssignment | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flavor.name for flavor in assignment.flavors.values())) if assignment is not None else ()


def verdict_alone(run: FitRun, shared: FitCluster) -> FitVerdict:
    """The verdict for a run on the nodes and queues of `shared`, which are empty and stay so."""
    demand, names = run.demand, ""
    if run.queue in shared.quotas.queues:
        assignment = shared.quotas.assign(run.queue, pod_sets(demand))
        if assignment.mode != FITS:
            return FitVerdict(run, NEVER, by=BY_QUEUE, message=assignment.message)
        demand, names = flavored(demand, assignment.flavors), " ".join(_names(assignment))
    lacking = _lacking(run, shared.capabilities.get(run.queue, {}), {})
    if lacking:
        return FitVerdict(run, NEVER, by=BY_QUEUE, message=lacking)
    key = (demand.kind, demand.least, names) if demand.is_plain else None
    placement = shared.memo.get(key) if key is not None else None
    if placement is None:
        placement = try_place(demand, shared.cluster)
        if key is not None:
            shared.memo[key] = placement
    if placement.starts(demand):
        return FitVerdict(run, FITS, demand=demand)
    condition = other_order(demand, shared.cluster)
    if not condition and run.queue in shared.quotas.queues:
        condition = other_flavor(run.demand, shared.quotas.queues[run.queue], shared.cluster)
    mode = WAITS if condition else NEVER
    return FitVerdict(
        run, mode, by=BY_SCHEDULER, message=placement.message, demand=demand, placement=placement, condition=condition
    )


def _admit(candidates: Sequence[Candidate], quotas: Quotas, results: dict[int, FitVerdict]) -> None:
    """Runs that Kueue admits: in each cycle the first of each queue, those that need not borrow first (`entryOrdering`)."""
    waiting = {name: [one for one in candidates if one.run.queue == name and one.assignment is None] for name in quotas.queues}
    while any(waiting.values()):
        heads = [
            (several[0], quotas.assign(name, pod_sets(several[0].run.demand))) for name, several in waiting.items() if several
        ]
        heads.sort(key=lambda head: (quotas.borrows(head[0].run.queue, head[1]), -head[0].run.demand.priority))
        for one, _ in heads:
            run = one.run
            assignment = quotas.assign(run.queue, pod_sets(run.demand))
            waiting[run.queue].pop(0)
            if assignment.mode == FITS:
                quotas.admit(run.queue, assignment)
                one.assignment = assignment
                continue
            results[id(run)] = FitVerdict(run, WAITS, by=BY_QUEUE, message=assignment.message)
            if quotas.queues[run.queue].is_strict:
                for behind in waiting[run.queue]:
                    message = f"queue {run.queue} is StrictFIFO, and {run.title} waits before it"
                    results[id(behind.run)] = FitVerdict(behind.run, WAITS, by=BY_QUEUE, message=message)
                waiting[run.queue] = []


def _lacking(run: FitRun, capability: Mapping[str, int], used: Mapping[str, int]) -> str:
    """Why the rest of a queue's capability does not suffice for a run; empty if it does."""
    for name, amount in needs(run.demand).items() if capability else ():
        bound = capability.get(name)
        if bound is not None and used.get(name, 0) + amount > bound:
            taken = f", and runs before it use {shown(name, used[name])}" if used.get(name) else ""
            return f"the run requests {shown(name, amount)} of {name}; queue {run.queue} has {shown(name, bound)}{taken}"
    return ""
