"""Workload -> RayJob of KubeRay: a head that runs the program, and groups of workers on which Ray starts its tasks.

The operator starts Ray in every pod, so the command of the program becomes the entrypoint, which it submits over HTTP when all
pods are ready. Fields and their meaning: KubeRay v1.5.1 `apis/ray/v1`, `controllers/ray/rayjob_controller.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.ray import CLUSTER, HEAD, RAYJOB, WORKERS
from tjgen.cluster.outcomes import deadline_problems
from tjgen.compiler.targets import groups, kubeflow
from tjgen.compiler.targets.container_names import renamed
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.extra_objects import extra_objects, taken
from tjgen.compiler.targets.kubeflow import OperatorJob, restarts, take
from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.roles import programs
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes

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
    problems = [*kubeflow.unsupported(workload, KIND), *_unsupported(workload)]
    metadata: Tree = {"name": workload.name, "namespace": workload.namespace}
    shell: Tree = {"apiVersion": RAYJOB.api_version, "kind": RAYJOB.name, "metadata": metadata}
    writer = Writer(Managed(shell, {(): (RULE,)}), keys=LIST_KEYS)
    for field in get(workload.tree.value, ("metadata",), None) or {}:
        take(writer, ("metadata", field), workload, ("metadata", field))
    pods = {one.name: one for one in workload.podsets if not one.is_initializer}
    problems += entrypoint(writer, workload, pods[HEAD])
    _write_policies(writer, workload)
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


# The command of the head's program -> the entrypoint of a RayJob: one line for a shell on the head.
#
# Ray starts the entrypoint with a shell, which sees the variables of the head's container. Kubernetes' own `$(NAME)` is
# therefore written as a variable of the shell, and everything else in quotes where the shell would interpret it.

_RULE = Origin("target:rayjob", "tjgen")
_AT: FieldPath = ("spec", "entrypoint")
_MODE: FieldPath = ("spec", "submissionMode")
_SHELL = ["sh", "-c"]
_PARTS = regex.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_]*)\)")
_PLAIN = regex.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_SPECIAL = regex.compile(r'(["\\$`])')


def entrypoint(writer: Writer, workload: Workload, head: PodSet) -> Iterator[Diagnostic]:
    """Write the entrypoint, submitted by the operator itself: a Job of its own would parse the line a second time."""
    main = get(workload.tree.value, head.main, None) or {}
    words = [*(main.get("command") or ()), *(main.get("args") or ())]
    if not main.get("command"):
        message = "a RayJob starts its program by a command, but neither the experiment nor the runtime has one"
        yield Diagnostic(
            "TJ425",
            message,
            path=("spec",),
            hint="set script or command, because tjgen does not read the entrypoint of the image",
        )
        return
    known = [str(one.get("name")) for one in main.get("env") or ()]
    text = line(list(map(str, words)), known)
    for field in ("command", "args"):
        if main.get(field):
            for origin in workload.tree.origins((*head.main, field)):
                writer.put(_AT, text, origin._replace(mirrors=False))
    writer.put(_MODE, "HTTPMode", _RULE)


def line(words: list[str], known: list[str]) -> str:
    """The words of a command as a line for a shell. The line of `sh -c` is that line already."""
    if words[:2] == _SHELL and len(words) == 3:
        return _PARTS.sub(lambda match: f"${{{match[1]}}}" if match[1] in known else match[0] if match[1] else "$", words[2])
    return " ".join(in_shell(word, known) for word in words)


def in_shell(word: str, known: list[str]) -> str:
    """One word of the command, as a shell reads it. A name that is not in `known` is text to Kubernetes, and stays so."""
    if _PLAIN.match(word):
        return word
    literals: list[str] = []
    quoted: list[str] = []
    start = 0
    for match in _PARTS.finditer(word):
        # Kubernetes writes $$ as $, and keeps a reference that it cannot resolve.
        is_known = match[1] in known
        before, own = word[start : match.start()], match[0] if match[1] else "$"
        literals += [before, own]
        quoted += [_escaped(before), f"${{{match[1]}}}" if is_known else _escaped(own)]
        start = match.end()
    literal, whole = "".join([*literals, word[start:]]), "".join([*quoted, _escaped(word[start:])])
    return f'"{whole}"' if "'" in literal or whole != _escaped(literal) else f"'{literal}'"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


# Settings for the end of a run, deadlines, new attempts and queues -> fields of a RayJob.
#
# A new attempt has a new RayCluster, so all pods start again, as they do with the runtimes of Trainer. The RayJob itself stays
# when its RayCluster is deleted, so a sync does not train it again. Upstream: KubeRay v1.5.1
# `rayjob_controller.go:handleShutdownAfterJobFinishes`.

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


def _write_policies(writer: Writer, workload: Workload) -> None:
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


def _unsupported(workload: Workload) -> Iterator[Diagnostic]:
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
