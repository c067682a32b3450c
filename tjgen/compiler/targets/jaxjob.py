"""Workload -> JAXJob of kubeflow.org/v1: workers alike, of which the first coordinates.

The operator sets COORDINATOR_ADDRESS, COORDINATOR_PORT, NUM_PROCESSES and PROCESS_ID (training-operator v1.9
`controller.v1/jax/envvar.go`). Programs for Trainer's runtimes read JAX_* instead, which are added.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.jaxjob import JAXJOB
from tjgen.compiler.targets import kubeflow
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import OperatorJob, host, variables
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.roles import nodes
from tjgen.trees.workload.workload import Workload

KIND = OperatorJob(JAXJOB, {"worker": "Worker"}, (), "jax")


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """Workers."""
    return kubeflow.arranged(workload, size, KIND, lambda count: ["worker"])


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    if get(workload.ml_policy, ("jax",), None) is not None:
        values = {"JAX_NUM_PROCESSES": str(nodes(workload)), "JAX_PROCESS_ID": None}
        workload = variables(workload, {**values, "JAX_COORDINATOR_ADDRESS": f"{host(workload, KIND)}:{KIND.port}"})
    return kubeflow.lower(workload, KIND, _own)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _own(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    """The kind has no field of its own."""
    yield from kubeflow.success(workload, KIND, "worker")
