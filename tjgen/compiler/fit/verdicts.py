"""Runs, nodes and queues -> for each run whether it starts on an empty cluster, and next to the other runs.

Runs start in the order of their priority; of equal priority, in the order in which they are listed. It is a model of one moment:
no run ends, and nothing else runs in the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.queueing.kueue import FITS, NEVER, WAITS, QueueAssignment, Quotas, ResourceFlavor, in_flavor
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import shown
from tjgen.cluster.scheduling.pod import SchedulingPod
from tjgen.compiler.fit.demand import Demand, Priorities
from tjgen.compiler.fit.placement import Placement, place, remove
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
    """The placement on an empty cluster that failed."""
    pod_set: str = ""
    """The pod set that its queue does not admit."""
    started: int = 0
    """Pods of a run without a gang that start, though the run waits."""


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


def verdicts(runs: Sequence[FitRun], shared: FitCluster) -> list[FitVerdict]:
    """A verdict for each run, in the order of the runs. The nodes and queues of `shared` are empty and stay so."""
    results = {id(run): verdict_alone(run, shared) for run in runs}
    able = [run for run in runs if results[id(run)].mode == FITS]
    able.sort(key=lambda run: -run.demand.priority)
    admitted = _admitted(able, shared, results)
    cluster = shared.cluster.without_pods()
    order = 0
    used: dict[str, dict[str, int]] = {}
    changes = 0
    stuck: dict[tuple[int, str], tuple[int, str]] = {}
    """Changes so far and kind of pod -> the number of such pods that fit, and the sentence for the next one."""
    for run in able:
        if run.queue in shared.quotas.queues and id(run) not in admitted:
            continue
        demand = flavored(run.demand, admitted[id(run)].flavors) if id(run) in admitted else run.demand
        lacking = _lacking(run, shared.capabilities.get(run.queue), used.get(run.queue, {}))
        if lacking:
            results[id(run)] = FitVerdict(run, WAITS, by=BY_QUEUE, message=lacking)
            continue
        # The same pods fit no better until others are on the nodes.
        key = (changes, demand.kind[0][0]) if demand.is_plain and len(demand.sets) == 1 and demand.gang else None
        fitting, waiting = stuck.get(key, (demand.least, "")) if key is not None else (demand.least, "")
        placement = place(demand, cluster) if fitting >= demand.least else None
        if placement is not None and (placement.fits or (demand.gang and len(placement.placed) >= demand.least)):
            order += 1
            changes += 1
            results[id(run)] = results[id(run)]._replace(order=order, flavors=_names(admitted.get(id(run))))
            queue_usage = used.setdefault(run.queue, {})
            for name, amount in needs(run.demand).items():
                queue_usage[name] = queue_usage.get(name, 0) + amount
            continue
        started = 0
        if placement is not None:
            waiting = placement.attempt.message if placement.attempt is not None else ""
            if demand.gang:
                remove(placement.placed, cluster)
                if key is not None:
                    stuck[key] = (len(placement.placed), waiting)
            elif placement.placed:
                started = len(placement.placed)
                changes += 1
        flavors = _names(admitted.get(id(run)))
        results[id(run)] = FitVerdict(run, WAITS, by=BY_SCHEDULER, message=waiting, started=started, flavors=flavors)
    return [results[id(run)] for run in runs]


def _names(assignment: QueueAssignment | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flavor.name for flavor in assignment.flavors.values())) if assignment is not None else ()


def verdict_alone(run: FitRun, shared: FitCluster) -> FitVerdict:
    """The verdict for a run on the nodes and queues of `shared`, which are empty and stay so."""
    demand, names = run.demand, ""
    if run.queue in shared.quotas.queues:
        assignment = shared.quotas.assign(run.queue, pod_sets(demand))
        if assignment.mode != FITS:
            return FitVerdict(run, NEVER, by=BY_QUEUE, message=assignment.message, pod_set=assignment.cause)
        demand, names = flavored(demand, assignment.flavors), " ".join(_names(assignment))
    lacking = _lacking(run, shared.capabilities.get(run.queue), {})
    if lacking:
        return FitVerdict(run, NEVER, by=BY_QUEUE, message=lacking)
    key = (demand.kind, demand.least, names) if demand.is_plain else None
    placement = shared.memo.get(key) if key is not None else None
    if placement is None:
        placement = place(demand, shared.cluster)
        remove(placement.placed, shared.cluster)
        if key is not None:
            shared.memo[key] = placement
    if placement.fits or (demand.gang and len(placement.placed) >= demand.least):
        return FitVerdict(run, FITS, demand=demand)
    message = placement.attempt.message if placement.attempt is not None else ""
    return FitVerdict(run, NEVER, by=BY_SCHEDULER, message=message, demand=demand, placement=placement)


def _admitted(runs: Sequence[FitRun], shared: FitCluster, results: dict[int, FitVerdict]) -> dict[int, QueueAssignment]:
    """Runs that Kueue admits: in each cycle the first of each queue, those that need not borrow first (`entryOrdering`)."""
    quotas = Quotas(list(shared.quotas.queues.values()))
    waiting = {name: [run for run in runs if run.queue == name] for name in quotas.queues}
    admitted: dict[int, QueueAssignment] = {}
    while any(waiting.values()):
        heads = [(several[0], quotas.assign(name, pod_sets(several[0].demand))) for name, several in waiting.items() if several]
        heads.sort(key=lambda head: (quotas.borrows(head[0].queue, head[1]), -head[0].demand.priority))
        for run, _ in heads:
            assignment = quotas.assign(run.queue, pod_sets(run.demand))
            waiting[run.queue].pop(0)
            if assignment.mode == FITS:
                quotas.admit(run.queue, assignment)
                admitted[id(run)] = assignment
                continue
            results[id(run)] = FitVerdict(run, WAITS, by=BY_QUEUE, message=assignment.message, pod_set=assignment.cause)
            if quotas.queues[run.queue].is_strict:
                for behind in waiting[run.queue]:
                    message = f"queue {run.queue} is StrictFIFO, and {run.title} waits before it"
                    results[id(behind)] = FitVerdict(behind, WAITS, by=BY_QUEUE, message=message)
                waiting[run.queue] = []
    return admitted


def _lacking(run: FitRun, capability: Mapping[str, int] | None, used: Mapping[str, int]) -> str:
    """Why a queue with a capability has not enough left for a run; empty if it has."""
    for name, amount in needs(run.demand).items() if capability is not None else ():
        bound = capability.get(name) if capability is not None else None
        if bound is not None and used.get(name, 0) + amount > bound:
            taken = f", and runs before it use {shown(name, used[name])}" if used.get(name) else ""
            return f"the run requests {shown(name, amount)} of {name}; queue {run.queue} has {shown(name, bound)}{taken}"
    return ""


def flavored(demand: Demand, flavors: Mapping[str, ResourceFlavor]) -> Demand:
    """The pods with the node labels and tolerations of the flavors that they are admitted to."""
    sets = []
    for one in demand.sets:
        flavor = flavors.get(one.role)
        changed: dict[int, SchedulingPod] = {}
        for pod in one.pods if flavor is not None else ():
            if id(pod) not in changed and flavor is not None:
                changed[id(pod)] = pod._replace(spec=in_flavor(pod.spec, flavor), kind=f"{pod.kind} {flavor.name}")
        sets.append(one._replace(pods=tuple([changed.get(id(pod), pod) for pod in one.pods])))
    return demand._replace(sets=tuple(sets))
