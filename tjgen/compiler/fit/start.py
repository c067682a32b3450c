"""Runs and a cluster -> those that start next to each other, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.queueing.kueue.objects import ANY, NEVER, AdmittedWorkload
from tjgen.cluster.queueing.kueue.preemption import REASONS, satisfies_policy
from tjgen.cluster.queueing.kueue.scheduler import Eviction, SchedulingOutcome, schedule
from tjgen.cluster.queueing.volcano.objects import VolcanoJob
from tjgen.compiler.fit.capability import lacking
from tjgen.compiler.fit.demand import Demand, Priorities
from tjgen.compiler.fit.domains import admitted, other_usage, shown_domains
from tjgen.compiler.fit.occupancy import Candidate, Occupancy
from tjgen.compiler.fit.placement import Shortfall, place, remove, try_place
from tjgen.compiler.fit.verdicts import (
    BY_QUEUE,
    BY_SCHEDULER,
    FITS,
    WAITS,
    FitCluster,
    FitRun,
    FitVerdict,
    combined,
    flavor_names,
    is_of_volcano,
    is_submitted,
    verdict_alone,
)
from tjgen.compiler.fit.volcano import VolcanoTurns, VolcanoWait, waiting_message
from tjgen.trees.typing import NamedTuple


def verdicts(runs: Sequence[FitRun], shared: FitCluster) -> list[FitVerdict]:
    """A verdict for each run, in the order of the runs. The nodes and queues of `shared` are empty and stay so."""
    alone = [verdict_alone(run, shared) for run in runs]
    able = [Candidate(one.run, ordinal) for ordinal, one in enumerate(alone) if is_submitted(one, shared)]
    started = start(able, Occupancy(shared))
    by_run = {id(one.run): started[id(one)] for one in able}
    return [combined(one, by_run.get(id(one.run))) for one in alone]


def start(candidates: Sequence[Candidate], occupancy: Occupancy) -> dict[int, FitVerdict]:
    """Start those of the runs for which `occupancy` has capacity; it keeps them. Each run may fit the empty cluster.

    Runs that hold some nodes already are first; the others follow in the order of their priority. The result is by the identity
    of the candidates, and contains the runs that started earlier and are evicted now.
    """
    results: dict[int, FitVerdict] = {}
    admission = _admit(candidates, occupancy)
    evicted = [one for one in admission.evicted if one not in candidates]
    candidates = sorted([*candidates, *evicted], key=lambda one: (not one.placed, -one.run.demand.priority))
    results.update(admission.waiting)
    order = changes = 0
    stuck: dict[object, Shortfall] = {}
    """Changes so far and kind of run -> how far the scheduler came with such a run."""
    cluster = occupancy.cluster
    by_name = {one.workload.name: one for one in candidates}
    jobs = {name: one.volcano_job for name, one in by_name.items() if is_of_volcano(one.run, occupancy.volcano_cluster)}
    turns = VolcanoTurns(occupancy.volcano_cluster, occupancy.volcano, list(jobs.values()), cluster.used())
    for one, job in _in_order(by_name, jobs, turns):
        run, assignment = one.run, one.assignment
        if run.queue in occupancy.quotas.queues and assignment is None:
            continue
        demand = admitted(run.demand, assignment) if assignment is not None else run.demand
        if job is not None:
            demand = turns.allowed(job, demand)
            if demand.number < demand.least:
                results[id(one)] = _waits(run, turns.wait(job, run.demand, try_place(demand, cluster)))
                continue
        elif missing := lacking(demand, run.queue, occupancy.capabilities.get(run.queue, {}), occupancy.used.get(run.queue, {})):
            results[id(one)] = FitVerdict(run, WAITS, by=BY_QUEUE, message=missing)
            continue
        remove(one.placed, cluster)
        one.placed = ()
        # The same pods fit no better until others are on the nodes.
        key = (changes, *_kind(demand)) if demand.is_plain and len(demand.sets) == 1 else None
        least = demand.least if demand.gang else 1
        shortfall = stuck.get(key)
        placement = place(demand, cluster) if shortfall is None or shortfall.schedulable >= least else None
        flavors, evicts = flavor_names(assignment), admission.evicts.get(id(one), ())
        if placement is not None and placement.starts(demand):
            order += 1
            changes += 1
            occupancy.start(one, placement.placed)
            if job is not None:
                turns.start(job, placement.placed)
            domains = shown_domains(assignment) or placement.hyper_node
            results[id(one)] = FitVerdict(
                run, FITS, order=order, flavors=flavors, domains=domains, demand=demand, placement=placement, evicts=evicts
            )
            continue
        started = 0
        if placement is not None:
            shortfall = placement.shortfall
            if demand.gang:
                remove(placement.placed, cluster)
            if key is not None and (demand.gang or not placement.placed):
                stuck[key] = shortfall
            if placement.placed and not demand.gang:
                started = len(placement.placed)
                changes += 1
                one.placed = placement.placed
        assert shortfall is not None, "a run without one is placed"
        waiting = waiting_message(run.demand, shortfall)
        results[id(one)] = FitVerdict(
            run, WAITS, by=BY_SCHEDULER, message=waiting, started=started, flavors=flavors, evicts=evicts
        )
    for name, job in jobs.items():
        one = by_name[name]
        if not one.has_started and not turns.has_tried(job):
            results[id(one)] = _waits(one.run, turns.wait(job, one.run.demand))
    for one in candidates:
        verdict = results[id(one)]
        if verdict.order:
            results[id(one)] = verdict._replace(evictable_by=_evictable_by(one, occupancy))
    return results


def _in_order(
    candidates: dict[str, Candidate], jobs: dict[str, VolcanoJob], turns: VolcanoTurns
) -> Iterator[tuple[Candidate, VolcanoJob | None]]:
    """The runs in the order in which they are placed. Volcano's scheduler selects its own, one for each of their turns."""
    for name, one in candidates.items():
        if name not in jobs:
            yield one, None
        elif (job := turns.next()) is not None:
            yield candidates[job.name], job
    while (job := turns.next()) is not None:
        yield candidates[job.name], job


def _kind(demand: Demand) -> tuple[object, ...]:
    """Equal for runs of which the scheduler places equally many pods. HyperNodes are tried only for a whole gang."""
    ((kind, number),) = demand.kind
    return (kind, demand.volcano is None) if demand.highest_tier is None else (kind, number, demand.highest_tier)


def _waits(run: FitRun, wait: VolcanoWait) -> FitVerdict:
    return FitVerdict(run, WAITS, by=BY_QUEUE, message=wait.message, share=wait.share)


# Runs that wait for queues of Kueue -> those that it admits, and the runs that it evicts for them.

_DEFAULT_SCHEDULER = "default-scheduler"


class Admission(NamedTuple):
    """What the queues decide."""

    waiting: dict[int, FitVerdict]
    """Identity of a candidate -> why it waits for its queue."""
    evicts: dict[int, tuple[str, ...]]
    """Identity of a candidate -> the titles of the runs that are evicted for it."""
    evicted: list[Candidate]
    """Runs that had started, and lost their quota. Their pods are removed."""


def _admit(candidates: Sequence[Candidate], occupancy: Occupancy) -> Admission:
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
        id(known[name]): _waits_for_quota(known[name], message, outcome, known, last.get(name))
        for name, message in outcome.waiting.items()
    }
    return Admission(waiting, evicts, list(evicted.values()))


def _waits_for_quota(
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


def _evictable_by(candidate: Candidate, occupancy: Occupancy) -> tuple[str, ...]:
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
