"""Workload -> XGBoostJob of kubeflow.org/v1: a master and workers.

The operator sets MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK (training-operator v1.9
`controller.v1/xgboost/xgboost.go`). Programs for Trainer's runtimes read DMLC_* instead, which are added: the tracker runs in
the pod that is number 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.xgboostjob import XGBOOSTJOB
from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import kubeflow
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import OperatorJob, host, variables
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.roles import nodes, workers
from tjgen.trees.workload.workload import Workload

KIND = OperatorJob(
    XGBOOSTJOB,
    {"master": "Master", "worker": "Worker"},
    ("master",),
    "xgboost",
)
_TRACKER_PORT = 29500
"""Trainer's (v2.3.0 plugins/xgboost): the operator's own port is its master's."""


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """A master and workers; the operator refuses a job without master."""
    if set(size.roles) == {"worker"}:
        size = size._replace(roles={"master": None, **size.roles})
    return kubeflow.arranged(workload, size, KIND, lambda count: ["master", "worker"] if count > 1 else ["master"])


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    if get(workload.ml_policy, ("xgboost",), None) is not None:
        values = {"DMLC_TRACKER_URI": host(workload, KIND), "DMLC_TRACKER_PORT": str(_TRACKER_PORT)}
        devices = resources.gpus(get(workload.tree.value, (*workers(workload)[0].main, "resources"), None) or {})
        count = nodes(workload) * (devices or 1)
        workload = variables(workload, {**values, "DMLC_TASK_ID": None, "DMLC_NUM_WORKER": str(count)})
    return kubeflow.lower(workload, KIND, _own)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _own(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    """The kind has no field of its own; the run has succeeded with its master."""
    yield from kubeflow.success(workload, KIND, "master")
