"""What is said of restarts, deadlines, gangs and the end of a run -> `runPolicy` and the restart policies of the replica types.

The operators start a failed pod again alone, where Trainer's runtimes start all of them: training-operator v1.9
`controller.v1/common/pod.go:ReconcilePods`, `job.go:ReconcileJobs`; mpi-operator v0.8 `newLauncherJob`.
"""

from __future__ import annotations

from collections.abc import Iterator

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
_TIMEOUT = ("timeoutSeconds", "scheduleTimeoutSeconds")


def run_policy(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    """`runPolicy`, and what of it does not do what it seems to."""
    clean = ("policy", "cleanup", "pods")
    if not _take(writer, (*_RUN, "cleanPodPolicy"), workload, clean):
        # Upstream's None leaves pods that still run, and their devices with them, when the others have ended.
        writer.put((*_RUN, "cleanPodPolicy"), "Running", RULE)
    if _take(writer, (*_RUN, "ttlSecondsAfterFinished"), workload, ("policy", "cleanup", "ttlSeconds")):
        yield _trains_again(kind)
    _take(writer, (*_RUN, "activeDeadlineSeconds"), workload, ("run", "activeDeadlineSeconds"))
    yield from _limit(writer, workload, kind)
    yield from _gang(writer, workload, kind)
    for field in ("suspend", "managedBy"):
        _take(writer, (*_RUN, field), workload, ("run", field))


def has_gang(workload: Workload) -> bool:
    """Whether the pods may be those of a gang scheduler: not where the run is let in as a whole, or nobody waits for anybody."""
    queued = get(workload.tree.value, ("metadata", "labels", KUEUE_QUEUE), None) is not None
    return not queued and get(workload.tree.value, ("schedule", "system"), None) not in ("kueue", "none")


def restart_policy(writer: Writer, workload: Workload, podset: PodSet, at: FieldPath) -> None:
    """What is said for the run, then for its pods; else what the runtime does about failures, pod by pod."""
    to = (*at, "restartPolicy")
    if _take(writer, to, workload, ("policy", "restart", "policy")):
        return
    pod: FieldPath = (*podset.pod, "restartPolicy")
    said = [origin for origin in workload.tree.origins(pod) if origin.source == "experiment"]
    if said and get(workload.tree.value, pod, None) is not None:
        writer.put(to, get(workload.tree.value, pod), said[0])
    else:
        starts_again = restarts(workload, podset) > 0
        writer.put(to, "OnFailure" if starts_again else "Never", _of_runtime(workload, podset))


def restarts(workload: Workload, podset: PodSet) -> int:
    """How often a runtime starts a lost pod again: with all others, or alone."""
    together = get(workload.tree.value, (*_FAILURE, "maxRestarts"), None)
    if together is not None:
        return int(together)
    return int(get(workload.tree.value, (*podset.path, "template", "spec", "backoffLimit"), None) or 0)


def _limit(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    policy = get(workload.tree.value, ("policy", "restart", "policy"), None)
    members = [podset for podset in workload.podsets if not podset.is_initializer]
    to = (*_RUN, "backoffLimit")
    if _take(writer, to, workload, ("policy", "restart", "limit")):
        if policy == "Never" and kind.name != "MPIJob":
            message = f"with policy Never nothing of {kind.with_article} starts again, however high the limit is"
            path: FieldPath = ("spec", "restart", "limit")
            hint = "use policy: OnFailure or ExitCode, or remove the limit"
            yield Diagnostic("TJ429", message, path=path, hint=hint)
        return
    most = max((restarts(workload, podset) for podset in members), default=0)
    if policy != "Never" and most:
        writer.put(to, most, _of_runtime(workload, members[0]))
    several = sum(workload.tree.value["counts"].values()) > 1
    if policy is None and several and get(workload.tree.value, (*_FAILURE, "maxRestarts"), None):
        message = f"the runtime starts all pods again when one fails, and {kind.with_article} only that one"
        hint = "say restart.policy, and save checkpoints from which one node can join the others again"
        yield Diagnostic("TJ436", message, path=("spec", "target"), hint=hint)


def _gang(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    at = (*_RUN, "schedulingPolicy")
    for said, field in (*_GANG, _TIMEOUT):
        _take(writer, (*at, field), workload, ("schedule", said))
    total = sum(workload.tree.value["counts"].values())
    least = writer.get((*at, "minAvailable"))
    if least is not None and least > total:
        message = f"the gang waits for {least} pods, and the run has {total}: it never begins"
        path: FieldPath = ("spec", "schedule", "minAvailable")
        yield Diagnostic("TJ437", message, path=path, hint=f"use at most {total}")
    of_runtime = has_gang(workload) and get(workload.tree.value, ("runtime", "podGroupPolicy"), None)
    if writer.get(at) is not None or of_runtime:
        flag = "--gang-scheduling" if kind.name == "MPIJob" else "--gang-scheduler-name"
        message = f"whether the pods of {kind.with_article} wait for each other is the operator's setting ({flag})"
        hint = "see that the operator runs with it; else only the pods' own priority has an effect"
        because: FieldPath = ("spec", "schedule" if writer.get(at) is not None else "runtime")
        yield Diagnostic("TJ435", message, path=because, hint=hint)


def _trains_again(kind: OperatorJob) -> Diagnostic:
    message = f"the {kind.name} removes itself after the run, and whoever syncs this folder makes it again: it trains again"
    hint = "remove cleanup.ttlSeconds, or set state: archived when the run has ended"
    path: FieldPath = ("spec", "cleanup", "ttlSeconds")
    return Diagnostic("TJ428", message, path=path, hint=hint)


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
