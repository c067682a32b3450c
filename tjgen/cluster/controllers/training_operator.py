"""A job of the Training Operator -> its pods and Services, and the autoscaler of a PyTorchJob that follows metrics.

Upstream: training-operator v1.9 `controller.v1/common/pod.go:createNewPod`, `service.go:CreateNewService`, `SetClusterSpec` and
`IsMasterRole` of each kind, and `pytorch/hpa.go`. Without gang scheduling, which is an option of the operator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from tjgen.cluster.controllers.series import Series, copied_metadata, metadata_of, owned_by, single
from tjgen.cluster.kinds.operator_job import OPERATOR_DEFAULTS, OperatorDefaults
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
    containers = containers_of(job, role, index, pod["containers"])
    policy = spec.get("restartPolicy") or OPERATOR_DEFAULTS[job["kind"]].restart_policy
    changed: dict[str, Tree] = {**pod, "containers": containers, "restartPolicy": "Never" if policy == "ExitCode" else policy}
    waiting = _waiting_containers(job, role)
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
    ports = ports_of(job, spec["template"]["spec"]["containers"])
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


# A job of the Training Operator, and one of its pods -> the variables and containers that the operator adds to it.
#
# Upstream: training-operator v1.9 `SetClusterSpec` of each kind: pytorch/envvar.go, master.go, elastic.go, initcontainer.go;
# tensorflow/tensorflow.go; xgboost/xgboost.go; jax/envvar.go; paddlepaddle/envvar.go. Names of variables and their order are
# upstream's.

Variables = list[tuple[str, Tree]]
"""Name -> the value, or the other fields of the variable."""
_TENSORFLOW_TYPES = ("PS", "Worker", "Chief", "Master", "Evaluator")
_WAITS = (
    "err=1;for i in $(seq 100); do if nslookup {master}; then err=0 && break; fi;echo waiting for master; sleep 2; done; "
    "exit $err"
)
_UNBUFFERED = ("PYTHONUNBUFFERED", "1")


def containers_of(job: Tree, role: str, index: int, given: list[Tree]) -> list[Tree]:
    """The containers with the default port and the variables, which come behind their own."""
    # Go leaves an empty value out.
    kind = _defaults(job)
    added = [
        {"name": name, **({"value": value} if value else {})} if value.__class__ is str else {"name": name, **value}
        for name, value in _OF[job["kind"]](job, role, index)
    ]
    main = max((number for number, one in enumerate(given) if one.get("name") == kind.container), default=0)
    result = []
    for number, container in enumerate(given):
        changed: dict[str, Tree] = dict(container)
        if number == main and all(port.get("name") != kind.port_name for port in container.get("ports") or ()):
            changed["ports"] = [*(container.get("ports") or ()), {"name": kind.port_name, "containerPort": kind.port}]
        if added and (job["kind"] != "TFJob" or number == main):
            changed["env"] = [*(container.get("env") or ()), *added]
        result.append(changed)
    return result


def ports_of(job: Tree, given: list[Tree]) -> dict[str, int]:
    """What the Service of a pod opens: the ports of the main container, and the default one."""
    kind = _defaults(job)
    main = next((one for one in given if one.get("name") == kind.container), given[0])
    numbers = {str(port.get("name", "")): int(port["containerPort"]) for port in main.get("ports") or ()}
    return numbers if kind.port_name in numbers else {**numbers, kind.port_name: kind.port}


def _waiting_containers(job: Tree, role: str) -> list[Tree]:
    """The init container in which workers of a PyTorchJob wait for their master's name."""
    if job["kind"] != "PyTorchJob" or role != "worker" or "Master" not in _specs(job):
        return []
    bounds = {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}}
    command = ["sh", "-c", _WAITS.format(master=_name(job, "master", 0))]
    container = {"name": "init-pytorch", "image": "alpine:3.10", "command": command}
    return [{**container, "imagePullPolicy": "IfNotPresent", "resources": bounds}]


def _pytorch(job: Tree, role: str, index: int) -> Variables:
    specs, nodes = _specs(job), _total(job)
    processes = get(job, ("spec", "nprocPerNode"), None)
    variables: Variables = [_UNBUFFERED]
    if "Master" in specs:
        port, master = str(_port(job, specs["Master"])), _name(job, "master", 0)
        world = nodes * (int(processes) if processes is not None and processes.isdigit() else 1)
        rank = str(index + 1 if role == "worker" else index)
        variables += [("MASTER_PORT", port), ("PET_MASTER_PORT", port), ("MASTER_ADDR", master), ("PET_MASTER_ADDR", master)]
        variables += [("WORLD_SIZE", str(world)), ("RANK", rank), ("PET_NODE_RANK", rank)]
    elastic = get(job, ("spec", "elasticPolicy"), None)
    if processes is not None or elastic is None or elastic.get("nProcPerNode") is None:
        variables.append(("PET_NPROC_PER_NODE", processes if processes is not None else "auto"))
    if elastic is None:
        return [*variables, ("PET_NNODES", str(nodes))]
    return [*variables, *_elastic(job, elastic)]


