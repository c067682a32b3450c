"""A Volcano Job -> what Volcano's validating webhook has against creating it, or against an update.

Upstream: volcano `pkg/webhooks/admission/jobs/validate` (validateJobCreate, validateJobUpdate, validateIO). It joins all that is
wrong to one message; here each part has its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.controllers.volcano import TOLERATED, task_defaults, with_job_defaults
from tjgen.cluster.validate.builtin.gotext import parse_duration
from tjgen.cluster.validate.builtin.workloads import pod_template
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks import volcano_queues
from tjgen.cluster.validate.webhooks.answer import refused
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s import quantity
from tjgen.trees.k8s.syntax import dns1123_label, dns1123_subdomain, label_key
from tjgen.trees.typing import Any

_PLUGINS = ("env", "hcclrank", "mpi", "pytorch", "ray", "ssh", "svc", "tensorflow")
_SPEC: FieldPath = ("spec",)
_TASKS: FieldPath = ("spec", "tasks")
_FILLED = ("maxRetry", "minAvailable", "plugins", "queue", "schedulerName")
"""Fields of the spec that the mutating webhook fills in."""
_CHANGED = "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec`"
_TWO_CLAIMS = (
    "conflict: If you want to use an existing PVC, just specify VolumeClaimName."
    "If you want to create a new PVC, you do not need to specify VolumeClaimName"
)


def faults(tree: dict[str, Any], old: dict[str, Any] | None, context: Sequence[Any]) -> Iterator[Fault]:
    """What is wrong with the Job, which has its schema's defaults; `context` are the objects of the cluster.

    `old` is the manifest that was created: the webhook filled in its defaults then. The update is an apply of `tree`.
    """
    undecodable = next(_wrong_durations(tree.get("spec") or {}), None)
    if undecodable is not None:
        yield undecodable
        return
    if old is not None:
        stored = with_job_defaults(old)
        yield from _update(_applied(tree, stored), stored)
        return
    job = with_job_defaults(tree)
    first = _first(job["spec"])
    if first is not None:
        yield first
        return
    yield from _create(job, context)


def _wrong_durations(spec: dict[str, Any]) -> Iterator[Fault]:
    """Durations that the webhook cannot decode (`metav1.Duration`)."""
    durations: list[tuple[FieldPath, Any]] = [((*_SPEC, "runningEstimate"), spec.get("runningEstimate"))]
    levels = [(_SPEC, spec), *(((*_TASKS, position), task) for position, task in enumerate(spec.get("tasks") or ()))]
    for path, level in levels:
        for position, policy in enumerate(level.get("policies") or ()):
            durations.append(((*path, "policies", position, "timeout"), policy.get("timeout")))
    for path, text in durations:
        if text is not None:
            try:
                parse_duration(text)
            except ValueError as problem:
                yield refused(str(problem), path, "write a Go duration, such as 90s, 5m or 1h30m")


def _first(spec: dict[str, Any]) -> Fault | None:
    """What is wrong before anything else is looked at."""
    if spec["minAvailable"] < 0:
        return refused("job 'minAvailable' must be >= 0.", (*_SPEC, "minAvailable"))
    if spec["maxRetry"] < 0:
        return refused("'maxRetry' cannot be less than zero.", (*_SPEC, "maxRetry"))
    if (spec.get("ttlSecondsAfterFinished") or 0) < 0:
        return refused("'ttlSecondsAfterFinished' cannot be less than zero.", (*_SPEC, "ttlSecondsAfterFinished"))
    if not spec.get("tasks"):
        return refused("No task specified in job spec", _SPEC, "add a task")
    names = {task["name"] for task in spec["tasks"]}
    for role in ("master", "worker") if "mpi" in (spec.get("plugins") or {}) else ():
        if _argument(spec["plugins"]["mpi"], role) not in names:
            words = f"The specified mpi {role} task was not found"
            return refused(words, (*_SPEC, "plugins", "mpi"), f"name the task with --{role}=TASK")
    return None


def _argument(words: Sequence[str], name: str) -> str:
    """A flag of a plugin, whose default is its own name."""
    for word in words:
        flag, _, value = word.lstrip("-").partition("=")
        if flag == name:
            return value
    return name


def _create(job: dict[str, Any], context: Sequence[Any]) -> Iterator[Fault]:
    spec, name = job["spec"], str((job.get("metadata") or {}).get("name", ""))
    yield from _tasks(spec["tasks"], name)
    for messages in filter(None, [label_key(name)]):
        yield refused(f"create job with name {name} validate failed {messages}", ("metadata", "name"))
    if sum(task.get("replicas") or 0 for task in spec["tasks"]) < spec["minAvailable"]:
        words = "job 'minAvailable' should not be greater than total replicas in tasks;"
        yield refused(words, (*_SPEC, "minAvailable"), "lower it, or raise replicas")
    yield from policies(spec.get("policies") or (), (*_SPEC, "policies"))
    for plugin in spec.get("plugins") or ():
        if plugin not in _PLUGINS:
            hint = f"use one of {', '.join(_PLUGINS)}"
            yield refused(f"unable to find job plugin: {plugin};", (*_SPEC, "plugins", plugin), hint)
    yield from _volumes(spec.get("volumes") or ())
    topology = spec.get("networkTopology") or {}
    if topology.get("highestTierAllowed") is not None and topology.get("highestTierName"):
        words = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously"
        yield refused(words, (*_SPEC, "networkTopology"), "keep one of the two")
    yield from volcano_queues.unusable(spec["queue"], (*_SPEC, "queue"), context)
    needs = {task["name"]: list((task.get("dependsOn") or {}).get("name") or ()) for task in spec["tasks"]}
    if any(task.get("dependsOn") is not None for task in spec["tasks"]) and not is_acyclic(needs):
        words = "job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);"
        yield refused(words, _TASKS, "remove the circle, or the name of a task that there is not")


def _tasks(tasks: Sequence[dict[str, Any]], job: str) -> Iterator[Fault]:
    names: set[str] = set()
    for position, task in enumerate(tasks):
        field, name, replicas = (*_TASKS, position), task["name"], task.get("replicas") or 0
        if replicas < 0:
            yield refused(f"'replicas' < 0 in task: {name}, job: {job};", (*field, "replicas"))
        if task["minAvailable"] < 0:
            yield refused(f"'minAvailable' < 0 in task: {name}, job: {job};", (*field, "minAvailable"))
        elif task["minAvailable"] > replicas:
            words = f"'minAvailable' is greater than 'replicas' in task: {name}, job: {job};"
            yield refused(words, (*field, "minAvailable"), "lower it, or raise replicas")
        for messages in filter(None, [dns1123_label(name)]):
            yield refused(f"{messages};", (*field, "name"))
        if name in names:
            yield refused(f"duplicated task name {name};", (*field, "name"), "rename one of the two")
            return
        names.add(name)
        yield from _partitions(task, replicas, field)
        yield from policies(task.get("policies") or (), (*field, "policies"))
        pod = f"{job}-{name}-{position}"
        for messages in filter(None, [label_key(pod)]):
            yield refused(f"create pod with name {pod} validate failed {messages};", (*field, "name"), "use shorter names")
        faults = [fault._replace(path=field + fault.path) for fault in pod_template(task)]
        yield from (
            fault._replace(type="BadRequest", field="", detail=f"spec.task[{position}].{fault.field}: {fault.detail}")
            for fault in faults
        )
        if not faults:
            yield from _topology(task, position, field)


def _partitions(task: dict[str, Any], replicas: int, path: FieldPath) -> Iterator[Fault]:
    policy = task.get("partitionPolicy")
    if not policy:
        return
    size, total, least = policy.get("partitionSize", 0), policy.get("totalPartitions", 0), policy.get("minPartitions", 0)
    if total * size != replicas:
        words = f"'replicas' is not equal to 'totalPartitions' * 'partitionSize' ({total} * {size}) in task: {task['name']};"
        yield refused(words, (*path, "replicas"), f"write {total * size}")
    if least > 0 and task["minAvailable"] != least * size:
        words = f"'minAvailable' is not equal to 'minPartitions' * 'partitionSize' ({least} * {size}) in task: {task['name']};"
        yield refused(words, (*path, "minAvailable"), "remove it, and the webhook fills it in")


def _topology(task: dict[str, Any], position: int, path: FieldPath) -> Iterator[Fault]:
    """`validateTaskTopoPolicy`: every container requests a whole number of CPUs; limits replace absent requests."""
    if task.get("topologyPolicy") in (None, "", "none"):
        return
    pod = (task.get("template") or {}).get("spec") or {}
    for number, container in enumerate([*(pod.get("containers") or ()), *(pod.get("initContainers") or ())]):
        resources = container.get("resources") or {}
        cpus = quantity.parse((resources.get("requests") or resources.get("limits") or {}).get("cpu", 0))
        if cpus.nanos == 0 or cpus.nanos % 10**9:
            words = f"the cpu request isn't  an integer in spec.task[{position}] container[{number}]."
            yield refused(words, (*path, "topologyPolicy"), "request a whole number of CPUs")
            return


def _volumes(volumes: Sequence[dict[str, Any]]) -> Iterator[Fault]:
    """`validateIO`, which stops at the first that is wrong."""
    taken: set[str] = set()
    for position, volume in enumerate(volumes):
        field: FieldPath = (*_SPEC, "volumes", position)
        path, claim, name = volume.get("mountPath"), volume.get("volumeClaim"), volume.get("volumeClaimName")
        if not path:
            yield refused("mountPath is required;", field, "add mountPath")
        elif path in taken:
            yield refused(f"duplicated mountPath: {path};", (*field, "mountPath"), "mount one of the two elsewhere")
        elif claim is None and not name:
            yield refused("either VolumeClaim or VolumeClaimName must be specified;", field, "add one of the two")
        elif claim is not None and name:
            yield refused(_TWO_CLAIMS, field, "keep one of the two")
        elif name and dns1123_subdomain(name):
            yield refused(f"invalid VolumeClaimName {name} : {dns1123_subdomain(name)}", (*field, "volumeClaimName"))
        else:
            taken.add(path)
            continue
        return


def _applied(tree: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """The Job after an apply. Fields that the manifest leaves out keep what the webhook wrote, but tasks are replaced."""
    spec = tree.get("spec") or {}
    kept = {key: stored["spec"][key] for key in _FILLED if spec.get(key) is None and key in stored["spec"]}
    return {**tree, "spec": {**kept, **spec}}


def _update(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Fault]:
    """`validateJobUpdate`, which stops at the first error."""
    tasks, total = new["spec"].get("tasks") or [], 0
    for position, task in enumerate(tasks):
        field, replicas = (*_TASKS, position), task.get("replicas") or 0
        if replicas < 0:
            yield refused(f"'replicas' must be >= 0 in task: {task.get('name', '')}", (*field, "replicas"))
            return
        least = task.get("minAvailable")
        if least is not None and not 0 <= least <= replicas:
            bound = "<= 'replicas'" if least > replicas else ">= 0"
            yield refused(f"'minAvailable' must be {bound} in task: {task.get('name', '')}", (*field, "minAvailable"))
            return
        total += replicas
    if new["spec"]["minAvailable"] > total:
        yield refused("job 'minAvailable' must not be greater than total replicas", (*_SPEC, "minAvailable"))
    elif new["spec"]["minAvailable"] < 0:
        yield refused("job 'minAvailable' must be >= 0", (*_SPEC, "minAvailable"))
    elif len(old["spec"].get("tasks") or []) != len(tasks):
        yield refused("job updates may not add or remove tasks", _TASKS, "give the Job another name")
    else:
        before, after = _fixed(old["spec"]), _fixed(new["spec"])
        changed = [key for key in {**after, **before} if before.get(key) != after.get(key)]
        if changed == ["tasks"]:
            yield _changed_task(new["spec"]["tasks"], old["spec"]["tasks"], before["tasks"], after["tasks"])
        elif changed:
            yield refused(_CHANGED, (*_SPEC, changed[0]), "give the Job another name")


def _changed_task(new: Sequence[Any], old: Sequence[Any], before: Sequence[Any], after: Sequence[Any]) -> Fault:
    """The first task that changes; a default of the webhook that the manifest leaves out is named."""
    position = next(number for number, pair in enumerate(zip(after, before, strict=True)) if pair[0] != pair[1])
    left_out = [
        f"{'.'.join(map(str, path))}: {value}"
        for path, value in task_defaults(new[position], position)
        if path not in TOLERATED and get(old[position], path, None) == value
    ]
    hint = f"write the default that the webhook added: {', '.join(left_out)}" if left_out else "give the Job another name"
    return refused(_CHANGED, (*_TASKS, position), hint)


def _fixed(spec: dict[str, Any]) -> dict[str, Any]:
    """What of a Job's spec may not change; the controller fills in the names of claims."""
    kept = {key: value for key, value in spec.items() if key not in ("minAvailable", "priorityClassName") and value}
    tasks = [_fixed_task(task) for task in spec.get("tasks") or ()]
    volumes = [
        {key: value for key, value in volume.items() if key != "volumeClaimName" or not volume.get("volumeClaim")}
        for volume in spec.get("volumes") or ()
    ]
    return {**kept, **({"tasks": tasks} if tasks else {}), **({"volumes": volumes} if volumes else {})}


