"""`volcano` and `containerName` -> fields that only some targets can have; an error with another target."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.kinds.table import facts_of, kinds
from tjgen.compiler.lower import SPEC, kubernetes_name
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Container, Experiment, VolcanoPolicy, VolcanoTask
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import members
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "volcano")
_FIELDS = ("max_retry", "min_success", "ttl_seconds_after_finished", "running_estimate")
_OF_TASK = ("min_available", "max_retry", "topology_policy")


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """The fields as written; the target creates the object from them."""
    volcano, target = experiment.spec.volcano, experiment.spec.target
    yield from _names(workload, experiment)
    if volcano is None:
        return
    if not facts_of(target).scheduler:
        message = f"volcano applies to target volcanojob, but the target is {target}"
        yield Diagnostic("TJ411", message, path=AT, hint="remove it, or set target: volcanojob")
        return
    yield from _fields(volcano, _FIELDS, ())
    for plugin, arguments in volcano.plugins.items():
        yield _contribution(("plugins", plugin), list(arguments))
    yield from _policies(volcano.policies, volcano.exit_codes, ())
    for name, task in volcano.tasks.items():
        yield from _task(workload, name, task)


def _names(workload: Workload, experiment: Experiment) -> Contributions:
    """The name of the main container of each role."""
    spec = experiment.spec
    given: list[tuple[PodSet, FieldPath, Container]] = [(podset, (), spec) for podset in members(workload)]
    given += [(podset, ("roles", podset.name), spec.roles[podset.name]) for podset, _, _ in given if podset.name in spec.roles]
    for podset, at, container in given:
        name = container.container_name
        if name is None:
            continue
        because: FieldPath = (*SPEC, *at, "containerName")
        if facts_of(spec.target).finds_container_by_name:
            message = (
                f"target {spec.target} finds the program by the name of its container, so containerName cannot change that name"
            )
            yield Diagnostic("TJ156", message, path=because, hint=f"remove containerName, or use one of {', '.join(_naming())}")
            return
        others = get(workload.tree.value, (*podset.pod, "containers"), None) or []
        if any(one["name"] == name != podset.container for one in others):
            message = f'the pods of {podset.name} have another container "{name}"'
            yield Diagnostic("TJ154", message, path=because, hint="give the container another name")
            return
        yield Contribution(("names", podset.name), name, because)


def _naming() -> list[str]:
    """Targets whose controllers do not look for the program by the name of its container, by API group."""
    trained = [(kind.api_version, kind.run) for kind in kinds() if kind.run is not None and kind.run.target]
    return [run.target for _, run in sorted(trained) if not run.finds_container_by_name]


def _task(workload: Workload, name: str, task: VolcanoTask) -> Contributions:
    known = [podset.name for podset in workload.podsets if not podset.is_initializer]
    if name not in known:
        message = f'the run has no task "{name}"'
        hint = f"use one of {', '.join(known)}"
        yield Diagnostic("TJ302", message, path=(*AT, "tasks", name), hint=hint)
        return
    yield from _fields(task, _OF_TASK, ("tasks", name))
    yield from _policies(task.policies, task.exit_codes, ("tasks", name))


def _fields(section: object, attributes: tuple[str, ...], below: FieldPath) -> Contributions:
    for attribute in attributes:
        value = getattr(section, attribute)
        if value is not None:
            yield _contribution((*below, kubernetes_name(attribute)), value)


def _policies(events: Mapping[str, VolcanoPolicy], codes: Mapping[str, VolcanoPolicy], below: FieldPath) -> Contributions:
    for kind, entries in (("policies", events), ("exitCodes", codes)):
        for key, policy in entries.items():
            tree: Tree = {"action": policy.action}
            if policy.timeout is not None:
                tree["timeout"] = policy.timeout
            yield _contribution((*below, kind, key), tree)


def _contribution(path: FieldPath, value: Tree) -> Contribution:
    return Contribution(("volcano", *path), value, (*AT, *path))
