"""mlPolicy.mpi -> counts, SSH and host file volumes, OpenMPI variables, the host file and the SSH Secret.

Upstream: pkg/runtime/framework/plugins/mpi, v2.3.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.info import LAUNCHER, NODE, Container, Info, PodSet, RefusedError
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.objects import CreatedObject, created_object
from tjgen.trees import regex
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.placeholders import RANDOM
from tjgen.trees.typing import Any

MANAGER = "trainer:mpi"
OPEN_MPI = "OpenMPI"
HOST_FILE_SUFFIX = "-mpi-hostfile"
SSH_SUFFIX = "-mpi-ssh-auth"
RESERVED = (
    "OMPI_MCA_orte_default_hostfile",
    "OMPI_MCA_orte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots",
    "OMPI_MCA_plm_rsh_args",
)
"""Variables that a TrainJob may not set."""

_POLICY: FieldPath = ("spec", "mlPolicy", "mpi")
_SSH_VOLUME = "mpi-ssh-auth"
_KEY_FILES = (
    ("ssh-privatekey", "id_rsa", 0o640),
    ("ssh-publickey", "id_rsa.pub", 0o644),
    ("ssh-publickey", "authorized_keys", 0o644),
)
_HOST_FILE_VOLUME = "mpi-hostfile"
_HOST_FILE_DIRECTORY = "/etc/mpi"
_MOST_HOSTS = 1024 * 1024 // 10
"""Lines of 10 characters, the shortest ones, that a ConfigMap can hold."""


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """Counts, volumes, mounts and variables; raises RefusedError for an implementation other than OpenMPI."""
    policy = info.policy("mpi")
    if policy is None:
        return
    _enforce_count(info, job, runs_launcher_as_node(policy))
    rule = Origin(MANAGER, "runtime", _POLICY)
    for podset in info.podsets:
        if podset.name not in (NODE, LAUNCHER):
            continue
        podset.upsert_volumes([_ssh_volume(job)], rule)
        if podset.name == LAUNCHER:
            podset.upsert_volumes([_host_file_volume(job)], rule)
        for container in podset.containers:
            if container.name == NODE:
                path = info.origin(MANAGER, *_POLICY, "sshAuthMountPath")
                container.upsert_mounts([{"name": _SSH_VOLUME, "mountPath": policy["sshAuthMountPath"]}], path)
                if podset.name == LAUNCHER:
                    _set_up_launcher(container, info, job, policy)


def build(info: Info, job: DecodedTrainJob) -> Iterator[CreatedObject]:
    """The host file and the SSH keys."""
    policy = info.policy("mpi")
    if policy is None:
        return
    owners: Owners = {(): (Origin(MANAGER, "tjgen"),)}
    keys: dict[str, Tree] = {"ssh-privatekey": RANDOM, "ssh-publickey": RANDOM}
    body: dict[str, Tree] = {"type": "kubernetes.io/ssh-auth", "data": keys, "immutable": True}
    yield created_object(job, "v1", "Secret", SSH_SUFFIX, body, owners)
    owners = {(): (Origin(MANAGER, "tjgen"),), ("data",): (Origin(MANAGER, "runtime", _POLICY),)}
    yield created_object(job, "v1", "ConfigMap", HOST_FILE_SUFFIX, {"data": {"hostfile": _host_file(info, job, policy)}}, owners)


def runs_launcher_as_node(policy: dict[str, Any]) -> bool:
    """Whether the launcher trains too."""
    return bool(policy.get("runLauncherAsNode"))


def slots(info: Info, job: DecodedTrainJob, policy: dict[str, Any]) -> tuple[int, Origin]:
    """Return processes per node and their source: the TrainJob, else the policy, else, if the policy has 1, the GPUs."""
    processes = job.trainer_field("numProcPerNode")
    if processes is not None:
        return _number(processes), Origin(MANAGER, "trainjob", ("spec", "trainer", "numProcPerNode"))
    if policy["numProcPerNode"] == 1 and info.release.looks_into_runtime:
        gpus = resources.gpus(resources.per_node(info, job))
        if gpus > 1:
            has_resources = job.resources is not None
            return resources.int32(gpus), Origin(
                MANAGER, *(("trainjob", ("spec", "trainer", "resourcesPerNode")) if has_resources else ("tjgen",))
            )
    return policy["numProcPerNode"], info.origin(MANAGER, *_POLICY, "numProcPerNode")


def _number(processes: int | str) -> int:
    # Where it may be a word, intstr `IntValue` takes what is not a number for zero, and int32 cuts what is too large.
    if isinstance(processes, int):
        return processes
    return resources.int32(int(processes)) if regex.fullmatch(r"[+-]?[0-9]+", processes, regex.ASCII) else 0


def _enforce_count(info: Info, job: DecodedTrainJob, launcher_is_node: bool) -> None:
    # Only the job named node is counted; the runtime's numNodes went to the trainer ancestor, the launcher.
    nodes = job.trainer_field("numNodes")
    podset = info.podset(NODE)
    if nodes is None or podset is None:
        return
    podset.count = max(nodes - 1, 1) if launcher_is_node else nodes
    origin = job.origin("trainer:jobset", "spec", "trainer", "numNodes")
    podset.count_origin = origin._replace(mirrors=podset.count == nodes)


def _set_up_launcher(container: Container, info: Info, job: DecodedTrainJob, policy: dict[str, Any]) -> None:
    rule = Origin(MANAGER, "runtime", _POLICY)
    container.upsert_mounts([{"name": _HOST_FILE_VOLUME, "mountPath": _HOST_FILE_DIRECTORY}], rule)
    if policy["mpiImplementation"] != OPEN_MPI:
        # Upstream prints the pointer instead of what it points to.
        text = "MPI implementation for <pointer> doesn't supported"
        raise RefusedError(text, ("spec", "runtimeRef"), "use a runtime whose mpiImplementation is OpenMPI")
    count, counted = slots(info, job, policy)
    values = (f"{_HOST_FILE_DIRECTORY}/hostfile", "true", str(count), "-o ConnectionAttempts=10")
    variables = [{"name": name, "value": value} for name, value in zip(RESERVED, values, strict=True)]
    container.upsert_env(variables, ((rule,), (rule,), (counted,), (rule,)))


def _ssh_volume(job: DecodedTrainJob) -> Tree:
    has_modes = job.release.sets_key_modes
    items = [{"key": key, "path": path} | ({"mode": mode} if has_modes else {}) for key, path, mode in _KEY_FILES]
    mode = {"defaultMode": 0o400} if has_modes else {}
    return {"name": _SSH_VOLUME, "secret": {"secretName": job.name + SSH_SUFFIX, **mode, "items": items}}


def _host_file_volume(job: DecodedTrainJob) -> Tree:
    return {
        "name": _HOST_FILE_VOLUME,
        "configMap": {
            "name": job.name + HOST_FILE_SUFFIX,
            "items": [{"key": "hostfile", "path": "hostfile", "mode": 0o444}],
        },
    }


def _host_file(info: Info, job: DecodedTrainJob, policy: dict[str, Any]) -> str:
    if policy["mpiImplementation"] != OPEN_MPI:
        return ""
    count, _ = slots(info, job, policy)
    names = (NODE, LAUNCHER) if runs_launcher_as_node(policy) else (NODE,)
    number = sum(podset.count for podset in info.podsets if podset.name in names)
    if number > _MOST_HOSTS:
        text = f"the host file of {number} nodes exceeds 1 MiB, the limit of a ConfigMap"
        raise RefusedError(text, ("spec", "trainer", "numNodes"), "request fewer nodes")
    return "".join(
        f"{endpoint} slots={count}\n"
        for podset in info.podsets
        if podset.name in names
        for endpoint in _endpoints(podset, info, job)
    )


def _endpoints(podset: PodSet, info: Info, job: DecodedTrainJob) -> Iterator[str]:
    # plugins/jobset `IdentifyPodNetwork`: with the replicas of the template, which are forced to 1 only later.
    subdomain = (info.spec.get("network") or {}).get("subdomain") or job.name
    replicas = podset.shape.tree.get("replicas", 1) if info.release.counts_replicas else 1
    for replica in range(replicas):
        for index in range(podset.count):
            yield f"{job.name}-{podset.name}-{replica}-{index}.{subdomain}"
