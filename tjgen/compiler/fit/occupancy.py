"""Runs and a cluster with its queues -> what the runs use of them while they start, end, and are evicted."""

from __future__ import annotations

from tjgen.cluster.queueing.kueue.flavorassigner import Assignment
from tjgen.cluster.queueing.kueue.objects import QueuedWorkload
from tjgen.cluster.queueing.volcano.objects import VolcanoJob
from tjgen.compiler.fit.placement import Placed, remove
from tjgen.compiler.fit.queues import needs, pod_sets
from tjgen.compiler.fit.verdicts import FitCluster, FitRun
from tjgen.compiler.fit.volcano import VolcanoState, job_of


class Candidate:
    """A run that is to start, and what it uses of the cluster."""

    def __init__(self, run: FitRun, created: int) -> None:
        self.run = run
        self.workload = QueuedWorkload(f"{created:06}", run.queue, pod_sets(run.demand), run.demand.workload_priority, created)
        """What Kueue reads of the run. Two runs can have one title, so the ordinal is its name."""
        self.assignment: Assignment | None = None
        """Its reservation in Kueue, which it keeps while its pods wait for nodes."""
        self.placed: Placed = ()
        """Its pods on nodes."""
        self.has_started = False

    @property
    def volcano_job(self) -> VolcanoJob:
        """What Volcano's scheduler reads of a run with a gang of Volcano."""
        return job_of(self.workload.name, self.run.queue, self.run.demand, self.workload.created)


class Occupancy:
    """The nodes and queues of a cluster, and what its runs use of them."""

    def __init__(self, shared: FitCluster) -> None:
        self.cluster = shared.cluster.without_pods()
        self.quotas = shared.quotas.without_workloads()
        self.capabilities = shared.capabilities
        self.priorities = shared.priorities
        self.volcano_cluster = shared.volcano
        self.used: dict[str, dict[str, int]] = {}
        """Queue -> what its runs use."""
        self.reserving: dict[str, Candidate] = {}
        """Workload with quota -> its run."""
        self.volcano = VolcanoState()
        """The groups of Volcano, by the names of workloads."""

    def start(self, candidate: Candidate, placed: Placed) -> None:
        """Keep the pods of a run that starts."""
        candidate.placed, candidate.has_started = placed, True
        used = self.used.setdefault(candidate.run.queue, {})
        for name, amount in needs(candidate.run.demand).items():
            used[name] = used.get(name, 0) + amount

    def stop(self, candidate: Candidate) -> None:
        """Remove the pods of a run."""
        remove(candidate.placed, self.cluster)
        self.volcano.remove(candidate.workload.name)
        if candidate.has_started:
            for name, amount in needs(candidate.run.demand).items():
                self.used[candidate.run.queue][name] -= amount
        candidate.placed, candidate.has_started = (), False

    def release(self, ended: Candidate) -> None:
        """Remove a run that started and ended."""
        self.stop(ended)
        if ended.assignment is not None:
            self.quotas.release(ended.run.queue, ended.workload.name)
            del self.reserving[ended.workload.name]
        ended.assignment = None
