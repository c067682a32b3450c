"""Runs and a cluster -> those that start next to each other, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.queueing.volcano.objects import VolcanoJob
from tjgen.compiler.fit.admission import admit, evictable_by
from tjgen.compiler.fit.capability import lacking
from tjgen.compiler.fit.demand import Demand
from tjgen.compiler.fit.domains import admitted, shown_domains
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
    admission = admit(candidates, occupancy)
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
            results[id(one)] = verdict._replace(evictable_by=evictable_by(one, occupancy))
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