def _fixed_task(task: dict[str, Any]) -> dict[str, Any]:
    """What of a task may not change; empty metadata of its pods are the same as none."""
    fixed = {key: value for key, value in task.items() if key not in ("minAvailable", "replicas")}
    if get(task, ("template", "metadata"), None) == {}:
        fixed["template"] = {key: value for key, value in task["template"].items() if key != "metadata"}
    return fixed


# The lifecycle policies of a Volcano Job or task -> what the webhook has against them.
#
# Upstream: volcano `pkg/webhooks/admission/jobs/validate/util.go:validatePolicies`, which stops at the first wrong policy.

_ANY = "*"
_EVENTS = (_ANY, "JobUpdated", "PodEvicted", "PodFailed", "PodPending", "TaskCompleted", "TaskFailed", "Unknown")
ACTIONS = (
    "AbortJob",
    "CompleteJob",
    "RestartJob",
    "RestartPartition",
    "RestartPod",
    "RestartTask",
    "ResumeJob",
    "TerminateJob",
)


def policies(given: Sequence[dict[str, Any]], path: FieldPath) -> Iterator[Fault]:
    """Return the first error of one of the policies, and whether `*` is the only event."""
    events: set[str] = set()
    codes: set[int] = set()
    for position, policy in enumerate(given):
        fault = _policy(policy, events, codes, (*path, position))
        if fault is not None:
            yield fault
            break
    if _ANY in events and len(events) > 1:
        yield refused("if there's * here, no other policy should be here", path, "remove the other events, or *")


