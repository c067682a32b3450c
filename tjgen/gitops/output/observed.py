"""The object of a run, its JobSet and Jobs, its pods, and events -> the state of the run, and how often it has started again.

The object has the first word (sync/rules.py). Pods show more: whether they have nodes, and which of them have started. Events
show that the API server refuses pods, which no status does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tjgen.cluster.kinds.jobset import JOBSET
from tjgen.cluster.kinds.protocol import Kind, Phases
from tjgen.gitops.output.pods import current, has_node, has_started, restarts_of
from tjgen.gitops.sync.health import Observed, state_of
from tjgen.gitops.sync.states import (
    ENDED,
    PODLESS,
    QUEUED,
    REFUSED,
    RUNNING,
    STARTING,
    SUSPENDED_RUN,
    UNSEEN,
    WAITING,
)
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import NamedTuple

_JOB = "FailedCreate"
_OF_PODS = (_JOB, "FailedCreatePod", "FailedToCreateHeadPod", "FailedToCreateWorkerPod")
_OF_OTHERS = (
    "JobCreationFailed",
    "TrainJobResourcesCreationFailed",
    "MPIJobFailed",
    "FailedToCreateRayCluster",
    "FailedToCreateRayJobSubmitter",
)
"""Reasons of events about pods, and about other objects, that the API server refuses: those of the Job controller, Training
Operator, and KubeRay, and of JobSet, Trainer, MPI Operator, and KubeRay."""
_SECONDS = len("2026-01-01T00:00:00")
_CREATING = re.compile(r'^Error creating: (pods "[^"]*" is forbidden: )?')


class RunObjects(NamedTuple):
    """What the cluster reported of one run."""

    live: Tree
    """The object that trains."""
    jobset: Tree | None
    """The JobSet of a TrainJob, or the object itself; None for other kinds."""
    jobs: Sequence[Tree]
    """Its Jobs, of those that were read."""
    pods: Sequence[Tree]
    events: Sequence[Tree]
    """Events about the object, or about the JobSet and the Jobs of the run."""
    workload: Tree | None
    """Its Workload in Kueue."""


def state_of_run(run: RunObjects, kind: Kind) -> Observed:
    """The state of a run. `kind` must have a status."""
    own = state_of(run.live, kind)
    pods = current(run.pods)
    if own.state in ENDED:
        return own
    if own.state in (SUSPENDED_RUN, QUEUED) and not pods:
        reason = _queued(run.workload)
        return own._replace(state=QUEUED, reason=reason) if reason else own
    if own.state in (PODLESS, UNSEEN) and run.jobset is not None:
        # Trainer copies the counts of the JobSet later.
        of_jobset = state_of(run.jobset, JOBSET)
        own = of_jobset if of_jobset.state in (RUNNING, STARTING) else own
    seen = _of_pods(own, pods) if pods else own
    return _refused(run, seen) or seen


def _of_pods(own: Observed, pods: Sequence[Tree]) -> Observed:
    """The state that pods show. Those that exist may all have started, and others be missing: `own` counts them."""
    placed, started = ([pod for pod in pods if is_so(pod)] for is_so in (has_node, has_started))
    if len(placed) < len(pods):
        return Observed(WAITING, f"{len(pods) - len(placed)} of {len(pods)} pods have no node")
    if len(started) < len(pods):
        return Observed(STARTING, f"{len(started)} of {len(pods)} pods have started")
    return own if own.state is STARTING else Observed(RUNNING)


def restarts_of_run(run: RunObjects, kind: Kind) -> int | None:
    """How often the run, its pods, and their containers have started again. None if nothing reports it.

    Deleted pods have no count. Without pods, 0 of a controller therefore does not mean that nothing has started again.
    """
    counted = [get(run.jobset, ("status", "restarts"), None)]
    if isinstance(kind.status, Phases) and kind.status.restarts:
        counted.append(get(run.live, ("status", kind.status.restarts), None))
    containers, replaced = restarts_of(run.pods)
    total = sum(one or 0 for one in counted) + containers + max(replaced, sum(map(_replaced, run.jobs)))
    return total if total or run.pods else None


def _replaced(job: Tree) -> int:
    """How many failed pods of a Job the Job controller has replaced: not those that its failure ends."""
    spec, status = job.get("spec") or {}, job.get("status") or {}
    failed, succeeded = (int(status.get(field) or 0) for field in ("failed", "succeeded"))
    has_failed = any(one.get("type") == "Failed" and one.get("status") == "True" for one in status.get("conditions") or ())
    last = max(0, int(spec.get("parallelism") or 1) - succeeded) if has_failed else 0
    return max(0, failed - last)


def _refused(run: RunObjects, seen: Observed) -> Observed | None:
    """REFUSED if the last attempt to create an object of the run failed, and the pods that exist do not show otherwise."""
    events = [one for one in run.events if _is_refusal(one, run, seen)]
    if not events:
        return None
    lines = str(max(events, key=_time).get("message") or "").splitlines()
    since = min(str(one.get("firstTimestamp") or "") for one in events)
    return Observed(REFUSED, _CREATING.sub("", lines[0]) if lines else "", since)


def _is_refusal(event: Tree, run: RunObjects, seen: Observed) -> bool:
    reason, time = event.get("reason"), _time(event)
    if time and time < _created(run.live):  # of an earlier run of this name
        return False
    if not run.pods:
        return reason in _OF_PODS + _OF_OTHERS
    # An elastic run trains with fewer pods, and a controller tries again after an error that does not last.
    if reason not in _OF_PODS or (seen.state is RUNNING and reason != _JOB):
        return False
    own = [_created(pod) for pod in run.pods if event["involvedObject"].get("name") in _owners(pod)]
    return not own or time > max(own)


def _owners(pod: Tree) -> list[Tree]:
    return [one.get("name") for one in get(pod, ("metadata", "ownerReferences"), None) or ()]


def _created(tree: Tree) -> str:
    return str(get(tree, ("metadata", "creationTimestamp"), None) or "")[:_SECONDS]


def _time(event: Tree) -> str:
    """When an event was seen last, to the second."""
    series = get(event, ("series", "lastObservedTime"), None)
    return str(event.get("lastTimestamp") or series or event.get("eventTime") or "")[:_SECONDS] or _created(event)


def _queued(workload: Tree | None) -> str:
    """Why Kueue has not admitted a workload; empty if it has, or if nothing is known of it."""
    conditions = get(workload, ("status", "conditions"), None) or ()
    waiting = {one.get("type"): str(one.get("message") or "") for one in conditions if one.get("status") == "False"}
    message = waiting.get("QuotaReserved") or waiting.get("Admitted")
    return f"queue {get(workload, ('spec', 'queueName'), '')}: {message}" if message else ""
