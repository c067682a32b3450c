"""Workload -> Volcano Job: a task for each role, with the plugins by which its pods find each other.

Fields and their meaning: volcano.sh/apis v1.13 `batch/v1alpha1`; effects of the controller: volcano v1.13
`pkg/controllers/job`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.controllers.volcano_defaults import task_defaults
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.outcomes import ttl_problems
from tjgen.cluster.trainer.job import TORCHTUNE
from tjgen.compiler.targets import elastic, fetching, groups, volcano_rendezvous
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.extra_objects import extra_objects, taken
from tjgen.compiler.targets.volcano_rendezvous import Rendezvous
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin, Owners
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.labels import KUEUE_POD_SET
from tjgen.trees.k8s.names import LABEL_LENGTH
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.roles import nodes, programs
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes

API_VERSION = "batch.volcano.sh/v1alpha1"
INDEX = "metadata.annotations['volcano.sh/task-index']"
"""Every pod's number in its task (pkg/controllers/job `createJobPod`): what plugin env makes VC_TASK_INDEX of."""
RULE = Origin("target:volcanojob", "tjgen")
CHOSEN = Origin("target:volcanojob", "experiment", ("spec", "target"))
_OF_TORCH = ("master", "worker")
_SUFFIX = "-svc"
"""The plugin svc names a ConfigMap and a volume so, ssh a Secret as long."""


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """Return the roles that the experiment names, or master and worker for torch on several nodes, or the runtime's jobs."""
    names = groups.new_roles(workload, size)
    is_torch = get(workload.ml_policy, ("torch",), None) is not None
    total = size.nodes if size.nodes is not None else nodes(workload)
    if is_torch and len(programs(workload)) == 1 and set(names) <= set(_OF_TORCH) and (names or total > 1):
        names = list(_OF_TORCH)
    if not names:
        jobs = groups.as_they_are(workload, size)
        return groups.arranged(workload, jobs, size, INDEX), groups.unlike_nodes(workload, size, jobs)
    split, diagnostics = groups.split(workload, size, names, _OF_TORCH[:1] if names == list(_OF_TORCH) else ())
    return groups.arranged(workload, split, size, INDEX), diagnostics


def lower(workload: Workload) -> Lowered:
    """The Job, and the objects that it needs."""
    problems = list(_unsupported(workload))
    rendezvous, more = volcano_rendezvous.rendezvous(workload)
    problems += more
    shell: Tree = {"apiVersion": API_VERSION, "kind": "Job", "metadata": {"name": workload.name, "namespace": workload.namespace}}
    writer = Writer(Managed(shell, {(): (RULE,)}), keys=LIST_KEYS)
    for field in get(workload.tree.value, ("metadata",), None) or {}:
        _take(writer, ("metadata", field), workload, ("metadata", field))
    _schedule(writer, workload)
    for field in ("maxRetry", "minSuccess", "ttlSecondsAfterFinished", "runningEstimate"):
        _take(writer, ("spec", field), workload, ("volcano", field))
    _write_policies(writer, workload)
    _plugins(writer, workload, rendezvous)
    writer.put(("spec", "tasks"), [], RULE)
    fetchers = fetching.initializers(workload)
    for podset in workload.podsets:
        if not podset.is_initializer:
            _task(writer, workload, podset, rendezvous, fetchers)
    done = writer.done()
    job = Manifest(with_canonical_quantities(done.value), done.owners)
    return Lowered(job, [*extra_objects(workload), *rendezvous.objects], problems)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """What the policies and the gang do, against what they seem to do."""
    return list(_warnings_of_policies(job, workload))


def budget(job: Manifest) -> int:
    """By the names of pods, which are host names, and of what the plugins mount."""
    tails = [f"-{pods.role}-{max(pods.number - 1, 0)}" for pods in pods_of(job)]
    return LABEL_LENGTH - max(map(len, [*tails, _SUFFIX]))


def _schedule(writer: Writer, workload: Workload) -> None:
    """The gang: all pods unless a minimum is set."""
    counts = workload.tree.value["counts"]
    elastic = volcano_rendezvous.least(workload)
    writer.put(("spec", "schedulerName"), "volcano", CHOSEN)
    min_available = get(workload.tree.value, ("schedule", "minAvailable"))
    if min_available is not MISSING:
        _take(writer, ("spec", "minAvailable"), workload, ("schedule", "minAvailable"))
    else:
        least = {name: get(workload.tree.value, ("volcano", "tasks", name, "minAvailable"), None) for name in counts} | elastic
        role_name = next((name for name, one in least.items() if one is not None), None)
        because = RULE
        if elastic:
            because = volcano_rendezvous.CAUSE
        elif role_name:
            because = workload.tree.origins(("volcano", "tasks", role_name, "minAvailable"))[0]._replace(mirrors=False)
        whole = sum(count if one is None else one for one, count in zip(least.values(), counts.values(), strict=True))
        writer.put(("spec", "minAvailable"), whole, because)
    for field in ("queue", "priorityClassName", "networkTopology"):
        _take(writer, ("spec", field), workload, ("schedule", field))
    topology: FieldPath = ("runtime", "podGroupPolicy", "volcano", "networkTopology")
    if writer.get(("spec", "networkTopology")) is None:
        _take(writer, ("spec", "networkTopology"), workload, topology)


