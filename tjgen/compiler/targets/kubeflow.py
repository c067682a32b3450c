"""Workload -> a job of the Training Operator v1 or the MPI Operator: a replica type for each role, with the policies of the run.

What the kinds have in common; each has a module of its own for the rest. Types: training-operator v1.9
`pkg/apis/kubeflow.org/v1`, mpi-operator v0.8 `pkg/apis/kubeflow/v2beta1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import groups, kubeflow_policies, kubeflow_unsupported
from tjgen.compiler.targets.container_names import renamed
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.extra_objects import extra_objects, taken
from tjgen.compiler.targets.operator_job import OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.names import LABEL_LENGTH
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.roles import nodes, programs, workers
from tjgen.trees.workload.workload import PodSet, Workload

INDEX = "metadata.labels['training.kubeflow.org/replica-index']"
"""Every pod's number among those of its type: `controller.v1/common/pod.go:createNewPod`, `mpi_job_controller.go:newWorker`."""
RULE = Origin("target:kubeflow", "tjgen")
SCHEDULERS = ("volcano", "scheduler-plugins-scheduler")
"""What a runtime with a gang names for its pods: without the gang they are for the cluster's own scheduler."""


Usual = Callable[[int], Sequence[str]]
"""How many nodes -> the roles that they become where the experiment names none."""


def arranged(workload: Workload, size: RequestedSize, kind: OperatorJob, usual: Usual) -> tuple[Workload, list[Diagnostic]]:
    """Return the roles that the experiment names, or the usual ones, or the runtime's jobs, if the kind has such types."""
    workload = workload._replace(aside=kind.aside)
    trainers = programs(workload)
    names = groups.new_roles(workload, size)
    if len(trainers) == 1 and trainers[0].name not in kind.types:
        names = names or list(usual(size.nodes if size.nodes is not None else nodes(workload)))
    unknown = list(_unknown(workload, kind, names))
    if unknown:
        return workload, unknown
    if names:
        split, diagnostics = groups.split(workload, size, names, kind.single)
    else:
        split = groups.as_they_are(workload, size)
        diagnostics = groups.unlike_nodes(workload, size, split)
    diagnostics += [_not_one(kind, group) for group in split if group.name in kind.single and group.pods != 1]
    diagnostics += [_none(name) for name, count in size.roles.items() if count == 0]
    if not diagnostics and all(group.name in kind.aside for group in split):
        training = ", ".join(name for name in kind.types if name not in kind.aside)
        message = f"no role of the run trains: {', '.join(group.name for group in split)} only assist"
        diagnostics.append(_no_type(message, ("spec", "roles"), f"add one of {training}"))
    return groups.arranged(workload, split, size, INDEX), diagnostics


def lower(workload: Workload, kind: OperatorJob, own: Callable[[Writer, Workload], Iterator[Diagnostic]]) -> Lowered:
    """The job and the objects that it needs; `own` writes what only this kind has."""
    problems = list(kubeflow_unsupported.unsupported(workload, kind))
    metadata: Tree = {"name": workload.name, "namespace": workload.namespace}
    shell: Tree = {"apiVersion": kind.kind.api_version, "kind": kind.name, "metadata": metadata}
    writer = Writer(Managed(shell, {(): (RULE,)}), keys=LIST_KEYS)
    for field in get(workload.tree.value, ("metadata",), None) or {}:
        take(writer, ("metadata", field), workload, ("metadata", field))
    problems += kubeflow_policies.run_policy(writer, workload, kind)
    problems += own(writer, workload)
    for podset in workload.podsets:
        if not podset.is_initializer:
            problems += _replica(writer, workload, podset, kind)
    done = writer.done()
    return Lowered(Manifest(with_canonical_quantities(done.value), done.owners), extra_objects(workload), problems)


def budget(job: Manifest) -> int:
    """By the names of pods, which Services and hosts have too."""
    return LABEL_LENGTH - max((len(f"-{pods.role}-{max(pods.number - 1, 0)}") for pods in pods_of(job)), default=0)


def take(writer: Writer, to: FieldPath, workload: Workload, path: FieldPath) -> None:
    """Copy a value of the Workload, with its owners; do nothing if it does not exist."""
    if get(workload.tree.value, path, None) is not None:
        value, owners = taken(workload.tree, path)
        writer.graft(to, value, owners)


def host(workload: Workload, kind: OperatorJob) -> str:
    """The host name of the node that is number 0."""
    first = next(name for name, number in workload.numbers.items() if "valueFrom" in number or number["value"] == "0")
    return f"{workload.name}-{kind.types[first].lower()}-0"


