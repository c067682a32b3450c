"""Runs with a gang of Volcano -> which one its scheduler places next, how many of its pods, and why others wait."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.queueing.volcano.messages import gang_message
from tjgen.cluster.queueing.volcano.objects import DEFAULT_QUEUE, VolcanoCluster, VolcanoJob
from tjgen.cluster.queueing.volcano.resources import Resources, added, amount_of, resources_of
from tjgen.cluster.queueing.volcano.scheduler import OVERCOMMIT, RunningJob, VolcanoSessions
from tjgen.cluster.scheduling.node import shown
from tjgen.compiler.fit.demand import Demand, pod_resources
from tjgen.compiler.fit.placement import NOT_TRIED, Placed, Placement, Shortfall
from tjgen.trees.typing import NamedTuple


class VolcanoWait(NamedTuple):
    """Why a run waits for its queue."""

    message: str
    """What Volcano writes."""
    share: str
    """What the queue can use, and what it uses."""


class VolcanoState:
    """The groups of Volcano that are Inqueue or run."""

    def __init__(self) -> None:
        self.running: dict[str, RunningJob] = {}
        self.inqueue: dict[str, VolcanoJob] = {}

    def remove(self, name: str) -> None:
        """Remove a group that ended."""
        self.running.pop(name, None)
        self.inqueue.pop(name, None)


def job_of(name: str, queue: str, demand: Demand, created: int) -> VolcanoJob:
    """The group of a run that has one."""
    assert demand.volcano is not None, "the run has a gang of Volcano"
    group = demand.volcano
    return VolcanoJob(
        name, queue or DEFAULT_QUEUE, demand.priority, created, demand.resources, group.min_resources, group.has_pods
    )


class VolcanoTurns:
    """The sessions of Volcano's scheduler with the runs of a tree."""

    def __init__(
        self, cluster: VolcanoCluster | None, state: VolcanoState, pending: Sequence[VolcanoJob], used: dict[str, int]
    ) -> None:
        """`pending` are the groups that do not run; some may be Inqueue. `used` is what all pods on nodes request.

        There are no groups if the queues and nodes are unknown.
        """
        cluster = cluster or VolcanoCluster({}, {})
        waiting = [one for one in pending if one.name not in state.inqueue]
        self._sessions = VolcanoSessions(cluster, state.running.values(), state.inqueue.values(), waiting, resources_of(used))
        self._state = state

    def next(self) -> VolcanoJob | None:
        """The group to place now; None if no session changes anything."""
        job = self._sessions.next()
        if job is None:
            self._state.inqueue = {one.name: one for one in self._sessions.inqueue}
        return job

    def has_tried(self, job: VolcanoJob) -> bool:
        """Whether the last session came to the group."""
        return job.name in self._sessions.tried

    def allowed(self, job: VolcanoJob, demand: Demand) -> Demand:
        """The pods that the queue of the group can use now."""
        if not self._sessions.lacking(job, job.requests, job.requests):
            return demand
        before: Resources = {}
        sets = []
        for one in demand.sets:
            kept = []
            for pod in one.pods:
                requests = pod_resources(pod)
                if self._sessions.is_allowed(job, before, requests):
                    before = added([before, requests])
                    kept.append(pod)
            if kept:
                sets.append(one._replace(pods=tuple(kept)))
        return demand._replace(sets=tuple(sets))

    def start(self, job: VolcanoJob, placed: Placed) -> None:
        """Count the pods of a group that are on nodes now."""
        amounts = added(pod_resources(pod) for pod, _ in placed)
        self._sessions.allocate(job, amounts)
        self._state.running[job.name] = RunningJob(job, amounts)

    def wait(self, job: VolcanoJob, demand: Demand, placement: Placement = NOT_TRIED) -> VolcanoWait:
        """Why a group waits for its queue. `placement` is that of the pods that the queue can use."""
        event = self._sessions.rejected.get(job.name)
        message = waiting_message(demand, placement.shortfall)
        lacking = self._sessions.lacking(job, job.requests, job.requests)
        if event is not None and event.is_of_cluster:
            return VolcanoWait(event.message, self._whole(event.resources[0]))
        if event is not None:
            message, lacking = event.message, event.resources
        return VolcanoWait(message, self._share(job.queue, lacking[0]) if lacking else "")

    def _whole(self, resource: str) -> str:
        amount = shown(resource, amount_of(resource, self._sessions.most_inqueue.get(resource, 0.0)))
        return f"all runs that start or wait for nodes can request {amount} of {resource}, {OVERCOMMIT} times what the nodes have"

    def _share(self, queue: str, resource: str) -> str:
        def amount(amounts: Resources) -> str:
            return shown(resource, amount_of(resource, amounts.get(resource, 0.0)))

        session = self._sessions
        limit, most = session.limits(queue), session.capability(queue)
        used = f"and its runs use {amount(session.allocated(queue))}"
        if limit.get(resource, 0.0) < most.get(resource, 0.0):
            return f"queue {queue} deserves {amount(limit)} of {resource} while other queues request more, {used}"
        return f"queue {queue} can use {amount(most)} of {resource}, {used}"


def waiting_message(demand: Demand, shortfall: Shortfall) -> str:
    """What a scheduler writes about a run of which not all pods have a node."""
    if demand.volcano is None:
        return shortfall.sentence
    pods = [pod for one in demand.sets for pod in one.pods]
    reason = f"{pods[shortfall.position].name}: {shortfall.sentence}" if shortfall.sentence else ""
    return gang_message(demand.least, demand.number, shortfall.schedulable, reason)