def _elastic(job: Tree, policy: Tree) -> Variables:
    worker = _specs(job)["Worker"]
    usual = worker.get("replicas", 1)
    least, most = policy.get("minReplicas"), policy.get("maxReplicas")
    least, most = least or most or usual, most or least or usual
    host, port = policy.get("rdzvHost") or _name(job, "worker", 0), policy.get("rdzvPort") or _port(job, worker)
    variables: Variables = [("PET_RDZV_ENDPOINT", f"{host}:{port}"), ("PET_RDZV_BACKEND", policy.get("rdzvBackend") or "c10d")]
    variables.append(("PET_NNODES", f"{least}:{most}"))
    for field, name in (("maxRestarts", "PET_MAX_RESTARTS"), ("nProcPerNode", "PET_NPROC_PER_NODE"), ("rdzvId", "PET_RDZV_ID")):
        if policy.get(field) is not None:
            variables.append((name, str(policy[field])))
    if policy.get("rdzvConf"):
        variables.append(
            ("PET_RDZV_CONF", ",".join(f"{one.get('key', '')}={one.get('value', '')}" for one in policy["rdzvConf"]))
        )
    return [*variables, ("PET_STANDALONE", "")] if policy.get("standalone") else variables


def _tensorflow(job: Tree, role: str, index: int) -> Variables:
    specs = _specs(job)
    # Only its well-known types are part of a distributed job, though it accepts others.
    if sum(int(spec.get("replicas", 1)) for name, spec in specs.items() if name in _TENSORFLOW_TYPES) == 1:
        return []
    cluster = {
        name.lower(): [
            f"{_name(job, name, number)}.{job['metadata']['namespace']}.svc:{_port(job, spec)}"
            for number in range(int(spec.get("replicas", 1)))
        ]
        for name, spec in sorted(specs.items(), key=lambda item: str(item[0]).lower())
    }
    task = {"type": role, "index": index}
    config: Tree = {"cluster": cluster, "task": task, "environment": "cloud"}
    if get(job, ("spec", "enableDynamicWorker"), False):
        mine = {str(index): cluster[role][index]} if role == "worker" else {}
        servers = [cluster[role][index]] if role == "ps" else cluster.get("ps") if role == "worker" else []
        config = {"cluster": {"worker": mine, "ps": servers}, "task": task}
    return [("TF_CONFIG", json.dumps(config, separators=(",", ":")))]


def _xgboost(job: Tree, role: str, index: int) -> Variables:
    specs, nodes = _specs(job), _total(job)
    variables: Variables = [("MASTER_PORT", str(_port(job, specs["Master"]))), ("MASTER_ADDR", _name(job, "master", 0))]
    rank = index + (specs["Master"].get("replicas", 1) if role == "worker" else 0)
    variables += [("WORLD_SIZE", str(nodes)), ("RANK", str(rank)), _UNBUFFERED]
    if nodes > 1:
        variables.append(("WORKER_PORT", str(_port(job, specs["Worker"]))))
        variables.append(("WORKER_ADDRS", ",".join(_name(job, "worker", number) for number in range(nodes - 1))))
    return variables


def _jax(job: Tree, role: str, index: int) -> Variables:
    port = _port(job, _specs(job)["Worker"])
    variables: Variables = [_UNBUFFERED, ("COORDINATOR_PORT", str(port)), ("COORDINATOR_ADDRESS", _name(job, "worker", 0))]
    return [*variables, ("NUM_PROCESSES", str(_total(job))), ("PROCESS_ID", str(index))]


def _paddle(job: Tree, role: str, index: int) -> Variables:
    variables: Variables = [
        _UNBUFFERED,
        ("PADDLE_JOB_ID", job["metadata"]["name"]),
        ("PADDLE_NNODES", str(_total(job))),
    ]
    leader = "Master" if "Master" in _specs(job) else "Worker"
    port = _port(job, _specs(job)[leader])
    if index == 0 and role == leader.lower():
        variables.append(("POD_IP_DUMMY", {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}))
        variables.append(("PADDLE_MASTER", f"$(POD_IP_DUMMY):{port}"))
    else:
        variables.append(("PADDLE_MASTER", f"{_name(job, leader, 0)}:{port}"))
    if leader == "Master":
        variables.append(("PADDLE_SERVER_NUM" if role == "master" else "PADDLE_TRAINER_NUM", "1"))
    return variables


_OF: dict[str, Callable[[Tree, str, int], Variables]] = {
    "PyTorchJob": _pytorch,
    "TFJob": _tensorflow,
    "XGBoostJob": _xgboost,
    "JAXJob": _jax,
    "PaddleJob": _paddle,
}


def _defaults(job: Tree) -> OperatorDefaults:
    return OPERATOR_DEFAULTS[job["kind"]]


def _specs(job: Tree) -> dict[str, Tree]:
    specs: dict[str, Tree] = get(job, ("spec", replica_field(job["kind"])))
    return specs


def _total(job: Tree) -> int:
    return sum(int(spec.get("replicas", 1)) for spec in _specs(job).values())


def _port(job: Tree, spec: Tree) -> int:
    return ports_of(job, spec["template"]["spec"]["containers"])[_defaults(job).port_name]


def _name(job: Tree, role: str, index: int) -> str:
    return f"{job['metadata']['name']}-{role.lower()}-{index}"