def _plugins(writer: Writer, workload: Workload, rendezvous: Rendezvous) -> None:
    """Add the plugins by which the pods find each other; the experiment's settings of a plugin take precedence."""
    writer.put(("spec", "plugins"), {}, RULE)
    plugins = get(workload.tree.value, ("volcano", "plugins"), None) or {}
    for name, arguments in rendezvous.plugins.items():
        if name not in plugins:
            writer.put(("spec", "plugins", name), arguments, rendezvous.because)
    for name in plugins:
        _take(writer, ("spec", "plugins", name), workload, ("volcano", "plugins", name))


def _task(writer: Writer, workload: Workload, podset: PodSet, rendezvous: Rendezvous, fetchers: Sequence[PodSet]) -> None:
    at: FieldPath = ("spec", "tasks", named(podset.name))
    writer.put((*at, "name"), podset.name, RULE)
    _take(writer, (*at, "replicas"), workload, ("counts", podset.name))
    for field in ("minAvailable", "maxRetry", "topologyPolicy"):
        _take(writer, (*at, field), workload, ("volcano", "tasks", podset.name, field))
    least = volcano_rendezvous.least(workload).get(podset.name)
    if least is not None:
        writer.put((*at, "minAvailable"), least, volcano_rendezvous.CAUSE)
    _defaults(writer, at)
    _of_task(writer, workload, podset)
    template: FieldPath = (*podset.path, "template", "spec", "template")
    main: FieldPath = (*at, "template", *podset.main[len(template) :])
    name: FieldPath = ("names", podset.name)
    if get(workload.tree.value, name, None) is None:
        _take(writer, (*at, "template"), workload, template)
    else:
        main = _under_name(writer, workload, podset, template, (*at, "template"))
    scheduler: FieldPath = (*at, "template", "spec", "schedulerName")
    if writer.get(scheduler, "volcano") != "volcano":
        writer.put(scheduler, None, RULE)  # the runtime's, for another kind of gang: Volcano gives pods that of the Job
    fetching.into(writer, workload, (*at, "template", "spec"), fetchers)
    rendezvous.into(writer, podset, at, main)
    _defaults(writer, at)


def _under_name(writer: Writer, workload: Workload, podset: PodSet, template: FieldPath, to: FieldPath) -> FieldPath:
    """Copy the template with the name that the experiment gives to its main container; return the path of that container."""
    from tjgen.compiler.targets.container_names import renamed  # few experiments name it

    name = workload.tree.value["names"][podset.name]
    value, owners = taken(workload.tree, template)
    origins = (workload.tree.origins(podset.main), workload.tree.origins(("names", podset.name)))
    writer.graft(to, *renamed(value, owners, podset.container, name, origins))
    return (*to, "spec", "containers", named(name))


def _defaults(writer: Writer, task: FieldPath) -> None:
    """Volcano's webhook adds these when the Job is created, and refuses tasks without them when they are applied again."""
    for field, value in task_defaults(writer.get(task), 0):
        writer.put((*task, *field), value, CHOSEN)


def _take(writer: Writer, to: FieldPath, workload: Workload, path: FieldPath) -> None:
    """Copy a value of the Workload, with its owners; do nothing if it does not exist."""
    if get(workload.tree.value, path, None) is not None:
        value, owners = taken(workload.tree, path)
        writer.graft(to, value, owners)


# The failure policy of a runtime -> the lifecycle policies of a Volcano Job and its tasks, and warnings about them.
#
# A runtime has the policy of a JobSet: a failure policy restarts all pods together up to `maxRestarts` times. Without one, each
# pod restarts alone. Policies: volcano.sh/apis v1.13 `LifecyclePolicy`; events and actions: `pkg/apis/bus/v1alpha1`.

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


def _write_policies(writer: Writer, workload: Workload) -> None:
    """The policies of the Job, and its `maxRetry` unless the experiment sets it."""
    if _write_policies_at(writer, workload, ("volcano",), ("spec", "policies")):
        return
    failure = get(workload.tree.value, (*_JOBSET, "failurePolicy"), None)
    bounds = elastic.bounds(workload)
    if bounds is not None:
        # Each node may be lost as often as the runtime restarts all of them; Volcano counts evictions, too.
        together = get(failure, ("maxRestarts",), 0) * bounds["max"] + _DISRUPTIONS
        restarts = together if failure is not None else _restarts_of_pods(workload)
        action, because = "RestartPod", volcano_rendezvous.CAUSE
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


