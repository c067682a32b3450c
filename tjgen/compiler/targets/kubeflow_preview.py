"""A job of the Training Operator -> the pods and Services that its operator creates, with the variables that it adds.

Upstream: training-operator v1.9 `controller.v1/common/pod.go:createNewPod`, `service.go:CreateNewService` and `SetClusterSpec`
of each kind. Of each replica type the first and the last are shown: those between differ in their numbers.
"""

from __future__ import annotations

from tjgen.compiler.targets import kubeflow_env
from tjgen.compiler.targets.owners import owned_by
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Step, Tree, get
from tjgen.trees.manifests.manifest import PREVIEW, Manifest
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple
from tjgen.trees.workload.keys import LIST_KEYS

if TYPE_CHECKING:
    from tjgen.compiler.targets.operator_job import OperatorJob

LABELS = "training.kubeflow.org/"
_OPERATOR = Origin("training-operator", "tjgen")


class Replica(NamedTuple):
    """One pod of a job."""

    type: str
    """In lower case, as used in names."""
    number: int
    name: str


def previews(job: Manifest, kind: OperatorJob) -> list[Manifest]:
    """Pods and Services, and the autoscaler of a PyTorchJob that follows metrics."""
    objects = []
    for name, spec in get(job.tree, ("spec", kind.field), {}).items():
        count = int(spec.get("replicas", 1))
        for index in sorted({0, count - 1}):
            replica = Replica(name.lower(), index, f"{job.name}-{name.lower()}-{index}")
            objects.append(_pod(job, kind, name, spec, replica))
            objects.append(_service(job, kind, spec, replica))
    if get(job.tree, ("spec", "elasticPolicy", "metrics"), None):
        objects.append(_autoscaler(job))
    return objects


def labels(job: Manifest, kind: OperatorJob, replica: Replica) -> dict[str, str]:
    """What pods and Services are found by."""
    return {
        f"{LABELS}job-name": job.name,
        f"{LABELS}operator-name": f"{kind.name.lower()}-controller",
        f"{LABELS}replica-index": str(replica.number),
        f"{LABELS}replica-type": replica.type,
    }


def template(job: Manifest, kind: OperatorJob, spec: Tree, replica: Replica) -> Tree:
    """The pod's template after the operator has come to it: variables, the default port, the restart policy."""
    pod = spec["template"]["spec"]
    containers = kubeflow_env.containers(job.tree, kind, replica.type, replica.number, pod["containers"])
    policy = spec.get("restartPolicy") or ("OnFailure" if kind.name == "PyTorchJob" else "Never")
    policy = "Never" if policy == "ExitCode" else policy
    changed: dict[str, Tree] = {**pod, "containers": containers, "restartPolicy": policy}
    waiting = kubeflow_env.waiting(job.tree, kind, replica.type)
    if waiting:
        changed["initContainers"] = [*(pod.get("initContainers") or ()), *waiting]
    return {**spec["template"], "spec": changed}


def _pod(job: Manifest, kind: OperatorJob, name: str, spec: Tree, replica: Replica) -> Manifest:
    whole = template(job, kind, spec, replica)
    metadata = {**(whole.get("metadata") or {}), "name": replica.name, "namespace": job.namespace}
    role = {f"{LABELS}job-role": "master"} if _leads(job, kind, name, replica.number) else {}
    metadata["labels"] = {**(metadata.get("labels") or {}), **labels(job, kind, replica), **role}
    metadata["ownerReferences"] = owned_by(job)
    tree = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": whole["spec"]}
    at: FieldPath = ("spec", kind.field, name, "template")
    owners: Owners = {(): (_OPERATOR,), ("spec",): (Origin("training-operator", "job", (*at, "spec"), True),)}
    owners |= added(spec["template"]["spec"], whole["spec"], ("spec",), _OPERATOR)
    return Manifest(tree, owners, PREVIEW)


def added(before: Tree, after: Tree, path: FieldPath, origin: Origin) -> Owners:
    """`origin` for every value that `after` has and `before` has not."""
    owners: Owners = {}
    if before.__class__ is dict and after.__class__ is dict:
        for key, value in after.items():
            if key not in before:
                owners[(*path, key)] = (origin,)
            else:
                owners |= added(before[key], value, (*path, key), origin)
    elif before.__class__ is list and after.__class__ is list:
        keys = LIST_KEYS.get(str(path[-1]))
        for position, value in enumerate(after):
            step: Step = ((keys[0], value[keys[0]]),) if keys and value.__class__ is dict and keys[0] in value else position
            old = next(
                (
                    one
                    for one in before
                    if keys and one.__class__ is dict and value.__class__ is dict and one.get(keys[0]) == value.get(keys[0])
                ),
                None,
            )
            old = before[position] if keys is None and position < len(before) else old
            if old is None:
                owners[(*path, step)] = (origin,)
            else:
                owners |= added(old, value, (*path, step), origin)
    elif before != after:
        owners[path] = (origin,)
    return owners


def _leads(job: Manifest, kind: OperatorJob, name: str, index: int) -> bool:
    """`IsMasterRole` of each kind."""
    if kind.name == "JAXJob":
        return index == 0
    if kind.name == "XGBoostJob":
        return name == "Master"
    leaders = [one for one in ("Chief", "Master") if one in get(job.tree, ("spec", kind.field), {})]
    return name in leaders if leaders else name == "Worker" and index == 0


def _service(job: Manifest, kind: OperatorJob, spec: Tree, replica: Replica) -> Manifest:
    selector = labels(job, kind, replica)
    ports = kubeflow_env.ports(kind, spec["template"]["spec"]["containers"])
    metadata = {"name": replica.name, "namespace": job.namespace, "labels": selector, "ownerReferences": owned_by(job)}
    listed = [{"name": name, "port": port} for name, port in ports.items()]
    body = {"clusterIP": "None", "ports": listed, "selector": selector}
    return Manifest(
        {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": body},
        {(): (_OPERATOR,)},
        PREVIEW,
    )


def _autoscaler(job: Manifest) -> Manifest:
    """`pytorch/hpa.go:desiredHPA`; a bound that is left out is the number of workers (`pytorch_defaults.go:setElasticPolicy`)."""
    policy = get(job.tree, ("spec", "elasticPolicy"))
    workers = get(job.tree, ("spec", "pytorchReplicaSpecs", "Worker", "replicas"), 1)
    target = {"apiVersion": job.api_version, "kind": job.kind, "name": job.name}
    metadata = {"name": job.name, "namespace": job.namespace, "ownerReferences": owned_by(job)}
    spec = {
        "scaleTargetRef": target,
        "minReplicas": policy.get("minReplicas", workers),
        "maxReplicas": policy.get("maxReplicas", workers),
        "metrics": policy["metrics"],
    }
    tree = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}
    return Manifest(tree, {(): (_OPERATOR,)}, PREVIEW)
