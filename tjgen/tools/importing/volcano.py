"""A Volcano Job -> an experiment in the fields of the language: tasks become roles, their policies are under `volcano`."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.volcano_job import TARGET
from tjgen.tools.importing import pods
from tjgen.tools.importing.frameworks import of_plugins
from tjgen.tools.importing.residue import stated
from tjgen.tools.importing.trainjob import bare as named
from tjgen.trees.fields.path import Tree

_JOB = ("maxRetry", "minSuccess", "ttlSecondsAfterFinished", "runningEstimate")
_TASK = ("minAvailable", "maxRetry", "topologyPolicy")
_SCHEDULE = ("queue", "minAvailable", "priorityClassName")
_MAX_RETRY = 3


def experiment(tree: Tree) -> Tree:
    """The experiment, with the name of the Job as that of its run."""
    spec = tree["spec"]
    tasks = {task.get("name") or _name(position): task for position, task in enumerate(spec.get("tasks") or [])}
    shared, own = pods.fields_of({name: task.get("template") or {} for name, task in tasks.items()}) if tasks else ({}, {})
    experiment_spec: Tree = {
        "runtime": of_plugins(spec.get("plugins") or ()),
        "target": TARGET,
        "naming": "fixed",
        **shared,
    }
    if tasks:
        experiment_spec["roles"] = {name: {"replicas": task.get("replicas", 0), **own[name]} for name, task in tasks.items()}
    schedule = {field: spec[field] for field in _SCHEDULE if spec.get(field)}
    if spec.get("networkTopology"):
        schedule["networkTopology"] = spec["networkTopology"]
    if schedule:
        experiment_spec["schedule"] = schedule
    volcano = dict(_volcano(spec, tasks))
    if volcano:
        experiment_spec["volcano"] = volcano
    return {**named(tree), "spec": experiment_spec}


def filled(tree: Tree) -> Tree:
    """The Job as the webhook stores it: volcano v1.13 `pkg/webhooks/admission/jobs/mutate`."""
    job = stated(tree)
    spec = job.get("spec")
    if spec.__class__ is not dict:
        return job
    tasks = [
        {"name": _name(position), "maxRetry": _MAX_RETRY, **task, "minAvailable": _least(task)}
        if task.__class__ is dict
        else task
        for position, task in enumerate(spec.get("tasks") or [])
    ]
    least = spec.get("minAvailable") or sum(task["minAvailable"] for task in tasks if task.__class__ is dict)
    defaults = {"schedulerName": "volcano", "queue": "default"}
    retries = spec.get("maxRetry") or _MAX_RETRY
    return {**job, "spec": {**defaults, **spec, "minAvailable": least, "maxRetry": retries, "tasks": tasks}}


def _name(position: int) -> str:
    """What the webhook calls a task without a name."""
    return f"default{position}"


def _least(task: Tree) -> int:
    min_available = task.get("minAvailable")
    if min_available is None:
        partitions = task.get("partitionPolicy") or {}
        min_available = partitions.get("minPartitions", 0) * partitions.get("partitionSize", 0) or task.get("replicas", 0)
    return int(min_available)


def _volcano(spec: Tree, tasks: dict[str, Tree]) -> Iterator[tuple[str, Tree]]:
    plugins = {name: arguments or [] for name, arguments in (spec.get("plugins") or {}).items()}
    if plugins:
        yield "plugins", plugins
    yield from _policies(spec.get("policies"))
    for field in _JOB:
        if spec.get(field):
            yield field, spec[field]
    if not spec.get("maxRetry"):
        yield "maxRetry", _MAX_RETRY  # what the webhook adds: a build would write the number of the runtime
    own = {}
    for name, task in tasks.items():
        words = {field: task[field] for field in _TASK if task.get(field) is not None}
        words.update(_policies(task.get("policies")))
        if words:
            own[name] = words
    if own:
        yield "tasks", own


def _policies(items: Tree) -> Iterator[tuple[str, Tree]]:
    """What is done, by event and by exit code."""
    by_kind: dict[str, dict[str, Tree]] = {"policies": {}, "exitCodes": {}}
    for item in items or []:
        action: Tree = {"action": item.get("action"), "timeout": item["timeout"]} if item.get("timeout") else item.get("action")
        if item.get("exitCode") is not None:
            by_kind["exitCodes"][str(item["exitCode"])] = action
        for event in [item["event"]] if item.get("event") else item.get("events") or []:
            by_kind["policies"][event] = action
    yield from ((field, policies) for field, policies in by_kind.items() if policies)
