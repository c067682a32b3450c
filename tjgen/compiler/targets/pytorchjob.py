"""Workload -> PyTorchJob of kubeflow.org/v1: a master and workers, or workers alone that may come and go.

The operator sets MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK and PET_*, by which torchrun finds the others: training-operator
v1.9 `controller.v1/pytorch/envvar.go`, `master.go`, `elastic.go`. Workers wait in an init container until the master has a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.pytorchjob import PYTORCHJOB
from tjgen.compiler.targets import elastic, kubeflow
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import RULE, OperatorJob, devices, take
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.roles import nodes
from tjgen.trees.workload.workload import Workload

MASTER, WORKER = "master", "worker"
KIND = OperatorJob(
    PYTORCHJOB,
    {MASTER: "Master", WORKER: "Worker"},
    (MASTER,),
    "torch",
)
_ELASTIC = (("min", "minReplicas"), ("max", "maxReplicas"), ("restarts", "maxRestarts"), ("metrics", "metrics"))


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """A master and workers, unless the experiment sets roles; only workers if the run is elastic or has 0 masters."""
    if size.roles.get(MASTER) == 0:
        roles = {name: count for name, count in size.roles.items() if name != MASTER}
        workload, diagnostics = kubeflow.arranged(workload, size._replace(roles=roles), KIND, lambda count: [WORKER])
        return workload._replace(absent=(MASTER,)), diagnostics or list(_without_address(workload, size))
    if size.is_elastic:
        return kubeflow.arranged(workload, size, KIND, lambda count: [WORKER])
    if set(size.roles) == {WORKER}:
        # Without a master the operator sets no address.
        size = size._replace(roles={MASTER: None, **size.roles})
    return kubeflow.arranged(workload, size, KIND, lambda count: [MASTER, WORKER] if count > 1 else [MASTER])


def _without_address(workload: Workload, size: RequestedSize) -> Iterator[Diagnostic]:
    """An error if several workers of a torch runtime have neither a master nor elastic, which give them an address."""
    count = nodes(workload)
    if count > 1 and not size.is_elastic and get(workload.ml_policy, (KIND.policy,), None) is not None:
        message = f"without a master or elastic, the operator gives {count} workers no address to connect to"
        hint = "remove the role, add elastic, or use tjgen-bare with a program that finds its address"
        yield Diagnostic("TJ426", message, path=("spec", "roles", MASTER, "replicas"), hint=hint)


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    return kubeflow.lower(workload, KIND, _own)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _own(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    yield from kubeflow.success(workload, KIND, MASTER)
    yield from _elastic(writer, workload)
    _processes(writer, workload)


def _elastic(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    at: FieldPath = ("spec", "elasticPolicy")
    if elastic.bounds(workload) is None:
        return
    for source, field in _ELASTIC:
        take(writer, (*at, field), workload, (*elastic.BOUNDS, source))
    writer.put((*at, "rdzvBackend"), "c10d", RULE)
    yield from elastic.outside(workload)


def _processes(writer: Writer, workload: Workload) -> None:
    """Return the process count of torchrun on a node. Without devices, the operator's `auto` leaves it to torchrun."""
    to: FieldPath = ("spec", "nprocPerNode")
    processes: Tree = get(workload.tree.value, ("trainer", "numProcPerNode"), None)
    if processes is not None:
        for origin in workload.tree.origins(("trainer", "numProcPerNode")):
            writer.put(to, str(processes), origin)
        return
    policy = get(workload.ml_policy, ("torch",), None)
    if policy is None:
        return
    of_runtime = policy.get("numProcPerNode")
    if of_runtime is not None:
        writer.put(to, str(of_runtime), Origin("target:kubeflow", "runtime", ("spec", "mlPolicy", "torch", "numProcPerNode")))
        return
    counts = devices(workload)
    if len(counts) == 1 and counts != {0}:
        writer.put(to, str(counts.pop()), RULE)
