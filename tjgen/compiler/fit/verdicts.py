"""Runs, nodes and queues -> for each run whether it starts on an empty cluster, and next to the other runs.

Runs start in the order of their priority; of equal priority, in the order in which they are listed. It is a model of one moment:
no run ends, and nothing else runs in the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from tjgen.cluster.queueing.kueue.flavorassigner import FIT, Assignment, assign, assign_alone
from tjgen.cluster.queueing.kueue.objects import ClusterQueue, QueuedWorkload
from tjgen.cluster.queueing.kueue.snapshot import QueueSnapshot
from tjgen.cluster.queueing.volcano.objects import DEFAULT_QUEUE, VolcanoCluster
from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.compiler.fit.capability import lacking
from tjgen.compiler.fit.demand import Demand, DemandSet, Priorities
from tjgen.compiler.fit.domains import admitted
from tjgen.compiler.fit.placement import Placement, try_place
from tjgen.compiler.fit.queues import pod_sets
from tjgen.compiler.fit.volcano import VolcanoState, VolcanoTurns, job_of, waiting_message
from tjgen.trees.typing import NamedTuple

FITS, WAITS, NEVER = "fits", "waits", "never"
BY_SCHEDULER, BY_QUEUE = "scheduler", "queue"
_MOST_NAMES = 2
"""Above it, evicted runs are counted."""


class FitRun(NamedTuple):
    """A run whose pods are to start."""

    name: str
    namespace: str
    queue: str
    """Queue of the run; empty if it has none."""
    demand: Demand
    state: str = ""
    """How the run in the output tree differs from what the sources build; empty if it does not."""

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
    domains: str = ""
    """Domains of topologies in which Kueue places its pods, or the HyperNode in which Volcano does."""
    demand: Demand | None = None
    """The pods as they are scheduled: with the labels and tolerations of their flavors."""
    placement: Placement | None = None
    """The placement of a run that starts, or the one on an empty cluster that failed."""
    started: int = 0
    """Pods of a run without a gang that start, though the run waits."""
    condition: str = ""
    """The order of roles or the flavor with which a run fits that does not fit the empty cluster otherwise; or empty."""
    evicts: tuple[str, ...] = ()
    """Runs that Kueue evicts for it."""
    evicted_for: str = ""
    """The run for which Kueue evicts it, and the reason; empty if it keeps its quota."""
    share: str = ""
    """What its queue of Volcano can use and uses, if it waits for that; or empty."""
    evictable_by: tuple[str, ...] = ()
    """Priority classes and queues whose runs can evict it after it starts."""

    @property
    def result(self) -> str:
        """The verdict in words."""
        if self.order:
            return f"starts, evicts {self._evicted}" if self.evicts else "starts"
        if self.mode == NEVER:
            return "never starts"
        if self.condition:
            return "may not start"
        if self.evicted_for:
            return "is evicted, waits for the queue"
        return f"waits, {self.started} of {self.run.demand.number} pods on nodes" if self.started else f"waits for the {self.by}"

    @property
    def _evicted(self) -> str:
        return ", ".join(self.evicts) if len(self.evicts) <= _MOST_NAMES else f"{len(self.evicts)} runs"


class FitCluster(NamedTuple):
    """The nodes and queues that runs share."""

    cluster: ScheduledCluster
    """Without pods."""
    quotas: QueueSnapshot
    """The queues of Kueue, without workloads."""
    capabilities: Mapping[str, Mapping[str, int]]
    """Queue of Volcano -> what its runs can use together."""
    platform: str
    """Name of the Platform."""
    priorities: Priorities
    memo: dict[object, Placement]
    """Pods of a run -> their placement on the empty cluster."""
    volcano: VolcanoCluster | None = None
    """The nodes and the queues of Volcano; None if the Platform does not describe both."""
    device_classes: Mapping[tuple[str, str], str] = {}
    """Key and value of a node label -> the device class that selects it."""


def combined(alone: FitVerdict, started: FitVerdict | None) -> FitVerdict:
    """The verdict for a run next to others: a run that waits may need more than the end of other runs."""
    if started is None or alone.mode == NEVER:
        return alone
    return started if started.order else started._replace(condition=alone.condition)


def verdict_alone(run: FitRun, shared: FitCluster) -> FitVerdict:
    """The verdict for a run on the nodes and queues of `shared`, which are empty and stay so."""
    demand, names, domains = run.demand, "", None
    if run.queue in shared.quotas.queues:
        assignment = assign_alone(QueuedWorkload(run.title, run.queue, pod_sets(demand)), shared.quotas)
        if assignment.mode != FIT:
            return FitVerdict(run, NEVER, by=BY_QUEUE, message=assignment.message)
        demand, names = admitted(demand, assignment), " ".join(flavor_names(assignment))
        domains = tuple(assignment.domains.items())
    if is_of_volcano(run, shared.volcano):
        assert shared.volcano is not None, "the run has a queue of it"
        job = job_of("", run.queue, demand, 0)
        turns = VolcanoTurns(shared.volcano, VolcanoState(), [job], {})
        allowed = turns.allowed(job, demand) if turns.next() is not None else demand._replace(sets=())
        if allowed.number < demand.least:
            wait = turns.wait(job, demand, try_place(allowed, shared.cluster))
            return FitVerdict(run, NEVER, by=BY_QUEUE, message=wait.message, share=wait.share)
    elif missing := lacking(demand, run.queue, shared.capabilities.get(run.queue, {}), {}):
        return FitVerdict(run, NEVER, by=BY_QUEUE, message=missing)
    # Pods that Kueue binds to domains are plain before that.
    kind = (run.demand.kind, names, domains) if run.demand.is_plain else None
    key = (kind, demand.least, demand.volcano is None, demand.highest_tier) if kind is not None else None
    placement = shared.memo.get(key) if key is not None else None
    if placement is None:
        placement = try_place(demand, shared.cluster)
        if key is not None:
            shared.memo[key] = placement
    if placement.starts(demand):
        return FitVerdict(run, FITS, demand=demand)
    condition = _other_order(demand, shared.cluster)
    if not condition and run.queue in shared.quotas.queues:
        condition = _other_flavor(run.demand, shared.quotas.queues[run.queue], shared.cluster)
    mode = WAITS if condition else NEVER
    message = waiting_message(demand, placement.shortfall)
    return FitVerdict(run, mode, by=BY_SCHEDULER, message=message, demand=demand, placement=placement, condition=condition)


def is_submitted(alone: FitVerdict, shared: FitCluster) -> bool:
    """Whether a run has an effect on others: one that never starts has none, unless its requests count in a queue of Volcano."""
    return alone.mode != NEVER or is_of_volcano(alone.run, shared.volcano)


def is_of_volcano(run: FitRun, cluster: VolcanoCluster | None) -> bool:
    """Whether the weights of Volcano's queues are known for a run: it has a gang of Volcano, in a queue of the Platform."""
    return cluster is not None and run.demand.volcano is not None and (run.queue or DEFAULT_QUEUE) in cluster.queues


def flavor_names(assignment: Assignment | None) -> tuple[str, ...]:
    """The flavors of a run, each once."""
    return tuple(dict.fromkeys(flavor.name for flavor in assignment.flavors.values())) if assignment is not None else ()


# A run that does not fit the empty cluster -> another order of its roles, or another flavor of its queue, with which it fits.

_MOST_SETS = 4
"""Up to this number of roles, all of their orders are tried."""


def _other_order(demand: Demand, cluster: ScheduledCluster) -> str:
    """The order of roles with which the pods fit; empty if none does. Controllers create the pods of several roles at once."""
    for sets in _orders(demand.sets):
        reordered = demand._replace(sets=tuple(sets))
        if try_place(reordered, cluster).starts(reordered):
            return f"all pods fit if they are scheduled in the order {', '.join(one.role for one in sets)}"
    return ""


def _other_flavor(demand: Demand, queue: ClusterQueue, cluster: ScheduledCluster) -> str:
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
