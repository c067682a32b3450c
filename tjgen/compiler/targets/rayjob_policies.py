"""Settings for the end of a run, deadlines, new attempts and queues -> fields of a RayJob.

A new attempt has a new RayCluster, so all pods start again, as they do with the runtimes of Trainer. The RayJob itself stays when
its RayCluster is deleted, so a sync does not train it again. Upstream: KubeRay v1.5.1
`rayjob_controller.go:handleShutdownAfterJobFinishes`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.ray import HEAD
from tjgen.cluster.outcomes import deadline_problems
from tjgen.compiler.targets.kubeflow_policies import restarts
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.workload.workload import Workload, is_runtimes

_RULE = Origin("target:rayjob", "tjgen")
_OF_RUNTIME = Origin("target:rayjob", "runtime", ("spec", "template", "spec"))
_CLEAN: FieldPath = ("policy", "cleanup", "pods")
_LIMIT: FieldPath = ("policy", "restart", "limit")
_DEADLINE: FieldPath = ("run", "activeDeadlineSeconds")
_COPIED: tuple[tuple[FieldPath, str], ...] = (
    (("policy", "cleanup", "ttlSeconds"), "ttlSecondsAfterFinished"),
    (_DEADLINE, "activeDeadlineSeconds"),
    (_LIMIT, "backoffLimit"),
    (("run", "suspend"), "suspend"),
    (("run", "managedBy"), "managedBy"),
)


def write(writer: Writer, workload: Workload) -> None:
    """The fields of the RayJob around its RayCluster."""
    keeps_pods = get(workload.tree.value, _CLEAN, None) == "None"
    because = workload.tree.origins(_CLEAN)[0]._replace(mirrors=False) if keeps_pods else _RULE
    writer.put(("spec", "shutdownAfterJobFinishes"), not keeps_pods, because)
    for path, field in _COPIED:
        value: Tree = get(workload.tree.value, path, None)
        for origin in workload.tree.origins(path) if value is not None else ():
            writer.put(("spec", field), value, origin)
    most = _restarts(workload)
    if most and get(workload.tree.value, _LIMIT, None) is None:
        writer.put(("spec", "backoffLimit"), most, _OF_RUNTIME)


def _restarts(workload: Workload) -> int:
    """How often the RayJob can start again."""
    limit = get(workload.tree.value, _LIMIT, None)
    if limit is not None:
        return int(limit)
    return max((restarts(workload, one) for one in workload.podsets if not one.is_initializer), default=0)


def unsupported(workload: Workload) -> Iterator[Diagnostic]:
    """TJ425 for settings without a field."""
    tree = workload.tree.value
    policy = get(tree, ("policy", "restart", "policy"), None)
    if policy not in (None, "Never"):
        hint = "use restart.limit: each new attempt has a new RayCluster"
        yield _cannot(("restart", "policy"), f"restart its program in a pod with policy {policy}", hint)
    if get(tree, _DEADLINE, None) is not None:
        yield from deadline_problems("RayJob", ("spec", "deadline"), means="", restarts=_restarts(workload))
    if get(tree, ("policy", "success"), None):
        yield _cannot(("success",), "succeed with anything but its program", "remove success")
    waits = get(tree, ("run", "suspend"), None) or get(tree, ("metadata", "labels", KUEUE_QUEUE), None) is not None
    if get(tree, _CLEAN, None) == "None":
        if waits:
            hint = "remove cleanup.pods: a run that can be suspended is shut down at its end"
            yield _cannot(("cleanup", "pods"), "both be suspended and keep its pods", hint)
        elif get(tree, ("policy", "cleanup", "ttlSeconds"), None):
            yield _cannot(("cleanup", "ttlSeconds"), "delete its pods later and keep them", "remove one of them")
    if get(tree, ("schedule", "system"), None) in ("volcano", "coscheduling"):
        system = get(tree, ("schedule", "system"))
        hint = "use schedule.system: kueue with the name of a LocalQueue in schedule.queue: Kueue admits all pods together"
        yield _cannot(("schedule", "system"), f"request a gang of {system} by a field", hint)
    for field in ("minAvailable", "minResources", "timeoutSeconds"):
        if get(tree, ("schedule", field), None) is not None:
            yield _cannot(("schedule", field), f"set {field} of a gang", f"remove {field}: Kueue admits all pods together")
    if get(tree, ("schedule", "queue"), None) is not None:
        yield _cannot(("schedule", "queue"), "wait in a queue without Kueue", "add schedule.system: kueue")
    yield from _programs_of_workers(workload)
    for podset in workload.podsets:
        path: FieldPath = (*podset.pod, "schedulerName")
        origins = workload.tree.origins(path)
        if get(tree, path, None) is not None and podset.is_initializer is False and all(map(is_runtimes, origins)):
            yield _cannot(("runtime",), f"use the scheduler {get(tree, path)} of the runtime", "use tjgen-plain")
            return


def _programs_of_workers(workload: Workload) -> Iterator[Diagnostic]:
    """TJ425 for a command of a group of workers, whose pods only run Ray."""
    for podset in workload.podsets:
        for field in ("command", "args") if podset.name != HEAD else ():
            because = ("spec", "roles", podset.name, field)
            if any(origin.because == because for origin in workload.tree.origins((*podset.main, field))):
                hint = "remove it: the program of the experiment starts tasks on these pods"
                yield _cannot(because[1:], f"run a program of its own in group {podset.name}", hint)


def _cannot(path: FieldPath, what: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ425", f"a RayJob cannot {what}", path=("spec", *path), hint=hint)
