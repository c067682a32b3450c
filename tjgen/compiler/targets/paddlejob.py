"""Workload -> PaddleJob of kubeflow.org/v1: workers alike, of which the first coordinates, or a master and workers.

The operator sets PADDLE_JOB_ID, PADDLE_NNODES and PADDLE_MASTER, by which `paddle.distributed.launch` finds the others:
training-operator v1.9 `controller.v1/paddlepaddle/envvar.go`. With a master, it also sets PADDLE_SERVER_NUM or
PADDLE_TRAINER_NUM, by which the launcher (v3.3 `launch/controllers/ps.py`) starts a parameter server and a trainer in each pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.paddlejob import PADDLEJOB
from tjgen.compiler.targets import kubeflow
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import OperatorJob, devices, variables
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import Workload

KIND = OperatorJob(PADDLEJOB, {"master": "Master", "worker": "Worker"}, (), "paddle")
_PROCESSES: FieldPath = ("trainer", "numProcPerNode")


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """Workers, unless the experiment sets roles; TJ420 for a master, which has another effect than that of a PyTorchJob."""
    workload, diagnostics = kubeflow.arranged(workload, size, KIND, lambda count: ["worker"])
    return workload, diagnostics or list(_with_servers(size))


def _with_servers(size: RequestedSize) -> Iterator[Diagnostic]:
    if "master" in size.roles:
        message = "with a master, paddle.distributed.launch starts a parameter server and a trainer in each pod"
        hint = "remove the role, unless the program uses parameter servers"
        yield Diagnostic("TJ420", message, path=("spec", "roles", "master"), hint=hint)


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    processes = get(workload.tree.value, _PROCESSES, None)
    if processes is not None and {processes} != devices(workload):  # The launcher counts the devices itself.
        values = {"PADDLE_NPROC_PER_NODE": str(processes)}
        workload = variables(workload, values, workload.tree.origins(_PROCESSES))
    return kubeflow.lower(workload, KIND, _own)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _own(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    """The kind has no field of its own that the operator reads; the run has succeeded with its masters."""
    yield from kubeflow.success(workload, KIND, "master")