def devices(workload: Workload) -> set[int]:
    """The numbers of devices that the training pods have: one number, unless roles differ."""
    return {resources.gpus(get(workload.tree.value, (*podset.main, "resources"), None) or {}) for podset in workers(workload)}


def variables(workload: Workload, values: Mapping[str, Tree], origins: Sequence[Origin] = (RULE,)) -> Workload:
    """Return the Workload with variables for training pods unless the user sets them; `value` None is the node's number."""
    writer = Writer(workload.tree, keys=LIST_KEYS)
    for podset in workload.podsets:
        number = workload.numbers.get(podset.name)
        if number is None:
            continue
        for name, value in values.items():
            path: FieldPath = (*podset.main, "env", named(name))
            if writer.get(path) is None:
                for origin in origins:
                    variable = {"name": name, **(number if value is None else {"value": value})}
                    writer.put(path, variable, origin._replace(mirrors=False))
    return workload._replace(tree=writer.done())


def _replica(writer: Writer, workload: Workload, podset: PodSet, kind: OperatorJob) -> Iterator[Diagnostic]:
    at: FieldPath = ("spec", kind.field, kind.types[podset.name])
    take(writer, (*at, "replicas"), workload, ("counts", podset.name))
    yield from kubeflow_policies.restart_policy(writer, workload, podset, kind, at)
    value, owners = taken(workload.tree, podset.pod_metadata[:-1])
    name = kind.container or get(workload.tree.value, ("names", podset.name), podset.container)
    if name != podset.container:
        if any(one.get("name") == name for one in value["spec"]["containers"]):
            yield _name_taken(workload, podset, kind)
            return
        origins = (
            workload.tree.origins(podset.main),
            (RULE,) if kind.container else workload.tree.origins(("names", podset.name)),
        )
        value, owners = renamed(value, owners, podset.container, name, origins)
    writer.graft((*at, "template"), _first(value, name), owners)
    pod: FieldPath = (*at, "template", "spec")
    if writer.get((*pod, "restartPolicy")) is not None:
        # The replica type sets it; the pod's value would be overwritten, with a warning.
        writer.put((*pod, "restartPolicy"), None, RULE)
    if writer.get((*pod, "schedulerName")) in SCHEDULERS and not kubeflow_policies.has_gang(workload):
        writer.put((*pod, "schedulerName"), None, RULE)
    kubeflow_policies.pod_deadline(writer, workload, kind, pod)
    if writer.get((*pod, "priorityClassName")) is None:
        # The operators hand it to the gang alone.
        take(writer, (*pod, "priorityClassName"), workload, ("schedule", "priorityClassName"))


def _first(template: Tree, name: str) -> Tree:
    """The main container in front: the MPI Operator takes the first for it."""
    containers = template["spec"]["containers"]
    ordered = sorted(containers, key=lambda one: one.get("name") != name)
    return {**{key: template[key] for key in sorted(template)}, "spec": {**template["spec"], "containers": ordered}}


def _unknown(workload: Workload, kind: OperatorJob, names: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield roles that the kind has no type for: new names, and jobs of the runtime that stay."""
    known = ", ".join(dict.fromkeys(kind.types))
    for name in names:
        if name not in kind.types:
            near = nearest(name, kind.types)
            hint = f"did you mean {near}?" if near else f"use {known}"
            yield _no_type(f'{kind.with_article} has no replica type for role "{name}"', ("spec", "roles", name), hint)
    for podset in workload.podsets:
        stays = podset.name not in kind.types and not podset.is_initializer
        if stays and not (names and podset.ancestor == "trainer"):
            message = f"{kind.with_article} has no replica type for job {podset.name} of the runtime"
            yield _no_type(message, ("spec", "runtime"), f"use a runtime with jobs called {known}, or with one that trains")


def _no_type(message: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic("TJ426", message, path=path, hint=hint)


def _not_one(kind: OperatorJob, group: groups.Group) -> Diagnostic:
    message = f"role {group.name} of {kind.with_article} has {group.pods} pods, but the operator accepts exactly 1"
    return _no_type(message, ("spec", "roles", group.name, "replicas"), "give the other pods another role, such as worker")


def _none(name: str) -> Diagnostic:
    return _no_type(f"role {name} has no pods", ("spec", "roles", name, "replicas"), "remove the role")


def _name_taken(workload: Workload, podset: PodSet, kind: OperatorJob) -> Diagnostic:
    message = (
        f"the operator looks for the program in container {kind.container}, and another container of {podset.name} has that name"
    )
    hint = f"rename it, or name the main container {kind.container}"
    path: FieldPath = ("spec", "runtime")
    return Diagnostic("TJ431", message, path=path, hint=hint)
