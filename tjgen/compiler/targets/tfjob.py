"""Workload -> TFJob of kubeflow.org/v1: chief, workers, parameter servers and an evaluator, who learn of each other by TF_CONFIG.

A job of one pod gets no TF_CONFIG: training-operator v1.9 `controller.v1/tensorflow/tfjob_controller.go:SetClusterSpec`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.tfjob import TFJOB
from tjgen.compiler.targets import kubeflow
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.workload import Workload

KIND = OperatorJob(
    TFJOB,
    {"chief": "Chief", "master": "Master", "worker": "Worker", "ps": "PS", "evaluator": "Evaluator"},
    ("chief", "master"),
    "tensorflow",
    aside=("ps", "evaluator"),
)


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """The roles that the experiment names; workers where it names none, of which the first is chief."""
    return kubeflow.arranged(workload, size, KIND, lambda count: ["worker"])


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    return kubeflow.lower(workload, KIND, _success)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _success(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    """The run succeeds with its chief, or without one with worker 0, or with all workers if `success` requires that."""
    success = get(workload.tree.value, ("policy", "success"), None)
    if success is None:
        return
    roles, operator = set(success.get("roles") or ()), success.get("operator")
    leader = {"chief", "master"} & set(workload.tree.value["counts"])
    if leader and roles == leader:
        return
    if not leader and roles == {"worker"} and operator == "All":
        for origin in workload.tree.origins(("policy", "success", "roles")):
            writer.put(("spec", "successPolicy"), "AllWorkers", origin)
        return
    path: FieldPath = ("spec", "success")
    message = "a TFJob succeeds with its chief; without a chief, with its first worker or all workers"
    hint = f"use roles: [{leader.pop()}]" if leader else "use roles: [worker], operator: All"
    yield Diagnostic("TJ425", message, path=path, hint=hint)
