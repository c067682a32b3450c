"""A pod of a Volcano Job -> the pod with what the plugins of the Job add.

Upstream: volcano v1.15 `pkg/controllers/job/plugins`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.controllers.series import metadata_of, owned_by
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.placeholders import RANDOM, SCRIPT
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
    items = [{"key": file, "path": f".ssh/{file}"} for file in _FILES]
    secret = {"defaultMode": 0o600 if path == _KEYS else 0o644, "items": items, "secretName": name}
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


# The plugins of a Volcano Job -> the objects that they create with the Job.
#
# Upstream: volcano v1.15 `pkg/controllers/job/plugins`, `OnJobAdd` of each plugin.

_DOMAIN = "volcano.sh/"
_KEYS = "/root/.ssh"
_FILES = ("id_rsa", "id_rsa.pub", "authorized_keys", "config")
_ROLES = {"master": "master", "worker": "worker"}
_FLAGS: dict[str, dict[str, str | int | bool]] = {
    "svc": {"publish-not-ready-addresses": False, "disable-network-policy": False},
    "ssh": {"ssh-key-file-path": _KEYS, "ssh-private-key": "", "ssh-public-key": "", "ssh-port": 22},
    "pytorch": {
        **_ROLES,
        "port": 23456,
        "wait-master-enabled": False,
        "wait-master-timeout": 300,
        "wait-master-image": "busybox:1.36.1",
    },
    "mpi": {**_ROLES, "port": 22},
    "tensorflow": {"ps": "ps", "worker": "worker", "chief": "chief", "evaluator": "evaluator", "port": 2222},
    "hcclrank": dict(_ROLES),
    "ray": {
        "head": "head",
        "headContainer": "head",
        "worker": "worker",
        "workerContainer": "worker",
        "port": 6379,
        "dashboardPort": 8265,
        "clientPort": 10001,
    },
}
"""Plugin -> its flags with their defaults."""


def objects(job: Tree) -> Iterator[Tree]:
    """The objects that the plugins create with the Job."""
    plugins = job["spec"].get("plugins") or {}
    if "ray" in plugins:
        yield _ray_service(job, flags_of(job, "ray"))
    if "ssh" in plugins:
        yield _secret(job, flags_of(job, "ssh"))
    if "svc" in plugins:
        flags, metadata, selector = flags_of(job, "svc"), _metadata(job, ""), _selector(job)
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(job, "-svc"), "data": _host_data(job)}
        spec: dict[str, Tree] = {"clusterIP": "None", "selector": selector}
        if flags["publish-not-ready-addresses"]:
            spec["publishNotReadyAddresses"] = True
        yield {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
        if not flags["disable-network-policy"]:
            pods = {"matchLabels": selector}
            ingress = [{"from": [{"podSelector": pods}]}]
            body: Tree = {"podSelector": pods, "ingress": ingress, "policyTypes": ["Ingress"]}
            yield {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": body}


def hosts(job: Tree, task: Tree) -> list[str]:
    """The host names of the pods of a task; a template with a host name has one for all its pods."""
    given = (task.get("template") or {}).get("spec") or {}
    number = int(task.get("replicas") or 0)
    domain = given.get("subdomain") or job["metadata"]["name"]
    if given.get("hostname"):
        return [f"{given['hostname']}.{domain}"][:number]
    return [f"{job['metadata']['name']}-{task['name']}-{index}.{domain}" for index in range(number)]


def flags_of(job: Tree, plugin: str) -> dict[str, Tree]:
    """The flags of a plugin that the Job has, with their values."""
    return read_flags(job["spec"]["plugins"][plugin] or (), _FLAGS.get(plugin, {}))


def _metadata(job: Tree, suffix: str) -> dict[str, Tree]:
    return {**metadata_of(job, job["metadata"]["name"] + suffix), "ownerReferences": owned_by(job)}


def _selector(job: Tree) -> dict[str, str]:
    name, namespace = job["metadata"]["name"], job["metadata"].get("namespace", "")
    return {f"{_DOMAIN}job-name": name, f"{_DOMAIN}job-namespace": namespace}


def _host_data(job: Tree) -> dict[str, str]:
    data = {}
    for task in job["spec"].get("tasks") or ():
        key, names = task["name"].replace("-", "_"), hosts(job, task)
        data[f"{key}.host"] = "\n".join(names)
        data[f"VC_{key.upper()}_HOSTS"] = ",".join(names)
        data[f"VC_{key.upper()}_NUM"] = str(len(names))
    return data


def _secret(job: Tree, flags: dict[str, Tree]) -> Tree:
    """The keys of SSH: generated ones without content, and the configuration."""
    port = flags["ssh-port"] if 0 < flags["ssh-port"] <= 65535 else 22
    config = ["StrictHostKeyChecking no", "UserKnownHostsFile /dev/null"]
    for task in job["spec"].get("tasks") or ():
        for host in hosts(job, task):
            config += [f"Host {host.partition('.')[0]}", f"  HostName {host}", f"  Port {port}"]
    private, public = flags["ssh-private-key"], flags["ssh-public-key"]
    keys = (private, public, public) if private else (RANDOM, RANDOM, RANDOM)
    texts = dict(zip(_FILES, (*keys, "".join(f"{line}\n" for line in config)), strict=True))
    return {"apiVersion": "v1", "kind": "Secret", "metadata": _metadata(job, "-ssh"), "stringData": texts}


def _ray_service(job: Tree, flags: dict[str, Tree]) -> Tree:
    ports = [
        {"name": name, "port": flags[flag], "protocol": "TCP", "targetPort": name}
        for name, flag in (("gcs", "port"), ("dashboard", "dashboardPort"), ("client-server", "clientPort"))
    ]
    spec = {"ports": ports, "selector": {**_selector(job), f"{_DOMAIN}task-spec": flags["head"]}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(job, "-head-svc"), "spec": spec}


# The arguments of a Volcano plugin -> the values of its flags.
#
# Mirrors Go's `flag.FlagSet.Parse`: the first argument that it cannot read ends it, and Volcano goes on with what was read.

_BOOLEANS = {
    word: value for value, words in ((True, "1 t T TRUE true True"), (False, "0 f F FALSE false False")) for word in words.split()
}


def read_flags(arguments: Sequence[str], defaults: Mapping[str, str | int | bool]) -> dict[str, Tree]:
    """Each flag with its value, or its default."""
    values: dict[str, Tree] = dict(defaults)
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, has_value, text = word.lstrip("-").partition("=")
        dashes = len(word) - len(word.lstrip("-"))
        if dashes not in (1, 2) or not name or name not in defaults:
            break
        default = defaults[name]
        if not has_value and not isinstance(default, bool):
            if not rest:
                break
            text = rest.pop(0)
        value = _value(text if has_value or not isinstance(default, bool) else "true", default)
        if value is None:
            break
        values[name] = value
    return values


def _value(text: str, default: str | int | bool) -> str | int | bool | None:
    if isinstance(default, bool):
        return _BOOLEANS.get(text)
    if isinstance(default, str):
        return text
    try:
        return int(text, 0)
    except ValueError:
        return None
