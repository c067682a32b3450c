"""Runs that wait for queues of Kueue -> those that it admits, and the runs that it evicts for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.queueing.kueue.objects import ANY, NEVER, AdmittedWorkload
from tjgen.cluster.queueing.kueue.preemption import REASONS, satisfies_policy
from tjgen.cluster.queueing.kueue.scheduler import Eviction, SchedulingOutcome, schedule
from tjgen.compiler.fit.demand import Priorities
from tjgen.compiler.fit.domains import other_usage
from tjgen.compiler.fit.occupancy import Candidate, Occupancy
from tjgen.compiler.fit.verdicts import BY_QUEUE, WAITS, FitVerdict
from tjgen.trees.typing import NamedTuple

_DEFAULT_SCHEDULER = "default-scheduler"


class Admission(NamedTuple):
    """What the queues decide."""

    waiting: dict[int, FitVerdict]
    """Identity of a candidate -> why it waits for its queue."""
    evicts: dict[int, tuple[str, ...]]
    """Identity of a candidate -> the titles of the runs that are evicted for it."""
    evicted: list[Candidate]
    """Runs that had started, and lost their quota. Their pods are removed."""


def admit(candidates: Sequence[Candidate], occupancy: Occupancy) -> Admission:
    """Admit the candidates in queues of Kueue that have no quota yet."""
    pending = [one for one in candidates if one.run.queue in occupancy.quotas.queues and one.assignment is None]
    if not pending:
        return Admission({}, {}, [])
    if occupancy.quotas.topologies:
        occupancy.quotas.place_others(other_usage(occupancy.cluster))
    outcome = schedule(occupancy.quotas, [one.workload for one in pending])
    known = {**occupancy.reserving, **{one.workload.name: one for one in pending}}
    evicted: dict[str, Candidate] = {}
    evicts: dict[int, tuple[str, ...]] = {}
    last: dict[str, Eviction] = {}
    for one in outcome.evictions:
        name = one.victim.name
        victim, preemptor = known[name], known[one.preemptor.name]
        if name in occupancy.reserving:
            evicted[name] = victim
        last[name] = one
        evicts[id(preemptor)] = tuple(dict.fromkeys([*evicts.get(id(preemptor), ()), victim.run.title]))
    for name, victim in evicted.items():
        occupancy.stop(victim)
        victim.assignment = None
        del occupancy.reserving[name]
    for name, assignment in outcome.admitted.items():
        known[name].assignment = assignment
        occupancy.reserving[name] = known[name]
    waiting = {
        id(known[name]): _waits(known[name], message, outcome, known, last.get(name)) for name, message in outcome.waiting.items()
    }
    return Admission(waiting, evicts, list(evicted.values()))


def _waits(
    candidate: Candidate, message: str, outcome: SchedulingOutcome, known: dict[str, Candidate], eviction: Eviction | None
) -> FitVerdict:
    run = candidate.run
    if not message:
        same = [known[name] for name in outcome.waiting if known[name].run.queue == run.queue]
        first = min(same, key=lambda one: (-one.workload.priority, one.workload.created))
        message = f"queue {run.queue} is StrictFIFO, and {first.run.title} waits before it"
    reason = ""
    if eviction is not None:
        reason = f"{known[eviction.preemptor.name].run.title}, {REASONS[eviction.reason]}"
    return FitVerdict(run, WAITS, by=BY_QUEUE, message=message, evicted_for=reason)


def evictable_by(candidate: Candidate, occupancy: Occupancy) -> tuple[str, ...]:
    """The priority classes and queues whose runs can evict a run that started."""
    own = occupancy.quotas.workloads.get(candidate.run.queue, {}).get(candidate.workload.name)
    names = list(_by_scheduler(candidate, occupancy.priorities))
    if own is not None:
        names += _by_queue(own, occupancy)
    return tuple(dict.fromkeys(names))


def _by_scheduler(candidate: Candidate, priorities: Priorities) -> Iterator[str]:
    """kube-scheduler evicts pods for pods of higher classes. The actions of Volcano's scheduler are not known."""
    demand = candidate.run.demand
    if any(
        pod.spec.get("schedulerName", "default-scheduler") != "default-scheduler" for one in demand.sets for pod in one.pods[:1]
    ):
        return
    for name, one in priorities.items():
        if one.value > demand.priority and one.preemption_policy != "Never":
            yield f"class {name}"


def _by_queue(own: AdmittedWorkload, occupancy: Occupancy) -> Iterator[str]:
    """Workloads of the same queue, and of queues of the cohort while this one borrows."""
    quotas, queue = occupancy.quotas, occupancy.quotas.queues[own.workload.queue]
    for name, one in occupancy.priorities.items():
        pending = own.workload._replace(priority=one.value)
        if satisfies_policy(pending, own.workload, queue.preemption.within_cluster_queue):
            yield f"class {name}"
    borrows = not quotas.is_within_nominal(queue.name, own.usage)
    for other in quotas.cohort_queues(queue) if borrows else ():
        policy = quotas.queues[other].preemption.reclaim_within_cohort
        if policy == ANY:
            yield f"queue {other}"
        elif policy != NEVER:
            for name, one in occupancy.priorities.items():
                if satisfies_policy(own.workload._replace(priority=one.value), own.workload, policy):
                    yield f"class {name} in queue {other}"
