"""A job of the Training Operator, and one of its pods -> the variables and containers that the operator adds to it.

Upstream: training-operator v1.9 `SetClusterSpec` of each kind: pytorch/envvar.go, master.go, elastic.go, initcontainer.go;
tensorflow/tensorflow.go; xgboost/xgboost.go; jax/envvar.go. Names of variables and their order are upstream's.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tjgen.trees.fields.path import Tree, get
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.compiler.targets.operator_job import OperatorJob

Variables = list[tuple[str, str]]
_WAITS = (
    "err=1;for i in $(seq 100); do if nslookup {master}; then err=0 && break; fi;echo waiting for master; sleep 2; done; "
    "exit $err"
)
_UNBUFFERED = ("PYTHONUNBUFFERED", "1")


def containers(job: Tree, kind: OperatorJob, role: str, index: int, given: list[Tree]) -> list[Tree]:
    """The containers with the default port and the variables, which come behind their own."""
    # Go leaves an empty value out.
    added = [{"name": name, **({"value": value} if value else {})} for name, value in _OF[kind.name](job, kind, role, index)]
    main = max((number for number, one in enumerate(given) if one.get("name") == kind.container), default=0)
    result = []
    for number, container in enumerate(given):
        changed: dict[str, Tree] = dict(container)
        if number == main and all(port.get("name") != kind.port_name for port in container.get("ports") or ()):
            changed["ports"] = [*(container.get("ports") or ()), {"name": kind.port_name, "containerPort": kind.port}]
        if added and (kind.name != "TFJob" or number == main):
            changed["env"] = [*(container.get("env") or ()), *added]
        result.append(changed)
    return result


def ports(kind: OperatorJob, given: list[Tree]) -> dict[str, int]:
    """What the Service of a pod opens: the ports of the main container, and the default one."""
    main = next((one for one in given if one.get("name") == kind.container), given[0])
    numbers = {str(port.get("name", "")): int(port["containerPort"]) for port in main.get("ports") or ()}
    return numbers if kind.port_name in numbers else {**numbers, kind.port_name: kind.port}


def waiting(job: Tree, kind: OperatorJob, role: str) -> list[Tree]:
    """The init container in which workers of a PyTorchJob wait for their master's name."""
    if kind.name != "PyTorchJob" or role != "worker" or "Master" not in get(job, ("spec", kind.field)):
        return []
    bounds = {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}}
    command = ["sh", "-c", _WAITS.format(master=_name(job, "master", 0))]
    container = {"name": "init-pytorch", "image": "alpine:3.10", "command": command}
    return [{**container, "imagePullPolicy": "IfNotPresent", "resources": bounds}]


def _pytorch(job: Tree, kind: OperatorJob, role: str, index: int) -> Variables:
    specs, nodes = _specs(job, kind), _total(job, kind)
    processes = get(job, ("spec", "nprocPerNode"), None)
    variables: Variables = [_UNBUFFERED]
    if "Master" in specs:
        port, master = str(_port(specs["Master"], kind)), _name(job, "master", 0)
        world = nodes * (int(processes) if processes is not None and processes.isdigit() else 1)
        rank = str(index + 1 if role == "worker" else index)
        variables += [("MASTER_PORT", port), ("PET_MASTER_PORT", port), ("MASTER_ADDR", master), ("PET_MASTER_ADDR", master)]
        variables += [("WORLD_SIZE", str(world)), ("RANK", rank), ("PET_NODE_RANK", rank)]
    elastic = get(job, ("spec", "elasticPolicy"), None)
    if processes is not None or elastic is None or elastic.get("nProcPerNode") is None:
        variables.append(("PET_NPROC_PER_NODE", processes if processes is not None else "auto"))
    if elastic is None:
        return [*variables, ("PET_NNODES", str(nodes))]
    return [*variables, *_elastic(job, kind, elastic)]


def _elastic(job: Tree, kind: OperatorJob, policy: Tree) -> Variables:
    worker = _specs(job, kind)["Worker"]
    usual = worker.get("replicas", 1)
    least, most = policy.get("minReplicas"), policy.get("maxReplicas")
    least, most = least or most or usual, most or least or usual
    host, port = policy.get("rdzvHost") or _name(job, "worker", 0), policy.get("rdzvPort") or _port(worker, kind)
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


def _tensorflow(job: Tree, kind: OperatorJob, role: str, index: int) -> Variables:
    specs = _specs(job, kind)
    # Only its well-known types are part of a distributed job, though it accepts others.
    if sum(int(spec.get("replicas", 1)) for name, spec in specs.items() if name in kind.types.values()) == 1:
        return []
    cluster = {
        name.lower(): [
            f"{_name(job, name, number)}.{job['metadata']['namespace']}.svc:{_port(spec, kind)}"
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


def _xgboost(job: Tree, kind: OperatorJob, role: str, index: int) -> Variables:
    specs, nodes = _specs(job, kind), _total(job, kind)
    variables: Variables = [("MASTER_PORT", str(_port(specs["Master"], kind))), ("MASTER_ADDR", _name(job, "master", 0))]
    rank = index + (specs["Master"].get("replicas", 1) if role == "worker" else 0)
    variables += [("WORLD_SIZE", str(nodes)), ("RANK", str(rank)), _UNBUFFERED]
    if nodes > 1:
        variables.append(("WORKER_PORT", str(_port(specs["Worker"], kind))))
        variables.append(("WORKER_ADDRS", ",".join(_name(job, "worker", number) for number in range(nodes - 1))))
    return variables


def _jax(job: Tree, kind: OperatorJob, role: str, index: int) -> Variables:
    port = _port(_specs(job, kind)["Worker"], kind)
    variables: Variables = [_UNBUFFERED, ("COORDINATOR_PORT", str(port)), ("COORDINATOR_ADDRESS", _name(job, "worker", 0))]
    return [*variables, ("NUM_PROCESSES", str(_total(job, kind))), ("PROCESS_ID", str(index))]


_OF: dict[str, Callable[[Tree, OperatorJob, str, int], Variables]] = {
    "PyTorchJob": _pytorch,
    "TFJob": _tensorflow,
    "XGBoostJob": _xgboost,
    "JAXJob": _jax,
}


def _specs(job: Tree, kind: OperatorJob) -> dict[str, Tree]:
    specs: dict[str, Tree] = get(job, ("spec", kind.field))
    return specs


def _total(job: Tree, kind: OperatorJob) -> int:
    return sum(int(spec.get("replicas", 1)) for spec in _specs(job, kind).values())


def _port(spec: Tree, kind: OperatorJob) -> int:
    return ports(kind, spec["template"]["spec"]["containers"])[kind.port_name]


def _name(job: Tree, role: str, index: int) -> str:
    return f"{job['metadata']['name']}-{role.lower()}-{index}"
