"""The plugins of a Volcano Job -> the objects that they create with the Job.

Upstream: volcano v1.15 `pkg/controllers/job/plugins`, `OnJobAdd` of each plugin.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.series import metadata_of, owned_by
from tjgen.cluster.controllers.volcano_flags import read_flags
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.placeholders import RANDOM

_DOMAIN = "volcano.sh/"
KEYS = "/root/.ssh"
FILES = ("id_rsa", "id_rsa.pub", "authorized_keys", "config")
_ROLES = {"master": "master", "worker": "worker"}
_FLAGS: dict[str, dict[str, str | int | bool]] = {
    "svc": {"publish-not-ready-addresses": False, "disable-network-policy": False},
    "ssh": {"ssh-key-file-path": KEYS, "ssh-private-key": "", "ssh-public-key": "", "ssh-port": 22},
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
    texts = dict(zip(FILES, (*keys, "".join(f"{line}\n" for line in config)), strict=True))
    return {"apiVersion": "v1", "kind": "Secret", "metadata": _metadata(job, "-ssh"), "stringData": texts}


def _ray_service(job: Tree, flags: dict[str, Tree]) -> Tree:
    ports = [
        {"name": name, "port": flags[flag], "protocol": "TCP", "targetPort": name}
        for name, flag in (("gcs", "port"), ("dashboard", "dashboardPort"), ("client-server", "clientPort"))
    ]
    spec = {"ports": ports, "selector": {**_selector(job), f"{_DOMAIN}task-spec": flags["head"]}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(job, "-head-svc"), "spec": spec}
