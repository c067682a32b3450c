"""Settings for restarts, deadlines, gangs and the end of a run -> `runPolicy` and the restart policies of the replica types.

The operators start a failed pod again alone, where Trainer's runtimes start all of them: training-operator v1.9
`controller.v1/common/pod.go:ReconcilePods`, `job.go:ReconcileJobs`; mpi-operator v0.8 `newLauncherJob`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster import outcomes
from tjgen.compiler.targets.operator_job import OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.workload.workload import PodSet, Workload

RULE = Origin("target:kubeflow", "tjgen")
_RUN: FieldPath = ("spec", "runPolicy")
_FAILURE: FieldPath = ("runtime", "template", "spec", "failurePolicy")
_GANG = (
    ("minAvailable", "minAvailable"),
    ("minResources", "minResources"),
    ("queue", "queue"),
    ("priorityClassName", "priorityClass"),
)
MIN_AVAILABLE: FieldPath = (*_RUN, "schedulingPolicy", "minAvailable")
"""Size of the gang, if the operator runs with gang scheduling."""
_LIMIT: FieldPath = ("policy", "restart", "limit")
_LIMIT_AT: FieldPath = ("spec", "restart", "limit")
_TTL_AT: FieldPath = ("spec", "cleanup", "ttlSeconds")
_DEADLINE: FieldPath = ("run", "activeDeadlineSeconds")
_TIMEOUT = ("timeoutSeconds", "scheduleTimeoutSeconds")


def run_policy(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    """`runPolicy`, and what of it does not do what it seems to."""
    clean = ("policy", "cleanup", "pods")
    if not _take(writer, (*_RUN, "cleanPodPolicy"), workload, clean):
        # Upstream's None leaves pods that still run, and their devices with them, when the others have ended.
        writer.put((*_RUN, "cleanPodPolicy"), "Running", RULE)
    if _take(writer, (*_RUN, "ttlSecondsAfterFinished"), workload, ("policy", "cleanup", "ttlSeconds")):
        yield from outcomes.ttl_problems(kind.name, _TTL_AT)
    if _take(writer, (*_RUN, "activeDeadlineSeconds"), workload, _DEADLINE):
        means = outcomes.POD_DEADLINES if has_pod_deadlines(kind) else ""
        yield from outcomes.deadline_problems(kind.name, ("spec", "deadline"), means=means, restarts=0)
    yield from _limit(writer, workload, kind)
    yield from _gang(writer, workload, kind)
    for field in ("suspend", "managedBy"):
        _take(writer, (*_RUN, field), workload, ("run", field))


def has_pod_deadlines(kind: OperatorJob) -> bool:
    """Whether the pods have the deadline of the run, too, because the operator does not end a quiet run at its deadline."""
    outcome = outcomes.find(kind.name, outcomes.DEADLINE)
    return outcome is not None and outcome.result == outcomes.QUIET


def pod_deadline(writer: Writer, workload: Workload, kind: OperatorJob, pod: FieldPath) -> None:
    """Give the pods of a replica type the deadline of the run, unless theirs is earlier."""
    deadline = get(workload.tree.value, _DEADLINE, None)
    own = writer.get((*pod, "activeDeadlineSeconds"))
    if deadline is not None and has_pod_deadlines(kind) and (own is None or own > deadline):
        for origin in workload.tree.origins(_DEADLINE):
            writer.put((*pod, "activeDeadlineSeconds"), deadline, origin._replace(mirrors=False))


def has_gang(workload: Workload) -> bool:
    """Whether the pods may be those of a gang scheduler: not if a queue admits the run as a whole, or without a gang."""
    queued = get(workload.tree.value, ("metadata", "labels", KUEUE_QUEUE), None) is not None
    return not queued and get(workload.tree.value, ("schedule", "system"), None) not in ("kueue", "none")


def restart_policy(writer: Writer, workload: Workload, podset: PodSet, kind: OperatorJob, at: FieldPath) -> Iterator[Diagnostic]:
    """The policy of the run, then that of its pods; else what the runtime does about failures, pod by pod.

    TJ790 for a policy of the pods that differs from that of the run.
    """
    to = (*at, "restartPolicy")
    pod: FieldPath = (*podset.pod, "restartPolicy")
    origins = [origin for origin in workload.tree.origins(pod) if origin.source == "experiment"]
    if _never_by_limit(workload, kind, podset):
        writer.put(to, "Never", workload.tree.origins(_LIMIT)[0]._replace(mirrors=False))
        return
    if _take(writer, to, workload, ("policy", "restart", "policy")):
        own, of_run = get(workload.tree.value, pod, None), writer.get(to)
        if origins and own not in (None, of_run):
            message = f"pod.restartPolicy is {own}, and restart.policy is {of_run}: only the latter has an effect"
            yield Diagnostic("TJ790", message, path=origins[0].because, hint="remove one of them")
        return
    limited = workload.tree.origins(_LIMIT) if get(workload.tree.value, _LIMIT, None) else ()
    if origins and get(workload.tree.value, pod, None) is not None:
        writer.put(to, get(workload.tree.value, pod), origins[0])
    elif limited:
        writer.put(to, "OnFailure", limited[0]._replace(mirrors=False))
    else:
        starts_again = restarts(workload, podset) > 0
        writer.put(to, "OnFailure" if starts_again else "Never", _of_runtime(workload, podset))


def _never_by_limit(workload: Workload, kind: OperatorJob, podset: PodSet) -> bool:
    """Whether no container restarts in its pod, so that the limit is exact.

    A container restarts before its failure counts, so with a limit of 0 it would start twice. The launcher of an MPIJob is a Job,
    which starts a failed pod again by itself.
    """
    limit = get(workload.tree.value, _LIMIT, None)
    policy = get(workload.tree.value, ("policy", "restart", "policy"), None)
    if limit == 0:
        return policy in (None, "OnFailure")
    return limit is not None and policy is None and kind.types.get(podset.name) == "Launcher"


def restarts(workload: Workload, podset: PodSet) -> int:
    """How often a runtime starts a lost pod again: with all others, or alone."""
    together = get(workload.tree.value, (*_FAILURE, "maxRestarts"), None)
    if together is not None:
        return int(together)
    return int(get(workload.tree.value, (*podset.path, "template", "spec", "backoffLimit"), None) or 0)


def backoff_limit(limit: int, pods: int, policy: str | None) -> int:
    """`backoffLimit` for `limit` restarts of each of `pods` pods.

    The operators compare it with the container restarts of all pods together, and fail the job when the sum reaches it. A
    launcher that never restarts in its pod is a Job's pod, whose failures may reach the number but not exceed it.
    """
    return limit if policy == "Never" else limit * pods + 1


def _limit(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    policy = get(workload.tree.value, ("policy", "restart", "policy"), None)
    members = [podset for podset in workload.podsets if not podset.is_initializer]
    # The MPI Operator hands the limit to the launcher's Job. Its workers restart without limit.
    pods = 1 if kind.name == "MPIJob" else _most_pods(workload)
    to = (*_RUN, "backoffLimit")
    limit = get(workload.tree.value, _LIMIT, None)
    if limit is not None and policy == "ExitCode" and kind.name != "MPIJob":
        message = f"{kind.with_article} cannot limit restarts with policy ExitCode: the operator does not count them"
        hint = "use policy: OnFailure, or remove the limit and set a deadline, which ends the restarts"
        yield Diagnostic("TJ425", message, path=_LIMIT_AT, hint=hint)
        return
    if limit is not None:
        exact = any(_never_by_limit(workload, kind, podset) for podset in members)
        for origin in workload.tree.origins(_LIMIT):
            writer.put(to, backoff_limit(limit, pods, "Never" if exact else policy), origin._replace(mirrors=False))
        if policy == "Never" and kind.name != "MPIJob":
            message = f"with policy Never, no pod of {kind.with_article} restarts, so the limit has no effect"
            yield Diagnostic("TJ429", message, path=_LIMIT_AT, hint="use policy: OnFailure, or remove the limit")
        return
    most = max((restarts(workload, podset) for podset in members), default=0)
    if policy not in ("Never", "ExitCode") and most:
        # A Job's backoffLimit is for all of its pods; restarts of a JobSet are restarts of each pod.
        together = get(workload.tree.value, (*_FAILURE, "maxRestarts"), None) is not None
        writer.put(to, backoff_limit(most, pods if together else 1, policy), _of_runtime(workload, members[0]))
    several = sum(workload.tree.value["counts"].values()) > 1
    if policy is None and several and get(workload.tree.value, (*_FAILURE, "maxRestarts"), None):
        message = f"the runtime restarts all pods when one fails, and {kind.with_article} restarts only that pod"
        hint = "set restart.policy, and save checkpoints from which one node can join the others again"
        yield Diagnostic("TJ436", message, path=("spec", "target"), hint=hint)


def _most_pods(workload: Workload) -> int:
    """Pods of the run; of an elastic run the highest number."""
    total: int = sum(workload.tree.value["counts"].values())
    return max(int(get(workload.tree.value, ("policy", "elastic", "max"), 0)), total)


def _gang(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    at = (*_RUN, "schedulingPolicy")
    for source, field in (*_GANG, _TIMEOUT):
        _take(writer, (*at, field), workload, ("schedule", source))
    total = sum(workload.tree.value["counts"].values())
    system = get(workload.tree.value, ("schedule", "system"), None)
    if writer.get(at) is None and system in ("volcano", "coscheduling"):
        for origin in workload.tree.origins(("schedule", "system")):
            writer.put(MIN_AVAILABLE, total, origin._replace(mirrors=False))
    least = writer.get(MIN_AVAILABLE)
    if least is not None and least > total:
        message = f"the gang waits for {least} pods, but the run has only {total}: it never starts"
        path: FieldPath = ("spec", "schedule", "minAvailable")
        yield Diagnostic("TJ437", message, path=path, hint=f"use at most {total}")
    of_runtime = get(workload.tree.value, ("runtime", "podGroupPolicy"), None)
    # Kueue starts all pods of a run together without the flag.
    if has_gang(workload) and (writer.get(at) is not None or of_runtime):
        flag = "--gang-scheduling" if kind.name == "MPIJob" else "--gang-scheduler-name"
        message = f"the operator's flag {flag} decides whether the pods of {kind.with_article} wait for each other"
        hint = "start the operator with this flag; otherwise only the priority of the pods has an effect"
        because: FieldPath = ("spec", "schedule" if writer.get(at) is not None else "runtime")
        yield Diagnostic("TJ435", message, path=because, hint=hint)


def _of_runtime(workload: Workload, podset: PodSet) -> Origin:
    if get(workload.tree.value, (*_FAILURE, "maxRestarts"), None) is not None:
        return Origin("target:kubeflow", "runtime", ("spec", *_FAILURE[1:]))
    return RULE


def _take(writer: Writer, to: FieldPath, workload: Workload, path: FieldPath) -> bool:
    """Copy a value; whether there is one."""
    value: Tree = get(workload.tree.value, path, None)
    if value is None:
        return False
    for origin in workload.tree.origins(path):
        writer.put(to, value, origin)
    return True
