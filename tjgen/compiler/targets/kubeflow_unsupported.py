"""Workload -> an error for each setting that a job of the Training Operator or MPI Operator has no field for."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers import mpi_operator, training_operator_pods
from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.kinds.protocol import Pods
from tjgen.cluster.trainer.job import TORCHTUNE
from tjgen.compiler.targets.operator_job import OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import Workload, is_runtimes

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