def _policy(policy: dict[str, Any], events: set[str], codes: set[int], path: FieldPath) -> Fault | None:
    """What is wrong with one policy; its events and codes join those of the earlier ones."""
    code = policy.get("exitCode")
    named = list(dict.fromkeys([*(policy.get("events") or ()), *([policy["event"]] if policy.get("event") else ())]))
    if named and code is not None:
        return refused("must not specify event and exitCode simultaneously", path, "keep one of them")
    if not named and code is None:
        return refused("either event and exitCode should be specified", path, "add an event or an exitCode")
    if code == 0:
        return refused("0 is not a valid error code", (*path, "exitCode"), "name a code of failure")
    if code is not None:
        if code in codes:
            return refused(f"duplicate exitCode {code}", (*path, "exitCode"), "remove one of the two")
        codes.add(code)
    action = policy.get("action") or ""
    for event in named:
        at = (*path, "event" if event == policy.get("event") else "events")
        if event not in _EVENTS:
            return refused(f'Invalid value: "{event}": invalid policy event', at, f"use one of {', '.join(_EVENTS)}")
        if action not in ACTIONS:
            words = f'Invalid value: "{action}": invalid policy action'
            return refused(words, (*path, "action"), f"use one of {', '.join(ACTIONS)}")
        if event in events:
            return refused(f"duplicate event {event}  across different policy", at, "remove one of the two")
        events.add(event)
    return None


# What each of several things waits for -> whether they can all come to pass.


def is_acyclic(needs: Mapping[str, Sequence[str]]) -> bool:
    """Return whether there is an order in which every task follows its dependencies; a missing dependency never completes."""
    done: set[str] = set()
    waiting = dict(needs)
    while waiting:
        ready = [name for name, others in waiting.items() if done.issuperset(others)]
        if not ready:
            return False
        done.update(ready)
        for name in ready:
            del waiting[name]
    return True
