"""The failure policy of a runtime -> the lifecycle policies of a Volcano Job and its tasks, and warnings about them.

A runtime has the policy of a JobSet: a failure policy restarts all pods together up to `maxRestarts` times. Without one, each
pod restarts alone. Policies: volcano.sh/apis v1.13 `LifecyclePolicy`; events and actions: `pkg/apis/bus/v1alpha1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.outcomes import ttl_problems
from tjgen.compiler.targets import elastic, volcano_elastic
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import PodSet, Workload

_RULE = Origin("target:volcanojob", "tjgen")
_JOBSET: FieldPath = ("runtime", "template", "spec")
_JOB: FieldPath = ("template", "spec")
_LOST = ("PodEvicted", "PodFailed")
_ANY = ("PodFailed", "*")
"""Events of a pod that ends with any exit code."""
_BACKOFF_LIMIT = 6
"""The default of a Job (batch/v1)."""
_DISRUPTIONS = 20
"""Evictions that independent pods survive where their runtime does not count them. Volcano has one count for both causes."""


def write(writer: Writer, workload: Workload) -> None:
    """The policies of the Job, and its `maxRetry` unless the experiment sets it."""
    if _write_policies(writer, workload, ("volcano",), ("spec", "policies")):
        return
    failure = get(workload.tree.value, (*_JOBSET, "failurePolicy"), None)
    bounds = elastic.bounds(workload)
    if bounds is not None:
        # Each node may be lost as often as the runtime restarts all of them; Volcano counts evictions, too.
        together = get(failure, ("maxRestarts",), 0) * bounds["max"] + _DISRUPTIONS
        restarts = together if failure is not None else _restarts_of_pods(workload)
        action, because = "RestartPod", volcano_elastic.CAUSE
    elif failure is None:
        # Independent pods: a lost pod restarts alone.
        action, because, restarts = "RestartPod", _RULE, _restarts_of_pods(workload)
    else:
        because = Origin("target:volcanojob", "runtime", ("spec", *_JOBSET[1:], "failurePolicy"))
        restarts = int(failure.get("maxRestarts", 0))
        action = "RestartJob" if restarts else "TerminateJob"
    writer.put(("spec", "policies"), [{"event": event, "action": action} for event in _LOST], because)
    if action != "TerminateJob" and writer.get(("spec", "maxRetry")) is None:
        # maxRetry counts starts: the first one, and each restart of a pod or of the job, after evictions too.
        writer.put(("spec", "maxRetry"), 1 + restarts, because)


def _restarts_of_pods(workload: Workload) -> int:
    """Restarts of single pods that the runtime's Jobs allow, all Jobs together."""
    restarts = 0
    for podset in workload.podsets:
        if not podset.is_initializer:
            job = get(workload.tree.value, (*podset.path, *_JOB), {})
            restarts += int(job.get("backoffLimit", _BACKOFF_LIMIT))
            rules = get(job, ("podFailurePolicy", "rules"), None) or ()
            if any(rule.get("action") == "Ignore" and rule.get("onPodConditions") for rule in rules):
                restarts += _DISRUPTIONS
    return restarts


def of_task(writer: Writer, workload: Workload, podset: PodSet) -> None:
    """Return the policies of a task: the set ones, or the completion of the Job with the role that determines success."""
    at: FieldPath = ("spec", "tasks", named(podset.name), "policies")
    below: FieldPath = ("volcano", "tasks", podset.name)
    is_master = podset.name == volcano_elastic.master(workload)
    if is_master and get(workload.tree.value, (*below, "policies", volcano_elastic.FINISHED["event"]), None) is None:
        _write_policies(writer, workload, below, at, [(volcano_elastic.FINISHED, volcano_elastic.CAUSE)])
        return
    if _write_policies(writer, workload, below, at):
        return
    targets: FieldPath = (*_JOBSET, "successPolicy", "targetReplicatedJobs")
    if podset.name in (get(workload.tree.value, targets, None) or []):
        because = Origin("target:volcanojob", "runtime", ("spec", *targets[1:]))
        writer.put(at, [{"event": "TaskCompleted", "action": "CompleteJob"}], because)


