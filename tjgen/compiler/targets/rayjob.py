"""Workload -> RayJob of KubeRay: a head that runs the program, and groups of workers on which Ray starts its tasks.

The operator starts Ray in every pod, so the command of the program becomes the entrypoint, which it submits over HTTP when all
pods are ready. Fields and their meaning: KubeRay v1.5.1 `apis/ray/v1`, `controllers/ray/rayjob_controller.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.ray import CLUSTER, HEAD, RAYJOB, WORKERS
from tjgen.compiler.targets import groups, kubeflow_unsupported, rayjob_entrypoint, rayjob_policies
from tjgen.compiler.targets.container_names import renamed
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.extra_objects import extra_objects, taken
from tjgen.compiler.targets.kubeflow import take
from tjgen.compiler.targets.operator_job import OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.roles import programs
from tjgen.trees.workload.workload import PodSet, Workload

KIND = OperatorJob(RAYJOB, {}, (HEAD,), "ray", aside=(HEAD,))
RULE = Origin("target:rayjob", "tjgen")
LONGEST_NAME = 47
"""The operator refuses longer names (`utils/constant.go:MaxRayJobNameLength`)."""
_WORKER = "worker"
_SET = (
    *("RAY_CLUSTER_NAME", "RAY_CLOUD_INSTANCE_ID", "RAY_NODE_TYPE_NAME", "KUBERAY_GEN_RAY_START_CMD"),
    *("FQ_RAY_IP", "RAY_IP", "RAY_USAGE_STATS_EXTRA_TAGS"),
)
"""Variables that the operator adds behind those of the container, so that a user's of that name has no effect."""


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """A head next to the nodes, and a group of workers for each role; one group of all nodes if no role is named."""
    workload = workload._replace(aside=KIND.aside)
    trainers, others = programs(workload), [one for one in workload.podsets if not one.is_initializer]
    if len(trainers) != 1 or others != trainers:
        names = ", ".join(one.name for one in others)
        message = f"a RayJob has one program and copies of its pod, but the runtime has the jobs {names}"
        return workload, [Diagnostic("TJ426", message, path=("spec", "runtime"), hint="use tjgen-plain")]
    heads = size.roles.get(HEAD)
    if heads not in (None, 1):
        message = f"role {HEAD} of a RayJob has {heads} pods, but a RayCluster has exactly 1"
        at: FieldPath = ("spec", "roles", HEAD, "replicas")
        return workload, [Diagnostic("TJ426", message, path=at, hint="give the other pods another role, such as worker")]
    workers = {name: count for name, count in size.roles.items() if name != HEAD} or {_WORKER: None}
    empty = [name for name, count in workers.items() if count == 0]
    if empty:
        at = ("spec", "roles", empty[0], "replicas")
        return workload, [Diagnostic("TJ426", f"role {empty[0]} has no pods", path=at, hint="remove the role")]
    split, problems = groups.split(workload, size._replace(roles=workers), list(workers))
    head = groups.Group(HEAD, trainers[0], 1)
    workload = groups.arranged(workload, [head, *split], size, "")
    # No field of a pod holds its number: Ray numbers its nodes itself.
    return workload._replace(numbers={}), problems


