"""Workload -> a job of the Training Operator v1 or the MPI Operator: a replica type for each role, with the policies of the run.

What the kinds have in common; each has a module of its own for the rest. Types: training-operator v1.9
`pkg/apis/kubeflow.org/v1`, mpi-operator v0.8 `pkg/apis/kubeflow/v2beta1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster import outcomes
from tjgen.cluster.controllers import mpi_operator, training_operator_pods
from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Kind, Pods
from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.job import TORCHTUNE
from tjgen.compiler.targets import groups
from tjgen.compiler.targets.container_names import renamed
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.extra_objects import extra_objects, taken
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.fields.writer import Writer
from tjgen.trees.k8s.labels import KUEUE_QUEUE
from tjgen.trees.k8s.names import LABEL_LENGTH
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.canonical_quantities import with_canonical_quantities
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.keys import LIST_KEYS
from tjgen.trees.workload.roles import nodes, programs, workers
from tjgen.trees.workload.workload import PodSet, Workload, is_runtimes

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
    problems = list(unsupported(workload, kind))
    metadata: Tree = {"name": workload.name, "namespace": workload.namespace}
    shell: Tree = {"apiVersion": kind.kind.api_version, "kind": kind.name, "metadata": metadata}
    writer = Writer(Managed(shell, {(): (RULE,)}), keys=LIST_KEYS)
    for field in get(workload.tree.value, ("metadata",), None) or {}:
        take(writer, ("metadata", field), workload, ("metadata", field))
    problems += _run_policy(writer, workload, kind)
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
    yield from restart_policy(writer, workload, podset, kind, at)
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
    if writer.get((*pod, "schedulerName")) in SCHEDULERS and not has_gang(workload):
        writer.put((*pod, "schedulerName"), None, RULE)
    _pod_deadline(writer, workload, kind, pod)
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


# What a target of the Training Operator or of the MPI Operator needs to know of its kind, beyond `kinds`.


class OperatorJob(NamedTuple):
    """One kind of job with its replica types."""

    kind: Kind
    types: Mapping[str, str]
    """Role -> replica type."""
    single: tuple[str, ...]
    """Roles of exactly one pod."""
    policy: str
    """The ML policy of a runtime whose rendezvous the operator sets up."""
    aside: tuple[str, ...] = ()
    """Roles that run the program and do not train."""

    @property
    def name(self) -> str:
        """The kind, such as PyTorchJob."""
        return self.kind.name

    @property
    def container(self) -> str:
        """The name that the main container must have; empty if any name works."""
        return OPERATOR_DEFAULTS[self.name].container if self.name in OPERATOR_DEFAULTS else ""

    @property
    def port(self) -> int:
        """The port that the operator opens if the main container has none of its own."""
        return OPERATOR_DEFAULTS[self.name].port

    @property
    def field(self) -> str:
        """The field of the spec that holds the replica types."""
        assert self.kind.run is not None, "an operator's job trains"
        return self.kind.run.replicas

    @property
    def with_article(self) -> str:
        """The name in a sentence: a TFJob, an MPIJob."""
        return f"{'an' if self.name[0] in 'MX' else 'a'} {self.name}"


# Settings for restarts, deadlines, gangs and the end of a run -> `runPolicy` and the restart policies of the replica types.
#
# The operators start a failed pod again alone, where Trainer's runtimes start all of them: training-operator v1.9
# `controller.v1/common/pod.go:ReconcilePods`, `job.go:ReconcileJobs`; mpi-operator v0.8 `newLauncherJob`.

_RUN: FieldPath = ("spec", "runPolicy")
_FAILURE: FieldPath = ("runtime", "template", "spec", "failurePolicy")
_GANG = (
    ("minAvailable", "minAvailable"),
    ("minResources", "minResources"),
    ("queue", "queue"),
    ("priorityClassName", "priorityClass"),
)
MIN_AVAILABLE: FieldPath = (*_RUN, "schedulingPolicy", "minAvailable")
"""Size of the gang, if the operator runs with gang scheduling."""
_LIMIT: FieldPath = ("policy", "restart", "limit")
_LIMIT_AT: FieldPath = ("spec", "restart", "limit")
_TTL_AT: FieldPath = ("spec", "cleanup", "ttlSeconds")
_DEADLINE: FieldPath = ("run", "activeDeadlineSeconds")
_TIMEOUT = ("timeoutSeconds", "scheduleTimeoutSeconds")


def _run_policy(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    """`runPolicy`, and what of it does not do what it seems to."""
    clean = ("policy", "cleanup", "pods")
    if not _take(writer, (*_RUN, "cleanPodPolicy"), workload, clean):
        # Upstream's None leaves pods that still run, and their devices with them, when the others have ended.
        writer.put((*_RUN, "cleanPodPolicy"), "Running", RULE)
    if _take(writer, (*_RUN, "ttlSecondsAfterFinished"), workload, ("policy", "cleanup", "ttlSeconds")):
        yield from outcomes.ttl_problems(kind.name, _TTL_AT)
    if _take(writer, (*_RUN, "activeDeadlineSeconds"), workload, _DEADLINE):
        means = outcomes.POD_DEADLINES if _has_pod_deadlines(kind) else ""
        yield from outcomes.deadline_problems(kind.name, ("spec", "deadline"), means=means, restarts=0)
    yield from _limit(writer, workload, kind)
    yield from _gang(writer, workload, kind)
    for field in ("suspend", "managedBy"):
        _take(writer, (*_RUN, field), workload, ("run", field))


def _has_pod_deadlines(kind: OperatorJob) -> bool:
    """Whether the pods have the deadline of the run, too, because the operator does not end a quiet run at its deadline."""
    outcome = outcomes.find(kind.name, outcomes.DEADLINE)
    return outcome is not None and outcome.result == outcomes.QUIET


def _pod_deadline(writer: Writer, workload: Workload, kind: OperatorJob, pod: FieldPath) -> None:
    """Give the pods of a replica type the deadline of the run, unless theirs is earlier."""
    deadline = get(workload.tree.value, _DEADLINE, None)
    own = writer.get((*pod, "activeDeadlineSeconds"))
    if deadline is not None and _has_pod_deadlines(kind) and (own is None or own > deadline):
        for origin in workload.tree.origins(_DEADLINE):
            writer.put((*pod, "activeDeadlineSeconds"), deadline, origin._replace(mirrors=False))


def has_gang(workload: Workload) -> bool:
    """Whether the pods may be those of a gang scheduler: not if a queue admits the run as a whole, or without a gang."""
    queued = get(workload.tree.value, ("metadata", "labels", KUEUE_QUEUE), None) is not None
    return not queued and get(workload.tree.value, ("schedule", "system"), None) not in ("kueue", "none")


def restart_policy(writer: Writer, workload: Workload, podset: PodSet, kind: OperatorJob, at: FieldPath) -> Iterator[Diagnostic]:
    """The policy of the run, then that of its pods; else what the runtime does about failures, pod by pod.

    TJ790 for a policy of the pods that differs from that of the run.
    """
    to = (*at, "restartPolicy")
    pod: FieldPath = (*podset.pod, "restartPolicy")
    origins = [origin for origin in workload.tree.origins(pod) if origin.source == "experiment"]
    if _never_by_limit(workload, kind, podset):
        writer.put(to, "Never", workload.tree.origins(_LIMIT)[0]._replace(mirrors=False))
        return
    if _take(writer, to, workload, ("policy", "restart", "policy")):
        own, of_run = get(workload.tree.value, pod, None), writer.get(to)
        if origins and own not in (None, of_run):
            message = f"pod.restartPolicy is {own}, and restart.policy is {of_run}: only the latter has an effect"
            yield Diagnostic("TJ790", message, path=origins[0].because, hint="remove one of them")
        return
    limited = workload.tree.origins(_LIMIT) if get(workload.tree.value, _LIMIT, None) else ()
    if origins and get(workload.tree.value, pod, None) is not None:
        writer.put(to, get(workload.tree.value, pod), origins[0])
    elif limited:
        writer.put(to, "OnFailure", limited[0]._replace(mirrors=False))
    else:
        starts_again = restarts(workload, podset) > 0
        writer.put(to, "OnFailure" if starts_again else "Never", _of_runtime(workload, podset))


def _never_by_limit(workload: Workload, kind: OperatorJob, podset: PodSet) -> bool:
    """Whether no container restarts in its pod, so that the limit is exact.

    A container restarts before its failure counts, so with a limit of 0 it would start twice. The launcher of an MPIJob is a Job,
    which starts a failed pod again by itself.
    """
    limit = get(workload.tree.value, _LIMIT, None)
    policy = get(workload.tree.value, ("policy", "restart", "policy"), None)
    if limit == 0:
        return policy in (None, "OnFailure")
    return limit is not None and policy is None and kind.types.get(podset.name) == "Launcher"


def restarts(workload: Workload, podset: PodSet) -> int:
    """How often a runtime starts a lost pod again: with all others, or alone."""
    together = get(workload.tree.value, (*_FAILURE, "maxRestarts"), None)
    if together is not None:
        return int(together)
    return int(get(workload.tree.value, (*podset.path, "template", "spec", "backoffLimit"), None) or 0)


def backoff_limit(limit: int, pods: int, policy: str | None) -> int:
    """`backoffLimit` for `limit` restarts of each of `pods` pods.

    The operators compare it with the container restarts of all pods together, and fail the job when the sum reaches it. A
    launcher that never restarts in its pod is a Job's pod, whose failures may reach the number but not exceed it.
    """
    return limit if policy == "Never" else limit * pods + 1


def _limit(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    policy = get(workload.tree.value, ("policy", "restart", "policy"), None)
    members = [podset for podset in workload.podsets if not podset.is_initializer]
    # The MPI Operator hands the limit to the launcher's Job. Its workers restart without limit.
    pods = 1 if kind.name == "MPIJob" else _most_pods(workload)
    to = (*_RUN, "backoffLimit")
    limit = get(workload.tree.value, _LIMIT, None)
    if limit is not None and policy == "ExitCode" and kind.name != "MPIJob":
        message = f"{kind.with_article} cannot limit restarts with policy ExitCode: the operator does not count them"
        hint = "use policy: OnFailure, or remove the limit and set a deadline, which ends the restarts"
        yield Diagnostic("TJ425", message, path=_LIMIT_AT, hint=hint)
        return
    if limit is not None:
        exact = any(_never_by_limit(workload, kind, podset) for podset in members)
        for origin in workload.tree.origins(_LIMIT):
            writer.put(to, backoff_limit(limit, pods, "Never" if exact else policy), origin._replace(mirrors=False))
        if policy == "Never" and kind.name != "MPIJob":
            message = f"with policy Never, no pod of {kind.with_article} restarts, so the limit has no effect"
            yield Diagnostic("TJ429", message, path=_LIMIT_AT, hint="use policy: OnFailure, or remove the limit")
        return
    most = max((restarts(workload, podset) for podset in members), default=0)
    if policy not in ("Never", "ExitCode") and most:
        # A Job's backoffLimit is for all of its pods; restarts of a JobSet are restarts of each pod.
        together = get(workload.tree.value, (*_FAILURE, "maxRestarts"), None) is not None
        writer.put(to, backoff_limit(most, pods if together else 1, policy), _of_runtime(workload, members[0]))
    several = sum(workload.tree.value["counts"].values()) > 1
    if policy is None and several and get(workload.tree.value, (*_FAILURE, "maxRestarts"), None):
        message = f"the runtime restarts all pods when one fails, and {kind.with_article} restarts only that pod"
        hint = "set restart.policy, and save checkpoints from which one node can join the others again"
        yield Diagnostic("TJ436", message, path=("spec", "target"), hint=hint)


def _most_pods(workload: Workload) -> int:
    """Pods of the run; of an elastic run the highest number."""
    total: int = sum(workload.tree.value["counts"].values())
    return max(int(get(workload.tree.value, ("policy", "elastic", "max"), 0)), total)


def _gang(writer: Writer, workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    at = (*_RUN, "schedulingPolicy")
    for source, field in (*_GANG, _TIMEOUT):
        _take(writer, (*at, field), workload, ("schedule", source))
    total = sum(workload.tree.value["counts"].values())
    system = get(workload.tree.value, ("schedule", "system"), None)
    if writer.get(at) is None and system in ("volcano", "coscheduling"):
        for origin in workload.tree.origins(("schedule", "system")):
            writer.put(MIN_AVAILABLE, total, origin._replace(mirrors=False))
    least = writer.get(MIN_AVAILABLE)
    if least is not None and least > total:
        message = f"the gang waits for {least} pods, but the run has only {total}: it never starts"
        path: FieldPath = ("spec", "schedule", "minAvailable")
        yield Diagnostic("TJ437", message, path=path, hint=f"use at most {total}")
    of_runtime = get(workload.tree.value, ("runtime", "podGroupPolicy"), None)
    # Kueue starts all pods of a run together without the flag.
    if has_gang(workload) and (writer.get(at) is not None or of_runtime):
        flag = "--gang-scheduling" if kind.name == "MPIJob" else "--gang-scheduler-name"
        message = f"the operator's flag {flag} decides whether the pods of {kind.with_article} wait for each other"
        hint = "start the operator with this flag; otherwise only the priority of the pods has an effect"
        because: FieldPath = ("spec", "schedule" if writer.get(at) is not None else "runtime")
        yield Diagnostic("TJ435", message, path=because, hint=hint)


def _of_runtime(workload: Workload, podset: PodSet) -> Origin:
    if get(workload.tree.value, (*_FAILURE, "maxRestarts"), None) is not None:
        return Origin("target:kubeflow", "runtime", ("spec", *_FAILURE[1:]))
    return RULE


def _take(writer: Writer, to: FieldPath, workload: Workload, path: FieldPath) -> bool:
    """Copy a value; whether there is one."""
    value: Tree = get(workload.tree.value, path, None)
    if value is None:
        return False
    for origin in workload.tree.origins(path):
        writer.put(to, value, origin)
    return True


# Workload -> an error for each setting that a job of the Training Operator or MPI Operator has no field for.

_POLICIES = ("torch", "mpi", "jax", "xgboost", "flux")
_RUNTIMES = (*_POLICIES, "paddle")
"""Frameworks that have a bundled runtime of their name."""


def unsupported(workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    """An error for each (TJ425, TJ434)."""
    yield from _rendezvous(workload, kind)
    yield from _run(workload, kind)
    for podset in workload.podsets:
        if podset.is_initializer:
            hint = "fetch it with prefetch before the run starts, or use target: jobset"
            yield _cannot(workload, kind, ("initializer",), f"run a {podset.name} before its pods", hint)
            continue
        if kind.name != "MPIJob" and get(workload.tree.value, (*podset.path, "dependsOn"), None):
            hint = "use target: jobset, or a runtime whose jobs start together"
            yield _cannot(workload, kind, (*podset.path, "dependsOn"), f"start {podset.name} after other roles", hint)
        for metadata in ("labels", "annotations"):
            at: FieldPath = (*podset.path, "template", "metadata", metadata)
            for key in get(workload.tree.value, at, None) or {}:
                if not all(is_runtimes(origin) for origin in workload.tree.origins((*at, key))):
                    hint = "remove it, or use target: jobset"
                    yield _cannot(workload, kind, (*at, key), f"set {key}: its roles have no Jobs of their own", hint)


def find_warnings(job: Manifest, kind: OperatorJob) -> Iterator[Diagnostic]:
    """Variables that the operator overrides (TJ432)."""
    for pods in pods_of(job):
        given = pods.spec.get("containers") or []
        created = [_created(job.tree, pods, kind, index) for index in range(2)]
        for number, container in enumerate(given):
            own = container.get("env") or []
            # Of several variables with one name, the kubelet takes the last one.
            added = [{one["name"]: one for one in pod[number].get("env", ())[len(own) :]} for pod in created]
            for variable in own:
                name = variable.get("name")
                if any(variables.get(name, variable) != variable for variables in added):
                    message = f"the operator of {kind.with_article} sets {name} after this one, so this value has no effect"
                    path: FieldPath = (*pods.path, "spec", "containers", named(container["name"]), "env", named(name))
                    yield Diagnostic("TJ432", message, job.ref, path, hint="remove it")


def _created(job: Tree, pods: Pods, kind: OperatorJob, index: int) -> list[Tree]:
    """The containers of the pod `index` of a role, as the operator creates them."""
    if kind.name != "MPIJob":
        return training_operator_pods.containers(job, pods.role, index, pods.spec.get("containers") or [])
    spec = get(job, pods.path[:-1])
    template = mpi_operator.worker(job, spec, index) if pods.role == "worker" else mpi_operator.launcher(job, spec)
    containers: list[Tree] = template["spec"]["containers"]
    return containers


def success(workload: Workload, kind: OperatorJob, leader: str) -> Iterator[Diagnostic]:
    """A run of most kinds has succeeded with one role, which cannot be changed."""
    success = get(workload.tree.value, ("policy", "success"), None)
    if success is None:
        return
    known = workload.tree.value["counts"]
    leading = leader if leader in known else next(iter(known), leader)
    if list(success.get("roles") or ()) != [leading] or success.get("operator") != "All":
        message = f"{kind.with_article} succeeds when all pods of {leading} succeed, and success cannot change this"
        hint = f"remove success, or use roles: [{leading}]"
        yield Diagnostic("TJ425", message, path=("spec", "success"), hint=hint)


def _rendezvous(workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    """The runtime's programs look for each other by the framework's own means."""
    policy = workload.ml_policy or {}
    for name in _POLICIES:
        if policy.get(name) is not None and name != kind.policy:
            hint = f"use tjgen-{kind.policy}" if kind.policy in _RUNTIMES else "use tjgen-plain"
            if kind.name == "RayJob":
                hint += ", and a program that uses Ray"
            expected = "the variables of torchrun" if name == "torch" else f"the settings of {name}"
            yield not_found(f"programs of this runtime expect {expected}, which {kind.with_article} does not set", hint)
    for podset in workload.podsets:
        command: Tree = get(workload.tree.value, (*podset.main, "command"), None) or []
        if command[:2] == TORCHTUNE:
            hint = "use target: trainjob or jobset"
            yield not_found(f"only Trainer completes `tune run`; the operator of {kind.with_article} does not", hint)


def not_found(message: str, hint: str) -> Diagnostic:
    """The programs of the runtime would not find each other."""
    return Diagnostic("TJ434", message, path=("spec", "runtime"), hint=hint)


def _run(workload: Workload, kind: OperatorJob) -> Iterator[Diagnostic]:
    tree = workload.tree.value
    if get(tree, ("runtime", "template", "spec", "volumeClaimPolicies"), None):
        hint = "describe the volume under the same name with volumes.NAME.pvc.create"
        path: FieldPath = ("runtime", "template", "spec", "volumeClaimPolicies")
        yield _cannot(workload, kind, path, "create claims as JobSet does", hint)
    if get(tree, ("schedule", "networkTopology"), None):
        hint = "use target: volcanojob, or remove networkTopology"
        yield _cannot(workload, kind, ("schedule", "networkTopology"), "request how close its pods are placed", hint)
    if get(tree, ("policy", "restart", "rules"), None):
        hint = "use restart.policy: ExitCode, which restarts a pod for exit codes from 128 on, as after a signal"
        if kind.name in ("MPIJob", "RayJob"):
            hint = "remove the rules, or use target: jobset"
        yield _cannot(workload, kind, ("policy", "restart", "rules"), "distinguish failures by rules", hint)
    if kind.name == "MPIJob" and get(tree, ("policy", "restart", "policy"), None) in ("Always", "ExitCode"):
        word = get(tree, ("policy", "restart", "policy"))
        path = ("policy", "restart", "policy")
        yield _cannot(workload, kind, path, f"restart containers with policy {word}", "use Never or OnFailure")
    if kind.name != "PyTorchJob" and get(tree, ("policy", "elastic"), None):
        hint = (
            "remove elastic; enableDynamicWorker of a TFJob can be set by patches" if kind.name == "TFJob" else "remove elastic"
        )
        yield _cannot(workload, kind, ("policy", "elastic"), "limit the change of its number of nodes", hint)


def _cannot(workload: Workload, kind: OperatorJob, path: FieldPath, what: str, hint: str) -> Diagnostic:
    origins = workload.tree.origins(path)
    is_setting = path[:1] in (("policy",), ("schedule",))
    because = ("spec", *path[1 if path[0] == "policy" else 0 :]) if is_setting else None
    because = because or next((one.because for one in origins if one.source == "experiment"), ("spec", "runtime"))
    return Diagnostic("TJ425", f"{kind.with_article} cannot {what}", path=because, hint=hint)
