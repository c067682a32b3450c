"""A pod of a Volcano Job -> the pod with what the plugins of the Job add.

Upstream: volcano v1.15 `pkg/controllers/job/plugins`.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from tjgen.cluster.controllers.volcano_objects import FILES, KEYS, flags_of, hosts
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.placeholders import SCRIPT
from tjgen.trees.typing import NamedTuple


class PluginContext(NamedTuple):
    """The Job, and the pod of it to which a plugin adds something."""

    job: Tree
    flags: dict[str, Tree]
    task: str
    ordinal: int


def complete(job: Tree, pod: Tree, task: str, index: int) -> Tree:
    """The pod with what all plugins add to it."""
    for name in sorted(job["spec"].get("plugins") or {}):
        add = _PLUGINS.get(name)
        if add is not None:
            pod = add(pod, PluginContext(job, flags_of(job, name), task, index))
    return pod


def _env(pod: Tree, context: PluginContext) -> Tree:
    variables = [{"name": name, "value": str(context.ordinal)} for name in ("VK_TASK_INDEX", "VC_TASK_INDEX")]
    return _with_lists(pod, "env", variables, initializers=True)


def _svc(pod: Tree, context: PluginContext) -> Tree:
    name = context.job["metadata"]["name"]
    variables = []
    for task in context.job["spec"].get("tasks") or ():
        for variable in ("VC_{}_HOSTS", "VC_{}_NUM"):
            key = variable.format(task["name"].replace("-", "_").upper())
            variables.append({"name": key, "valueFrom": {"configMapKeyRef": {"key": key, "name": f"{name}-svc"}}})
    pod = _with_lists(pod, "env", variables, initializers=True)
    pod = _with_lists(pod, "volumeMounts", [{"mountPath": "/etc/volcano", "name": f"{name}-svc"}], initializers=True)
    spec = {**pod["spec"], "hostname": pod["spec"].get("hostname") or pod["metadata"]["name"]}
    spec["subdomain"] = spec.get("subdomain") or name
    spec["volumes"] = [*(spec.get("volumes") or ()), {"name": f"{name}-svc", "configMap": {"name": f"{name}-svc"}}]
    return {**pod, "spec": spec}


def _ssh(pod: Tree, context: PluginContext) -> Tree:
    name, path = f"{context.job['metadata']['name']}-ssh", context.flags["ssh-key-file-path"]
    items = [{"key": file, "path": f".ssh/{file}"} for file in FILES]
    secret = {"defaultMode": 0o600 if path == KEYS else 0o644, "items": items, "secretName": name}
    mount = {"mountPath": path, "name": name, "subPath": ".ssh"}
    pod = _with_lists(pod, "volumeMounts", [mount], initializers=True)
    spec = pod["spec"]
    return {**pod, "spec": {**spec, "volumes": [*(spec.get("volumes") or ()), {"name": name, "secret": secret}]}}


def _pytorch(pod: Tree, context: PluginContext) -> Tree:
    job, flags = context.job, context.flags
    tasks = {task["name"]: task for task in job["spec"].get("tasks") or ()}
    master, worker = flags["master"], flags["worker"]
    if master not in tasks:
        return pod
    address = _first_host(job, tasks[master])
    total = sum(int(tasks[name].get("replicas") or 0) for name in {master, worker} if name in tasks)
    variables = {"MASTER_ADDR": address, "MASTER_PORT": str(flags["port"]), "WORLD_SIZE": str(total)}
    if context.task == worker:
        variables["RANK"] = str(context.ordinal + 1)
        pod = _with_waiting(pod, flags)
    elif context.task == master:
        variables["RANK"] = "0"
    pod = _with_port(pod, "pytorchjob-port", flags["port"], initializers=False)
    return _with_lists(pod, "env", [{"name": name, "value": value} for name, value in variables.items()])


def _with_waiting(pod: Tree, flags: dict[str, Tree]) -> Tree:
    given = pod["spec"].get("initContainers") or ()
    if not flags["wait-master-enabled"] or any(one.get("name") == "wait-for-master" for one in given):
        return pod
    container = {"name": "wait-for-master", "image": flags["wait-master-image"], "command": ["sh", "-c", SCRIPT]}
    return {**pod, "spec": {**pod["spec"], "initContainers": [*given, container]}}


def _mpi(pod: Tree, context: PluginContext) -> Tree:
    flags, variables = context.flags, []
    if context.task == flags["master"]:
        tasks = [task for task in context.job["spec"].get("tasks") or () if task["name"] == flags["worker"]]
        if not tasks:
            return pod
        names = ",".join(hosts(context.job, tasks[0]))
        variables = [{"name": "MPI_HOST", **({"value": names} if names else {})}]
    pod = _with_port(pod, "mpijob-port", flags["port"], initializers=True)
    return _with_lists(pod, "env", variables, initializers=True)


def _tensorflow(pod: Tree, context: PluginContext) -> Tree:
    tasks = context.job["spec"].get("tasks") or []
    if len(tasks) == 1 and tasks[0].get("replicas") == 1:
        return pod
    roles = {context.flags[role]: role for role in ("evaluator", "ps", "worker", "chief")}
    known = {roles[task["name"]]: task for task in tasks if task["name"] in roles}
    cluster = {
        role: [f"{host}:{context.flags['port']}" for host in _each_host(context.job, known[role])]
        for role in ("ps", "worker", "chief", "evaluator")
        if role in known and known[role].get("replicas")
    }
    task = {"type": roles.get(context.task, context.task), "index": context.ordinal}
    config = json.dumps({"cluster": cluster, "task": task}, separators=(",", ":"))
    return _with_lists(pod, "env", [{"name": "TF_CONFIG", "value": config}])


def _hcclrank(pod: Tree, context: PluginContext) -> Tree:
    annotations = pod["metadata"].get("annotations") or {}
    if annotations.get("hccl/rankIndex"):
        return pod
    variables = (one for container in pod["spec"]["containers"] for one in container.get("env") or ())
    rank = next((one["value"] for one in variables if one.get("name") == "RANK" and one.get("value")), "")
    if not rank:
        if context.task not in (context.flags["master"], context.flags["worker"]):
            return pod
        before = 0
        if context.task != context.flags["master"]:
            tasks = context.job["spec"].get("tasks") or ()
            before = sum(int(task.get("replicas") or 0) for task in tasks if task["name"] == context.flags["master"])
        rank = str(before + context.ordinal)
    return {**pod, "metadata": {**pod["metadata"], "annotations": {**annotations, "hccl/rankIndex": rank}}}


def _ray(pod: Tree, context: PluginContext) -> Tree:
    flags = context.flags
    head = next((task for task in context.job["spec"].get("tasks") or () if task["name"] == flags["head"]), None)
    if head is None:
        return pod
    containers = []
    for container in pod["spec"]["containers"]:
        changed = container
        if (context.task, container["name"]) == (flags["head"], flags["headContainer"]):
            for name, flag in (("gcs", "port"), ("dashboard", "dashboardPort"), ("client-server", "clientPort")):
                changed = _with_own_port(changed, name, flags[flag])
            start = (
                f"ray start --head --block --dashboard-host=0.0.0.0 --port={flags['port']} "
                f"--dashboard-port={flags['dashboardPort']} --ray-client-server-port={flags['clientPort']}"
            )
            changed = {**changed, "command": ["sh", "-c", start]}
        if (context.task, container["name"]) == (flags["worker"], flags["workerContainer"]):
            start = f"ray start --block --address={_first_host(context.job, head)}:{flags['port']}"
            changed = {**changed, "command": ["sh", "-c", start]}
        containers.append(changed)
    return {**pod, "spec": {**pod["spec"], "containers": containers}}


_PLUGINS: dict[str, Callable[[Tree, PluginContext], Tree]] = {
    "env": _env,
    "hcclrank": _hcclrank,
    "mpi": _mpi,
    "pytorch": _pytorch,
    "ray": _ray,
    "ssh": _ssh,
    "svc": _svc,
    "tensorflow": _tensorflow,
}


def _each_host(job: Tree, task: Tree) -> list[str]:
    """A name for each pod, also where the template has a host name."""
    names = hosts(job, task)
    return names if len(names) == int(task.get("replicas") or 0) else names * int(task.get("replicas") or 0)


def _first_host(job: Tree, task: Tree) -> str:
    return hosts(job, {**task, "replicas": 1})[0]


def _with_lists(pod: Tree, field: str, items: list[Tree], *, initializers: bool = False) -> Tree:
    """The pod with more elements in a list of its containers."""
    spec = dict(pod["spec"])
    for kind in ("containers", "initContainers") if initializers else ("containers",):
        if spec.get(kind) and items:
            spec[kind] = [{**one, field: [*(one.get(field) or ()), *items]} for one in spec[kind]]
    return {**pod, "spec": spec}


def _with_port(pod: Tree, name: str, port: int, *, initializers: bool) -> Tree:
    spec = dict(pod["spec"])
    for kind in ("containers", "initContainers") if initializers else ("containers",):
        if spec.get(kind):
            spec[kind] = [_with_own_port(one, name, port) for one in spec[kind]]
    return {**pod, "spec": spec}


def _with_own_port(container: Tree, name: str, port: int) -> Tree:
    ports = container.get("ports") or ()
    if any(one.get("containerPort") == port for one in ports):
        return container
    return {**container, "ports": [*ports, {"name": name, "containerPort": port}]}
