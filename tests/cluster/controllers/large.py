"""Jobs with so many pods that their previews are built from a sample."""

from __future__ import annotations

from typing import Any


def _template(container: str) -> Any:
    return {"spec": {"restartPolicy": "Never", "containers": [{"name": container, "image": "registry.example.com/a:1"}]}}


def _operator_job(kind: str, field: str, container: str, *, version: str = "v1", **roles: int) -> Any:
    specs = {role: {"replicas": number, "template": _template(container)} for role, number in roles.items()}
    metadata = {"name": "large", "namespace": "ai"}
    return {"apiVersion": f"kubeflow.org/{version}", "kind": kind, "metadata": metadata, "spec": {field: specs}}


def _jobset(replicas: int, pods: int, **marks: str) -> Any:
    template = {"spec": {"parallelism": pods, "completions": pods, "template": _template("a")}}
    job = {"name": "node", "replicas": replicas, "template": template}
    metadata = {"name": "large", "namespace": "ai", "annotations": marks}
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": {"replicatedJobs": [job]}}


def _volcano_job(size: int) -> Any:
    task = {"name": "worker", "replicas": 130, "template": _template("a"), "partitionPolicy": {"partitionSize": size}}
    spec = {"schedulerName": "volcano", "minAvailable": 1, "plugins": {"svc": [], "env": []}, "tasks": [task]}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "large", "namespace": "ai"},
        "spec": spec,
    }


LARGE: dict[str, Any] = {
    "JobSet of one Job": _jobset(1, 120),
    "JobSet of many Jobs": _jobset(110, 1),
    "JobSet of many Jobs with many pods": _jobset(30, 40),
    "JobSet with exclusive placement": _jobset(30, 40, **{"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}),
    "Volcano Job with partitions": _volcano_job(10),
    "Volcano Job with one partition": _volcano_job(200),
    "PyTorchJob": _operator_job("PyTorchJob", "pytorchReplicaSpecs", "pytorch", Master=1, Worker=120),
    "TFJob": _operator_job("TFJob", "tfReplicaSpecs", "tensorflow", Chief=1, Worker=40, PS=30),
    "XGBoostJob": _operator_job("XGBoostJob", "xgbReplicaSpecs", "xgboost", Master=1, Worker=40),
    "JAXJob": _operator_job("JAXJob", "jaxReplicaSpecs", "jax", Worker=120),
    "PaddleJob": _operator_job("PaddleJob", "paddleReplicaSpecs", "paddle", Worker=120),
    "MPIJob": _operator_job("MPIJob", "mpiReplicaSpecs", "mpi", version="v2beta1", Launcher=1, Worker=120),
}