def _of_task(writer: Writer, workload: Workload, podset: PodSet) -> None:
    """Return the policies of a task: the set ones, or the completion of the Job with the role that determines success."""
    at: FieldPath = ("spec", "tasks", named(podset.name), "policies")
    below: FieldPath = ("volcano", "tasks", podset.name)
    is_master = podset.name == volcano_rendezvous.master(workload)
    if is_master and get(workload.tree.value, (*below, "policies", volcano_rendezvous.FINISHED["event"]), None) is None:
        _write_policies_at(writer, workload, below, at, [(volcano_rendezvous.FINISHED, volcano_rendezvous.CAUSE)])
        return
    if _write_policies_at(writer, workload, below, at):
        return
    targets: FieldPath = (*_JOBSET, "successPolicy", "targetReplicatedJobs")
    if podset.name in (get(workload.tree.value, targets, None) or []):
        because = Origin("target:volcanojob", "runtime", ("spec", *targets[1:]))
        writer.put(at, [{"event": "TaskCompleted", "action": "CompleteJob"}], because)


def _write_policies_at(
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


def _warnings_of_policies(job: Manifest, workload: Workload) -> Iterator[Diagnostic]:
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


# Workload -> an error for each setting that a Volcano Job has no field for.

_CANNOT: tuple[tuple[FieldPath, str, str], ...] = (
    (
        ("run", "suspend"),
        "wait: it has no field suspend",
        "close its queue, or use state: archived. If an overlay stops several experiments, set layer: default in the overlay, "
        "and state: active in this experiment",
    ),
    (("run", "activeDeadlineSeconds"), "have a deadline", "set a time limit in the program"),
    (("schedule", "minResources"), "set the resources of its gang: they are computed from its pods", "remove minResources"),
    (("schedule", "timeoutSeconds"), "wait for its gang for a limited time", "remove timeoutSeconds: it applies to coscheduling"),
    (
        ("runtime", "template", "spec", "volumeClaimPolicies"),
        "create claims as JobSet does",
        "describe the volume under the same name with volumes.NAME.pvc.create",
    ),
)


def _unsupported(workload: Workload) -> Iterator[Diagnostic]:
    """An error for each (TJ414), and for what an elastic run cannot have."""
    for path, what, hint in _CANNOT:
        if get(workload.tree.value, path, None):
            yield _cannot(workload, path, what, hint)
    if elastic.bounds(workload) is not None:
        yield from volcano_rendezvous.unsupported_elastic(workload)
    system = get(workload.tree.value, ("schedule", "system"), None)
    if system not in (None, "volcano"):
        hint = "use system: volcano, or another target"
        yield _cannot(workload, ("schedule", "system"), f"be scheduled by {system}: its pods are a gang of Volcano", hint)
    for podset in workload.podsets:
        named: FieldPath = (*podset.pod, "schedulerName")
        scheduler = get(workload.tree.value, named, None)
        if scheduler not in (None, "volcano") and not all(is_runtimes(one) for one in workload.tree.origins(named)):
            what = f"use the scheduler {scheduler}: its pods are a gang of Volcano"
            yield _cannot(workload, named, what, "remove schedulerName")
        if podset.is_initializer and not fetching.is_of_each_pod(workload):
            hint = "fetch it with prefetch, or make initializer.volume an emptyDir or ephemeral, which each pod fills"
            what = f"run a {podset.name} before its tasks: the gang would wait for pods that wait for it"
            field: FieldPath = ("initializer", podset.ancestor.partition("-")[0])
            is_requested = get(workload.tree.value, field, None) is not None
            yield _cannot(workload, field if is_requested else podset.path, what, hint)
        if podset.is_initializer:
            continue
        if (get(workload.tree.value, (*podset.main, "command"), None) or [])[:2] == TORCHTUNE:
            hint = "write the whole command, with recipe and configuration, or use target: jobset"
            yield _cannot(workload, (*podset.main, "command"), "choose recipes of torchtune as Trainer does", hint)
        annotations: FieldPath = (*podset.pod_metadata, "annotations")
        for key in get(workload.tree.value, annotations, None) or {}:
            if key.startswith(f"{KUEUE_POD_SET}-"):
                hint = "use schedule.networkTopology"
                yield _cannot(workload, (*annotations, key), "be placed by Kueue, which does not support the kind", hint)
        for kind in ("labels", "annotations"):
            at: FieldPath = (*podset.path, "template", "metadata", kind)
            for key in get(workload.tree.value, at, None) or {}:
                origins = workload.tree.origins((*at, key))
                if not all(is_runtimes(origin) for origin in origins):
                    hint = "remove it, or use target: jobset"
                    yield _cannot(workload, (*at, key), f"set {key}: its roles have no Jobs of their own", hint)


def _cannot(workload: Workload, path: FieldPath, what: str, hint: str) -> Diagnostic:
    origins = workload.tree.origins(path)
    because = next((one.because for one in origins if one.source == "experiment"), ("spec", "runtime"))
    return Diagnostic("TJ414", f"a Volcano Job cannot {what}", path=because, hint=hint)
