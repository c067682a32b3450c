"""A job of the Training Operator -> its pods and Services, and the autoscaler of a PyTorchJob that follows metrics.

Upstream: training-operator v1.9 `controller.v1/common/pod.go:createNewPod`, `service.go:CreateNewService`, `SetClusterSpec` and
`IsMasterRole` of each kind, and `pytorch/hpa.go`. Without gang scheduling, which is an option of the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.controllers import training_operator_pods
from tjgen.cluster.controllers.series import Series, copied_metadata, metadata_of, owned_by, single
from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS
from tjgen.cluster.kinds.table import replica_field
from tjgen.trees.fields.path import FieldPath, Tree, get

MANAGER = "training-operator"
_LABELS = "training.kubeflow.org/"


def create(job: Tree) -> Iterator[Series]:
    """For each replica type its pods and their Services."""
    name, field = job["metadata"]["name"], replica_field(job["kind"])
    for role, spec in (get(job, ("spec", field), None) or {}).items():
        prefix, number = f"{name}-{role.lower()}", int(1 if spec.get("replicas") is None else spec["replicas"])
        path: FieldPath = ("spec", field, role, "template")
        yield Series(MANAGER, prefix, number, _pods(job, role, spec), path)
        yield Series(MANAGER, prefix, number, _services(job, role, spec))
    if job["kind"] == "PyTorchJob" and get(job, ("spec", "elasticPolicy", "metrics"), None):
        yield single(MANAGER, _autoscaler(job))


def template(job: Tree, spec: Tree, role: str, index: int) -> Tree:
    """The template of a pod with what the operator adds: variables, the default port, the restart policy."""
    pod = spec["template"]["spec"]
    containers = training_operator_pods.containers(job, role, index, pod["containers"])
    policy = spec.get("restartPolicy") or OPERATOR_DEFAULTS[job["kind"]].restart_policy
    changed: dict[str, Tree] = {**pod, "containers": containers, "restartPolicy": "Never" if policy == "ExitCode" else policy}
    waiting = training_operator_pods.waiting(job, role)
    if waiting:
        changed["initContainers"] = [*(pod.get("initContainers") or ()), *waiting]
    return {**spec["template"], "spec": changed}


def _labels(job: Tree, role: str, index: int) -> dict[str, str]:
    """The labels by which Services find pods."""
    return {
        f"{_LABELS}job-name": job["metadata"]["name"],
        f"{_LABELS}operator-name": f"{job['kind'].lower()}-controller",
        f"{_LABELS}replica-index": str(index),
        f"{_LABELS}replica-type": role,
    }


def _pods(job: Tree, role: str, spec: Tree) -> Callable[[int], Tree]:
    lower = role.lower()

    def build(index: int) -> Tree:
        whole = template(job, spec, lower, index)
        metadata = {**metadata_of(job, f"{job['metadata']['name']}-{lower}-{index}"), **copied_metadata(whole)}
        leader = {f"{_LABELS}job-role": "master"} if _leads(job, role, index) else {}
        metadata["labels"] = {**(metadata.get("labels") or {}), **_labels(job, lower, index), **leader}
        metadata["ownerReferences"] = owned_by(job)
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": whole["spec"]}

    return build


def _leads(job: Tree, role: str, index: int) -> bool:
    """`IsMasterRole` of each kind."""
    if job["kind"] == "JAXJob":
        return index == 0
    if job["kind"] in ("XGBoostJob", "PaddleJob"):
        return role == "Master"
    leaders = [one for one in ("Chief", "Master") if one in job["spec"][replica_field(job["kind"])]]
    return role in leaders if leaders else role == "Worker" and index == 0


def _services(job: Tree, role: str, spec: Tree) -> Callable[[int], Tree]:
    ports = training_operator_pods.ports(job, spec["template"]["spec"]["containers"])
    listed = [{"name": name, "port": port} for name, port in ports.items()]

    def build(index: int) -> Tree:
        selector = _labels(job, role.lower(), index)
        metadata = metadata_of(job, f"{job['metadata']['name']}-{role.lower()}-{index}")
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**metadata, "labels": selector, "ownerReferences": owned_by(job)},
            "spec": {"clusterIP": "None", "ports": listed, "selector": selector},
        }

    return build


def _autoscaler(job: Tree) -> Tree:
    """`pytorch/hpa.go:desiredHPA`; a bound that is left out is the number of workers (`pytorch_defaults.go:setElasticPolicy`)."""
    policy = get(job, ("spec", "elasticPolicy"))
    workers = get(job, ("spec", "pytorchReplicaSpecs", "Worker", "replicas"), 1)
    target = {"apiVersion": job["apiVersion"], "kind": job["kind"], "name": job["metadata"]["name"]}
    spec = {
        "scaleTargetRef": target,
        "minReplicas": policy.get("minReplicas", workers),
        "maxReplicas": policy.get("maxReplicas", workers),
        "metrics": policy["metrics"],
    }
    metadata = {**metadata_of(job, job["metadata"]["name"]), "ownerReferences": owned_by(job)}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}