def _write_policies(
    writer: Writer, workload: Workload, below: FieldPath, to: FieldPath, more: Sequence[tuple[Tree, Origin]] = ()
) -> bool:
    """Write the experiment's settings, and `more` behind them; return whether there are any."""
    policies = []
    origins = []
    for kind in ("policies", "exitCodes"):
        for key, policy in (get(workload.tree.value, (*below, kind), None) or {}).items():
            happened: Tree = {"event": key} if kind == "policies" else {"exitCode": _number(key)}
            policies.append({**happened, **policy})
            origins.append(workload.tree.origins((*below, kind, key))[0])
    policies += [policy for policy, _ in more]
    origins += [origin for _, origin in more]
    if policies:
        owners: Owners = {(position,): (origin,) for position, origin in enumerate(origins)}
        writer.graft(to, policies, {(): (origins[0],), **owners})
    return bool(policies)


def _number(text: str) -> Tree:
    """The code; what is not a number stays for the API server to refuse."""
    return int(text) if text.isdigit() else text


def find_warnings(job: Manifest, workload: Workload) -> Iterator[Diagnostic]:
    """Where a Job that is accepted does not do what it seems to."""
    policy = get(workload.tree.value, ("runtime", "mlPolicy"), None) or {}
    # Pods of a policy that has a name wait for each other when they start.
    meet = any(name != "numNodes" for name in policy)
    pods_in_all = sum(pods.number for pods in pods_of(job))
    least = get(job.tree, ("spec", "minAvailable"), None) or pods_in_all
    if meet and least < pods_in_all and elastic.bounds(workload) is None:
        yield _problem(
            "TJ419",
            job,
            ("spec", "minAvailable"),
            f"the job starts with {least} of {pods_in_all} pods, which hold their resources until the last pod starts",
            "remove minAvailable, so that all pods start together",
        )
    if get(job.tree, ("spec", "queue"), None) is None:
        yield _problem(
            "TJ418",
            job,
            ("spec", "schedulerName"),
            "no queue is set, so the job waits in Volcano's queue default, which may have no share",
            "set schedule.queue",
        )
    yield from _shadowed(job, ("spec", "policies"), get(job.tree, ("spec", "policies"), None) or [])
    for task in get(job.tree, ("spec", "tasks"), None) or []:
        yield from _shadowed(job, ("spec", "tasks", named(task["name"]), "policies"), task.get("policies") or [])
    if get(job.tree, ("spec", "ttlSecondsAfterFinished"), None) is not None:
        yield from ttl_problems("Volcano Job", ("spec", "ttlSecondsAfterFinished"), job.ref)


def _shadowed(job: Manifest, at: FieldPath, policies: list[Tree]) -> Iterator[Diagnostic]:
    """Exit codes behind a policy for PodFailed, which matches all: volcano v1.13 `job_controller_util.go:applyPolicies`."""
    events = [event for policy in policies for event in (policy.get("event"), *(policy.get("events") or ())) if event in _ANY]
    position = next((position for position, policy in enumerate(policies) if policy.get("exitCode") is not None), None)
    if events and position is not None:
        event, code = events[0], policies[position]["exitCode"]
        message = f"the policy for exit code {code} has no effect: the policy for {event} precedes it, and matches each failure"
        hint = f"remove {event}"
        if len(at) == len(("spec", "policies")):
            hint = "write exitCodes in volcano.tasks.TASK, whose policies precede those of the job"
        yield _problem("TJ439", job, (*at, position), message, hint)


def _problem(code: str, job: Manifest, path: FieldPath, message: str, hint: str) -> Diagnostic:
    return Diagnostic(code, message, job.ref, path, hint=hint)
