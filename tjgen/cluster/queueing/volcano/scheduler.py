"""Queues and jobs -> which jobs Volcano's scheduler tries to place, in which order, and how many of their pods.

Mirrors sessions with the actions enqueue and allocate (volcano v1.15 pkg/scheduler/actions) and the plugins overcommit, and
proportion or capacity. The caller places the pods. Queues that are created in the same second are in the order of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tjgen.cluster.queueing.volcano.messages import INSUFFICIENT, OVERUSED, event
from tjgen.cluster.queueing.volcano.objects import PROPORTION, VolcanoCluster, VolcanoJob, WeightedQueue
from tjgen.cluster.queueing.volcano.resources import (
    NOTHING,
    Resources,
    added,
    beyond,
    exceeding,
    is_empty,
    is_within,
    limited,
    most,
    share,
)
from tjgen.trees.typing import NamedTuple

OVERCOMMIT = 1.2
"""How much of all nodes the groups that are Inqueue can request (`overcommit-factor`)."""


class EnqueueRejection(NamedTuple):
    """Why a group stays Pending."""

    message: str
    """The event of the group."""
    resources: list[str]
    is_of_cluster: bool
    """Whether all groups request too much, not those of its queue."""


class RunningJob(NamedTuple):
    """A job with pods on nodes."""

    job: VolcanoJob
    allocated: Resources


class VolcanoSessions:
    """Sessions of the scheduler until one changes nothing."""

    def __init__(
        self,
        cluster: VolcanoCluster,
        running: Iterable[RunningJob],
        inqueue: Iterable[VolcanoJob],
        pending: Iterable[VolcanoJob],
        used: Resources,
    ) -> None:
        """`inqueue` and `pending` are the jobs that do not run. `used` is what all pods on nodes request."""
        self._cluster, self._used = cluster, used
        self._capabilities = real_capabilities(cluster)
        self.most_inqueue = {name: amount * OVERCOMMIT for name, amount in cluster.total.items()}
        """What all groups that run or are Inqueue can request."""
        self._running, self._pending = list(running), list(pending)
        self.inqueue = list(inqueue)
        """The jobs that wait, and whose groups are Inqueue."""
        self._allocated = {
            name: added(one.allocated for one in self._running if one.job.queue == name) for name in cluster.queues
        }
        self._open()

    def _open(self) -> None:
        """Open a session: compute what the queues deserve, and enqueue groups."""
        self.rejected: dict[str, EnqueueRejection] = {}
        """Job -> why its group stays Pending."""
        self.tried: set[str] = set()
        """The jobs to which the session came."""
        self._share_out()
        order = sorted(self._pending, key=lambda one: (self._order(one.queue), _place(one)))
        enqueued = list(self._enqueue(order))
        self._pending = [one for one in self._pending if one not in enqueued]
        # The pods of Volcano Jobs exist from the next session on.
        jobs = sorted([*self.inqueue, *(one for one in enqueued if one.has_pods)], key=_place)
        self._lines = {name: [one for one in jobs if one.queue == name] for name in self._cluster.queues}
        self.inqueue += enqueued
        self._has_changed = bool(enqueued)

    def next(self) -> VolcanoJob | None:
        """The job to place now; None if no session changes anything."""
        while True:
            names = [name for name, jobs in self._lines.items() if jobs]
            if names:
                name = min(names, key=self._order)
                if self._cluster.plugin != PROPORTION or not is_within(self.deserved[name], self._allocated[name]):
                    job = self._lines[name].pop(0)
                    self.tried.add(job.name)
                    return job
                self._lines[name] = []  # the queue is overused
            elif self._has_changed:
                self._open()
            else:
                return None

    def is_allowed(self, job: VolcanoJob, before: Resources, requests: Resources) -> bool:
        """Whether the queue can use what one pod requests, and the pods of the job `before` it."""
        return not self.lacking(job, added([before, requests]), requests)

    def lacking(self, job: VolcanoJob, more: Resources, requests: Resources) -> list[str]:
        """The resources of which the queue can use no more, if its jobs use `more` than now."""
        return beyond(added([self._allocated[job.queue], more]), self.limits(job.queue), requests)

    def limits(self, queue: str) -> Resources:
        """What the jobs of a queue can use together now."""
        return self.deserved[queue] if self._cluster.plugin == PROPORTION else self._capabilities[queue]

    def capability(self, queue: str) -> Resources:
        """What the jobs of a queue can use together at most."""
        return self._capabilities[queue]

    def allocated(self, queue: str) -> Resources:
        """What the jobs of a queue use."""
        return self._allocated[queue]

    def allocate(self, job: VolcanoJob, amounts: Resources) -> None:
        """Count the pods of a job that are on nodes now."""
        self._allocated[job.queue] = added([self._allocated[job.queue], amounts])
        self._used = added([self._used, amounts])
        self._running.append(RunningJob(job, amounts))
        self.inqueue.remove(job)
        self._has_changed = True

    def _share_out(self) -> None:
        """Compute what each queue deserves from the requests of the pods that exist."""
        if self._cluster.plugin != PROPORTION:
            self.deserved = _as_written(self._cluster.queues, self._capabilities)
            return
        requests: dict[str, list[Resources]] = {}
        for one in (*(one.job for one in self._running), *self.inqueue):
            requests.setdefault(one.queue, []).append(one.requests)
        for one in self._pending:
            requests.setdefault(one.queue, []).append(one.requests if one.has_pods else NOTHING)
        wanted = {name: added(several) for name, several in requests.items()}
        shares = by_weight(self._cluster.queues, wanted, self._capabilities, self._cluster.total)
        self.deserved = {name: shares.get(name, NOTHING) for name in self._cluster.queues}

    def _order(self, name: str) -> tuple[int, float, bool, str]:
        """The key of a queue among the others (`QueueOrderFn`)."""
        deserved = self.deserved[name]
        part = share(self._allocated[name], deserved)
        is_best_effort = self._cluster.plugin != PROPORTION and is_empty(deserved)
        return (-self._cluster.queues[name].priority, 1.0 if is_best_effort else part, is_best_effort, name)

    def _enqueue(self, order: Iterable[VolcanoJob]) -> Iterator[VolcanoJob]:
        idle = {name: amount - self._used.get(name, 0.0) for name, amount in self.most_inqueue.items()}
        together = added(one.min_resources for one in self.inqueue)
        by_queue = {name: added(one.min_resources for one in self.inqueue if one.queue == name) for name in self._allocated}
        elastic = {name: _elastic(self._running, name) for name in self._allocated}
        for one in order:
            name, least = one.queue, one.min_resources
            overused = beyond(added([together, least]), idle, least)
            wanted = added([least, self._allocated[name], by_queue[name], {key: -n for key, n in elastic[name].items()}])
            insufficient = beyond(wanted, self._capabilities[name], least)
            if overused:
                self.rejected[one.name] = EnqueueRejection(event(OVERUSED, overused), overused, is_of_cluster=True)
            elif insufficient:
                self.rejected[one.name] = EnqueueRejection(event(INSUFFICIENT, insufficient), insufficient, is_of_cluster=False)
            else:
                together = added([together, least])
                by_queue[name] = added([by_queue[name], least])
                yield one


def _place(job: VolcanoJob) -> tuple[int, int]:
    """The key of a job in its queue (`JobOrderFn`)."""
    return (-job.priority, job.created)


def _elastic(running: Sequence[RunningJob], queue: str) -> Resources:
    return added(exceeding(one.allocated, one.job.min_resources) for one in running if one.job.queue == queue)


# Queues and what their jobs request -> what each queue deserves, and what it can use at most.
#
# Mirrors `OnSessionOpen` of the plugins proportion and capacity (volcano v1.15 pkg/scheduler/plugins).


def real_capabilities(cluster: VolcanoCluster) -> dict[str, Resources]:
    """Queue -> what it can use at most: the nodes without the guarantees of other queues, and at most its capability."""
    free = exceeding(cluster.total, added(one.guarantee for one in cluster.queues.values()))
    return {name: limited(added([free, one.guarantee]), one.capability) for name, one in cluster.queues.items()}


def by_weight(
    queues: Mapping[str, WeightedQueue], requests: Mapping[str, Resources], most_of: Mapping[str, Resources], total: Resources
) -> dict[str, Resources]:
    """Queue with jobs -> what it deserves of all nodes (plugin proportion).

    The nodes are divided by weight. What a queue does not request, or its capability does not allow, is divided again.
    """
    deserved: dict[str, Resources] = {name: {} for name in requests}
    remaining, met = dict(total), set[str]()
    while True:
        weights = sum(queues[name].weight for name in requests if name not in met)
        if not weights:
            return deserved
        before = remaining
        increased: dict[str, float] = {}
        decreased: dict[str, float] = {}
        for name, request in requests.items():
            if name in met:
                continue
            old, part = deserved[name], queues[name].weight / weights
            new = limited(added([old, {key: amount * part for key, amount in remaining.items()}]), most_of[name])
            new = most({key: min(amount, request.get(key, 0.0)) for key, amount in new.items()}, queues[name].guarantee)
            deserved[name] = new
            if is_within(request, new) or new == old:
                met.add(name)
            increased = added([increased, exceeding(new, old)])
            decreased = added([decreased, exceeding(old, new)])
        remaining = exceeding(added([remaining, decreased]), increased)
        if is_empty(remaining) or remaining == before:
            return deserved


def _as_written(queues: Mapping[str, WeightedQueue], most_of: Mapping[str, Resources]) -> dict[str, Resources]:
    """Queue -> what it deserves, as its Queue sets it (plugin capacity)."""
    return {name: most(limited(one.deserved, most_of[name]), one.guarantee) for name, one in queues.items()}
