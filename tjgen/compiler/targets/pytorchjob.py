"""Workload -> PyTorchJob of kubeflow.org/v1: a master and workers, or workers alone that may come and go.

The operator sets MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK and PET_*, by which torchrun finds the others: training-operator
v1.9 `controller.v1/pytorch/envvar.go`, `master.go`, `elastic.go`. Workers wait in an init container until the master has a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.pytorchjob import PYTORCHJOB
from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import kubeflow, kubeflow_unsupported
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import RULE, take
from tjgen.compiler.targets.operator_job import OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.roles import nodes, workers
from tjgen.trees.workload.workload import Workload

KIND = OperatorJob(
    PYTORCHJOB,
    {"master": "Master", "worker": "Worker"},
    ("master",),
    "torch",
)
_ELASTIC = (("min", "minReplicas"), ("max", "maxReplicas"), ("restarts", "maxRestarts"), ("metrics", "metrics"))


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """A master and workers, unless the experiment sets roles; all pods of an elastic run are equal."""
    if size.is_elastic:
        return kubeflow.arranged(workload, size, KIND, lambda count: ["worker"])
    if set(size.roles) == {"worker"}:
        # Without a master the operator sets no address.
        size = size._replace(roles={"master": None, **size.roles})
    return kubeflow.arranged(workload, size, KIND, lambda count: ["master", "worker"] if count > 1 else ["master"])


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    return kubeflow.lower(workload, KIND, _own)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow_unsupported.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _own(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    yield from kubeflow_unsupported.success(workload, KIND, "master")
    yield from _elastic(writer, workload)
    _processes(writer, workload)


def _elastic(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    at: FieldPath = ("spec", "elasticPolicy")
    bounds = get(workload.tree.value, ("policy", "elastic"), None)
    if bounds is None:
        return
    for source, field in _ELASTIC:
        take(writer, (*at, field), workload, ("policy", "elastic", source))
    writer.put((*at, "rdzvBackend"), "c10d", RULE)
    count = nodes(workload)
    if bounds["min"] <= bounds["max"] and not bounds["min"] <= count <= bounds["max"]:
        message = f"the run starts with {count} nodes, but elastic allows {bounds['min']} to {bounds['max']}"
        path: FieldPath = ("spec", "elastic")
        hint = "set nodes between elastic.min and elastic.max"
        yield Diagnostic("TJ433", message, path=path, hint=hint)


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
    devices = {resources.gpus(get(workload.tree.value, (*podset.main, "resources"), None) or {}) for podset in workers(workload)}
    if len(devices) == 1 and devices != {0}:
        writer.put(to, str(devices.pop()), RULE)
