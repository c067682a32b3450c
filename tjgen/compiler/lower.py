"""Experiment + runtime -> the fields of the Workload that the experiment sets directly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.compiler.container import amounts, bounds, port, probes, sources
from tjgen.compiler.script import launcher_of, program
from tjgen.compiler.variables import by_reference, env_item
from tjgen.language.runs.lock import SUSPENDED
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Container, Experiment, ExperimentSpec, Fetch, Pod, Port, Role
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY, TASK_LABEL
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.k8s.references import NUMBER, references
from tjgen.trees.workload.contribution import Contribution, extended
from tjgen.trees.workload.roles import members, programs, role, workers
from tjgen.trees.workload.workload import PodSet, Workload

Yields = Iterator[Contribution | Diagnostic]
SPEC: FieldPath = ("spec",)

_IDLE = "TJ128"
_POD_FIELDS = (
    "node_selector",
    "tolerations",
    "affinity",
    "security_context",
    "termination_grace_period_seconds",
    "host_network",
    "host_ipc",
    "dns_policy",
    "scheduler_name",
    "runtime_class_name",
    "topology_spread_constraints",
    "restart_policy",
)


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Yields:
    """Everything that needs neither the Platform nor an arrangement of several fields."""
    spec = experiment.spec
    yield from _metadata(experiment, setting)
    yield from _run(spec)
    yield from sizes(workload, spec)
    yield from _program(workload, spec, setting.launcher)
    everyone, computing = members(workload), workers(workload)
    for podset in everyone:
        if spec.image is not None:
            yield _contribution((*podset.main, "image"), spec.image, (*SPEC, "image"))
        yield from _environment(workload, podset, spec, SPEC)
        yield from _checks(workload, podset, spec, spec.ports, SPEC)
        yield from _pod(podset, spec.pod, (*SPEC, "pod"))
        yield from _pod_shortcuts(podset, spec)
    for podset in computing:
        yield from _resources(workload, podset, spec, SPEC, spec.roles.get(podset.name))
        yield from _shared_memory(podset, spec)
    yield from _initializer(workload, spec)
    for name, changed in spec.roles.items():
        chosen = role(workload, name)
        if chosen is not None:
            yield from _role(workload, chosen, changed, spec.ports, (*SPEC, "roles", name))
        elif name in workload.absent:
            yield from _absent_role(name, changed)
        else:
            yield unknown_role(workload, name, (*SPEC, "roles", name))


def _absent_role(name: str, changed: Role) -> Yields:
    """An error if a role without pods has settings for its pods."""
    default = Role({})
    fields = [field for each in Role.__mro__ for field in getattr(each, "__slots__", ()) if field != "replicas"]
    if any(getattr(changed, field) != getattr(default, field) for field in fields):
        message = f"role {name} has 0 replicas, so its other fields have no effect"
        yield Diagnostic(_IDLE, message, path=(*SPEC, "roles", name), hint="remove the other fields, or set replicas")


def unknown_role(workload: Workload, name: str, because: FieldPath) -> Diagnostic:
    """The runtime has no replicated job called `name`."""
    known = [podset.name for podset in workload.podsets]
    near = nearest(name, known)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(known)}"
    if not workload.is_direct and because == (*SPEC, "roles", name):
        hint += f"{'' if near else '.'} For a new role, add its command"
    return Diagnostic("TJ302", f'the runtime has no role "{name}"', path=because, hint=hint)


def _contribution(path: FieldPath, value: Tree, because: FieldPath, *, mirrors: bool = True) -> Contribution:
    return Contribution(path, value, because, mirrors=mirrors)


def _metadata(experiment: Experiment, setting: Setting) -> Yields:
    metadata = experiment.metadata
    yield Contribution(("metadata", "labels", MANAGED_BY), "tjgen", (), "lower", "tjgen")
    yield Contribution(("metadata", "labels", EXPERIMENT_LABEL), setting.family, ("metadata", "name"))
    if setting.task:
        yield Contribution(("metadata", "labels", TASK_LABEL), setting.task, (*SPEC, "tasks", setting.task))
    for key, value in setting.labels.items():
        of_project: FieldPath = ("spec", "labels", key)
        because = (
            of_project if key in setting.project_labels else ("spec", "environments", setting.environment or "", *of_project[1:])
        )
        yield Contribution(("metadata", "labels", key), value, because, "environment", "project", True)
    for key, value in metadata.labels.items():
        yield _contribution(("metadata", "labels", key), value, ("metadata", "labels", key))
    for key, value in metadata.annotations.items():
        yield _contribution(("metadata", "annotations", key), value, ("metadata", "annotations", key))


def _run(spec: ExperimentSpec) -> Yields:
    if spec.state == SUSPENDED:
        yield Contribution(("run", "suspend"), True, (*SPEC, "state"))
    if spec.deadline is not None:
        yield _contribution(("run", "activeDeadlineSeconds"), spec.deadline, (*SPEC, "deadline"))
    if spec.procs_per_node is not None:
        yield _contribution(("trainer", "numProcPerNode"), spec.procs_per_node, (*SPEC, "procsPerNode"))


def sizes(workload: Workload, spec: ExperimentSpec) -> Yields:
    """The number of nodes, and of pods of each role."""
    if spec.nodes is not None:
        yield _contribution(("trainer", "numNodes"), spec.nodes, (*SPEC, "nodes"))
    for name, changed in spec.roles.items():
        chosen = role(workload, name)
        if chosen is None or changed.replicas is None:
            continue
        because = (*SPEC, "roles", name, "replicas")
        if workload.is_direct:
            yield _contribution(("counts", name), changed.replicas, because)
        elif chosen in workers(workload):
            yield _contribution(("trainer", "numNodes"), changed.replicas, because)
        else:
            # The pods of an indexed Job are as many as its completions.
            for field in ("parallelism", "completions"):
                yield _contribution((*chosen.path, "template", "spec", field), changed.replicas, because)


def _program(workload: Workload, spec: ExperimentSpec, launcher: list[str]) -> Yields:
    podsets = programs(workload)
    if not podsets:
        yield Diagnostic(
            "TJ303",
            "the runtime has no job with the ancestor label trainer.kubeflow.org/trainjob-ancestor-step: trainer",
            path=(*SPEC, "runtime"),
            hint="label the replicated job that trains, or use another runtime",
        )
    if spec.launcher is not None and spec.script is None:
        message = "launcher starts the program of script, but the experiment has no script"
        yield Diagnostic(_IDLE, message, path=(*SPEC, "launcher"), hint="set script, or put the launcher into command")
    for podset in podsets:
        if spec.script is not None:
            started = program(spec.script, launcher_of(spec.launcher, launcher))
            if isinstance(started, Diagnostic):
                yield started
                return
            command, args = started
            yield Contribution((*podset.main, "command"), command, (*SPEC, "script"))
            if args or get(workload.tree.value, (*podset.main, "args")):
                yield Contribution((*podset.main, "args"), args, (*SPEC, "script"))
        if spec.command:
            yield _contribution((*podset.main, "command"), spec.command, (*SPEC, "command"))
        if spec.args:
            yield _contribution((*podset.main, "args"), spec.args, (*SPEC, "args"))


def _environment(workload: Workload, podset: PodSet, container: Container, at: FieldPath) -> Yields:
    number = workload.number(podset)
    if number is not None and NUMBER not in container.env:
        # The Job controller appends it, after the variables that refer to it, and nothing else sets it without a Job.
        of = next((name for name, variable in container.env.items() if NUMBER in references(variable.value)), None)
        if of is not None:
            yield _contribution((*podset.main, "env", named(NUMBER)), {"name": NUMBER, **number}, (*at, "env", of), mirrors=False)
    for name in by_reference(container.env):
        variable = container.env[name]
        yield _contribution((*podset.main, "env", named(name)), env_item(name, variable), (*at, "env", name), mirrors=False)
    added = sources(container.env_from)
    if added:
        yield from extended(workload, (*podset.main, "envFrom"), added, (*at, "envFrom"))


def _checks(workload: Workload, podset: PodSet, container: Container, ports: Mapping[str, Port], at: FieldPath) -> Yields:
    """How the image is pulled, `ports` next to those of the runtime, and the probes of the kubelet."""
    if container.image_pull_policy is not None:
        yield _contribution((*podset.main, "imagePullPolicy"), container.image_pull_policy, (*at, "imagePullPolicy"))
    if container.ports:
        before = get(workload.tree.value, (*podset.main, "ports"), None) or []
        kept = [one for one in before if one.get("name") not in ports]
        added = [port(name, described) for name, described in ports.items()]
        yield Contribution((*podset.main, "ports"), [*kept, *added], (*at, "ports"))
    for name, field, probe in probes(container.probes):
        yield _contribution((*podset.main, field), probe, (*at, "probes", name))


def _pod(podset: PodSet, pod: Pod, at: FieldPath) -> Yields:
    for field, values in (("labels", pod.labels), ("annotations", pod.annotations)):
        for key, value in values.items():
            yield _contribution((*podset.pod_metadata, field, key), value, (*at, field, key))
    for attribute in _POD_FIELDS:
        value = getattr(pod, attribute)
        if value in (None, {}, [], ()):
            continue
        field = kubernetes_name(attribute)
        if value.__class__ is dict and attribute == "node_selector":
            for key, wanted in value.items():
                yield _contribution((*podset.pod, field, key), wanted, (*at, field, key))
        else:
            yield _contribution((*podset.pod, field), value, (*at, field))
    if pod.container_security_context:
        yield _contribution((*podset.main, "securityContext"), pod.container_security_context, (*at, "containerSecurityContext"))


def kubernetes_name(attribute: str) -> str:
    """`node_selector` -> `nodeSelector`; the one field with a capitalised abbreviation is `hostIPC`."""
    if attribute == "host_ipc":
        return "hostIPC"
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _pod_shortcuts(podset: PodSet, spec: ExperimentSpec) -> Yields:
    if spec.working_dir is not None:
        yield _contribution((*podset.main, "workingDir"), spec.working_dir, (*SPEC, "workingDir"))
    if spec.service_account_name is not None:
        yield _contribution((*podset.pod, "serviceAccountName"), spec.service_account_name, (*SPEC, "serviceAccountName"))
    for position, name in enumerate(spec.image_pull_secrets):
        because: FieldPath = (*SPEC, "imagePullSecrets", position)
        yield Contribution((*podset.pod, "imagePullSecrets", named(name)), {"name": name}, because)


def _resources(workload: Workload, podset: PodSet, container: Container, at: FieldPath, role: Role | None = None) -> Yields:
    """The resources that `container` sets, except those that the role of the pod set sets, too."""
    by_role = {resource for resource, _, _ in amounts(role, ())} if role is not None else ()
    for resource, amount, because in amounts(container, at):
        for bound, quantity in bounds(amount) if resource not in by_role else ():
            path: FieldPath = (*podset.main, "resources", bound, resource)
            if quantity is not None or get(workload.tree.value, path, None) is not None:
                yield _contribution(path, quantity, because)


def _shared_memory(podset: PodSet, spec: ExperimentSpec) -> Yields:
    if spec.shared_memory is None:
        return
    because = (*SPEC, "sharedMemory")
    volume = {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": text(spec.shared_memory)}}
    yield Contribution((*podset.pod, "volumes", named("shared-memory")), volume, because)
    mount = {"name": "shared-memory", "mountPath": "/dev/shm"}
    yield Contribution((*podset.main, "volumeMounts", (("mountPath", "/dev/shm"),)), mount, because)


def _initializer(workload: Workload, spec: ExperimentSpec) -> Yields:
    if spec.initializer is None:
        return
    for part in ("dataset", "model"):
        fetch = getattr(spec.initializer, part)
        if fetch is None:
            continue
        at: FieldPath = (*SPEC, "initializer", part)
        for podset in workload.podsets:
            if podset.ancestor == f"{part}-initializer":
                yield from _fetching(podset, fetch, at)
        to: FieldPath = ("initializer", part)
        if fetch.storage_uri is not None:
            yield _contribution((*to, "storageUri"), fetch.storage_uri, (*at, "storageUri"))
        for name in by_reference(fetch.env):
            yield Contribution((*to, "env", named(name)), env_item(name, fetch.env[name]), (*at, "env", name))
        if fetch.secret_ref is not None:
            yield Contribution((*to, "secretRef"), {"name": fetch.secret_ref.name}, (*at, "secretRef"))


def _fetching(podset: PodSet, fetch: Fetch, at: FieldPath) -> Yields:
    if fetch.image is not None:
        yield _contribution((*podset.main, "image"), fetch.image, (*at, "image"))
    if fetch.command:
        yield _contribution((*podset.main, "command"), fetch.command, (*at, "command"))
    if fetch.args:
        yield _contribution((*podset.main, "args"), fetch.args, (*at, "args"))
    for resource in ("cpu", "memory"):
        quantity = getattr(fetch, resource)
        if quantity is not None:
            for bound in ("limits", "requests"):
                yield _contribution((*podset.main, "resources", bound, resource), text(quantity), (*at, resource))


def _role(workload: Workload, podset: PodSet, changed: Role, ports: Mapping[str, Port], at: FieldPath) -> Yields:
    if changed.image is not None:
        yield _contribution((*podset.main, "image"), changed.image, (*at, "image"))
    if changed.command:
        yield _contribution((*podset.main, "command"), changed.command, (*at, "command"))
    if changed.args:
        yield _contribution((*podset.main, "args"), changed.args, (*at, "args"))
    if changed.working_dir is not None:
        yield _contribution((*podset.main, "workingDir"), changed.working_dir, (*at, "workingDir"))
    yield from _environment(workload, podset, changed, at)
    yield from _checks(workload, podset, changed, {**ports, **changed.ports}, at)
    yield from _pod(podset, changed.pod, (*at, "pod"))
    yield from _resources(workload, podset, changed, at)