def lower(workload: Workload) -> Lowered:
    """The RayJob, and the objects that it needs."""
    problems = [*kubeflow_unsupported.unsupported(workload, KIND), *rayjob_policies.unsupported(workload)]
    metadata: Tree = {"name": workload.name, "namespace": workload.namespace}
    shell: Tree = {"apiVersion": RAYJOB.api_version, "kind": RAYJOB.name, "metadata": metadata}
    writer = Writer(Managed(shell, {(): (RULE,)}), keys=LIST_KEYS)
    for field in get(workload.tree.value, ("metadata",), None) or {}:
        take(writer, ("metadata", field), workload, ("metadata", field))
    pods = {one.name: one for one in workload.podsets if not one.is_initializer}
    problems += rayjob_entrypoint.entrypoint(writer, workload, pods[HEAD])
    rayjob_policies.write(writer, workload)
    head: FieldPath = (*CLUSTER, "headGroupSpec")
    # Without CPUs for Ray, the head runs no tasks of the program: the workers do.
    writer.put((*head, "rayStartParams"), {"num-cpus": "0"}, RULE)
    _template(writer, workload, pods[HEAD], (*head, "template"))
    writer.put((*CLUSTER, WORKERS), [], RULE)
    for name, podset in pods.items():
        if name == HEAD:
            continue
        group: FieldPath = (*CLUSTER, WORKERS, (("groupName", name),))
        writer.put((*group, "groupName"), name, RULE)
        take(writer, (*group, "replicas"), workload, ("counts", name))
        for field in ("minReplicas", "maxReplicas"):
            for origin in workload.tree.origins(("counts", name)):
                # The target computes them, so a patch may set others.
                writer.put(
                    (*group, field), workload.tree.value["counts"][name], origin._replace(manager=RULE.manager, mirrors=False)
                )
        writer.put((*group, "rayStartParams"), {}, RULE)
        _template(writer, workload, podset, (*group, "template"))
    done = writer.done()
    return Lowered(Manifest(with_canonical_quantities(done.value), done.owners), extra_objects(workload), problems)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides (TJ432), and bounds of patches that change the number of workers (TJ474)."""
    return [*_overridden(job), *_out_of_bounds(job)]


def budget(job: Manifest) -> int:
    """By the RayCluster and its Services; the operator cuts the names of pods."""
    return LONGEST_NAME


def _template(writer: Writer, workload: Workload, podset: PodSet, to: FieldPath) -> None:
    """The pods of a role, whose first container is the one of Ray, without the command of the program."""
    value, owners = taken(workload.tree, podset.pod_metadata[:-1])
    name = get(workload.tree.value, ("names", podset.name), podset.container)
    if name != podset.container:
        origins = (workload.tree.origins(podset.main), workload.tree.origins(("names", podset.name)))
        value, owners = renamed(value, owners, podset.container, name, origins)
    containers = sorted(value["spec"]["containers"], key=lambda one: one.get("name") != name)
    main = {key: one for key, one in containers[0].items() if key not in ("command", "args")}
    at: FieldPath = ("spec", "containers", named(name))
    depth = len(at)
    owners = {
        path: one
        for path, one in owners.items()
        if path[:depth] != at or path[depth : depth + 1] not in (("command",), ("args",))
    }
    spec = {**value["spec"], "containers": [main, *containers[1:]]}
    writer.graft(to, {**{key: value[key] for key in sorted(value)}, "spec": spec}, owners)
    pod: FieldPath = (*to, "spec")
    if writer.get((*pod, "priorityClassName")) is None:
        take(writer, (*pod, "priorityClassName"), workload, ("schedule", "priorityClassName"))


def _overridden(job: Manifest) -> Iterator[Diagnostic]:
    for pods in pods_of(job):
        container: Tree = next(iter(pods.spec.get("containers") or ()), {})
        for variable in container.get("env") or ():
            name = variable.get("name")
            if name in _SET:
                message = f"the operator of a RayJob sets {name} after this one, so this value has no effect"
                path: FieldPath = (*pods.path, "spec", "containers", named(container["name"]), "env", named(name))
                yield Diagnostic("TJ432", message, job.ref, path, hint="remove it")


def _out_of_bounds(job: Manifest) -> Iterator[Diagnostic]:
    # KubeRay v1.5.1 controllers/ray/utils/util.go:GetWorkerGroupDesiredReplicas
    for group in get(job.tree, (*CLUSTER, WORKERS), None) or ():
        least, wanted, most = (group.get(field) for field in ("minReplicas", "replicas", "maxReplicas"))
        path: FieldPath = (*CLUSTER, WORKERS, (("groupName", group.get("groupName")),), "replicas")
        if wanted is None:
            continue
        for field, bound in (("minReplicas", least), ("maxReplicas", most)):
            if bound is not None and (wanted < bound if field == "minReplicas" else wanted > bound):
                message = f"group {group['groupName']} has {wanted} workers, but its {field} is {bound}: KubeRay starts {bound}"
                hint = f"change replicas, or {field} in the patch that sets it"
                yield Diagnostic("TJ474", message, job.ref, path, hint=hint)
