"""An MPIJob -> its Service, host file, keys, workers, and launcher Job.

Upstream: mpi-operator v0.8 `pkg/controller/mpi_job_controller.go`: newJobService, newConfigMap, newSSHAuthSecret, newWorker,
newLauncherJob. Without gang scheduling, which is an option of the operator.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.series import Series, copied_metadata, metadata_of, owned_by, single
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.placeholders import RANDOM

MANAGER = "mpi-operator"
_LABELS = "training.kubeflow.org/"
_FOLDER = "/etc/mpi"
_ROOT = "/root/.ssh"
_HOSTFILE = f"{_FOLDER}/hostfile"
_ATTEMPTS = "-o ConnectionAttempts=10"
_VARIABLES: dict[str, tuple[tuple[str, str], ...]] = {
    "OpenMPI": (
        ("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
        ("OMPI_MCA_orte_default_hostfile", _HOSTFILE),
        ("OMPI_MCA_plm_rsh_args", _ATTEMPTS),
    ),
    "Intel": (("I_MPI_HYDRA_HOST_FILE", _HOSTFILE), ("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", _ATTEMPTS)),
    "MPICH": (("HYDRA_HOST_FILE", _HOSTFILE), ("HYDRA_LAUNCH_EXTRA_ARGS", _ATTEMPTS)),
}
_SLOTS = {"OpenMPI": "OMPI_MCA_orte_set_default_slots", "Intel": "I_MPI_PERHOST"}
_NO_DEVICES = ("NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES")


def create(job: Tree) -> Iterator[Series]:
    """The objects in the order in which the operator creates them. The script of hosts is that of running workers."""
    name, specs = job["metadata"]["name"], get(job, ("spec", "mpiReplicaSpecs"), {})
    replicas = get(specs, ("Worker", "replicas"), None)
    number = int(replicas or 0)
    yield single(MANAGER, _service(job))
    data = {"hostfile": hosts(job, number), "discover_hosts.sh": discover_hosts(job, number)}
    yield single(MANAGER, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(job, "-config"), "data": data})
    yield single(MANAGER, _keys(job))
    if number:
        path: FieldPath = ("spec", "mpiReplicaSpecs", "Worker", "template")
        yield Series(MANAGER, f"{name}-worker", number, lambda index: _worker(job, specs["Worker"], index), path)
    yield Series(MANAGER, f"{name}-launcher", 1, lambda _: _launcher(job, specs["Launcher"]))


def hosts(job: Tree, count: int) -> str:
    """The host file: a line for each node that computes."""
    spec, metadata = job["spec"], job["metadata"]
    names = [f"{metadata['name']}-launcher"] if spec.get("runLauncherAsWorker") else []
    names += [f"{metadata['name']}-worker-{index}" for index in range(count)]
    slots = spec.get("slotsPerWorker", 1)
    line = "{} slots={}\n" if spec.get("mpiImplementation", "OpenMPI") == "OpenMPI" else "{}:{}\n"
    return "".join(line.format(f"{name}.{metadata['name']}.{metadata.get('namespace', '')}.svc", slots) for name in names)


def worker(job: Tree, spec: Tree, index: int) -> Tree:
    """The template of a worker."""
    metadata = job["metadata"]
    number = index + 1 if job["spec"].get("runLauncherAsWorker") else index
    search = f"{metadata['name']}.{metadata.get('namespace', '')}.svc.cluster.local"
    template = _common(job, spec, "worker", str(number), f"{metadata['name']}-worker-{index}", [("K_MPI_JOB_ROLE", "worker")])
    pod = template["spec"]
    known = pod.get("dnsConfig") or {}
    pod["dnsConfig"] = {**known, "searches": [*(known.get("searches") or ()), search]}
    main = pod["containers"][0]
    if not main.get("command") and not main.get("args"):
        main["command"] = ["/usr/sbin/sshd", "-De"]
    return template


def launcher(job: Tree, spec: Tree) -> Tree:
    """The template of the launcher's Job."""
    job_spec = job["spec"]
    implementation, slots = job_spec.get("mpiImplementation", "OpenMPI"), str(job_spec.get("slotsPerWorker", 1))
    variables = [("K_MPI_JOB_ROLE", "launcher"), *_VARIABLES[implementation]]
    if implementation in _SLOTS:
        variables.append((_SLOTS[implementation], slots))
    computes = bool(job_spec.get("runLauncherAsWorker"))
    if not computes:
        variables += [(name, "") for name in _NO_DEVICES]
    template = _common(job, spec, "launcher", "0" if computes else "", f"{job['metadata']['name']}-launcher", variables)
    pod = template["spec"]
    items = [{"key": "hostfile", "path": "hostfile", "mode": 0o444}]
    items.append({"key": "discover_hosts.sh", "path": "discover_hosts.sh", "mode": 0o555})
    config = {"name": f"{job['metadata']['name']}-config", "items": items}
    pod["volumes"].append({"name": "mpi-job-config", "configMap": config})
    pod["containers"][0]["volumeMounts"].append({"name": "mpi-job-config", "mountPath": _FOLDER})
    return template


def _common(job: Tree, spec: Tree, role: str, number: str, host: str, variables: list[tuple[str, str]]) -> Tree:
    """Return the common parts: names, keys, variables. The tree is a new one, which the caller may change."""
    name = job["metadata"]["name"]
    given = spec["template"]
    labels = {
        **(get(given, ("metadata", "labels"), None) or {}),
        f"{_LABELS}operator-name": "mpi-operator",
        f"{_LABELS}job-name": name,
        f"{_LABELS}job-role": role,
    }
    if number:
        labels[f"{_LABELS}replica-index"] = number
    first, *others = given["spec"]["containers"]
    keys = job["spec"].get("sshAuthMountPath") or _ROOT
    env = [*(first.get("env") or ()), *({"name": key, **({"value": value} if value else {})} for key, value in variables)]
    mounts = [*(first.get("volumeMounts") or ()), {"name": "ssh-auth", "mountPath": keys}]
    secret: dict[str, Tree] = {"defaultMode": 0o600} if keys == _ROOT else {}
    files = (("ssh-privatekey", "id_rsa"), ("ssh-publickey", "id_rsa.pub"), ("ssh-publickey", "authorized_keys"))
    secret |= {"secretName": f"{name}-ssh", "items": [{"key": key, "path": path} for key, path in files]}
    pod: dict[str, Tree] = {
        **given["spec"],
        "hostname": host,
        "subdomain": name,
        "containers": [{**first, "env": env, "volumeMounts": mounts}, *others],
        "volumes": [*(given["spec"].get("volumes") or ()), {"name": "ssh-auth", "secret": secret}],
        "restartPolicy": spec.get("restartPolicy") or ("OnFailure" if role == "launcher" else "Never"),
    }
    if pod.get("hostNetwork"):
        pod["dnsPolicy"] = "ClusterFirstWithHostNet"
    return {"metadata": {**(given.get("metadata") or {}), "labels": labels}, "spec": pod}


def discover_hosts(job: Tree, number: int) -> str:
    """The script that prints the hosts whose workers run: all of them, in the order of their names."""
    metadata = job["metadata"]
    names = sorted(f"{metadata['name']}-worker-{index}" for index in range(number))
    if job["spec"].get("runLauncherAsWorker"):
        names = [f"{metadata['name']}-launcher", *names]
    return "#!/bin/sh\n" + "".join(f"echo {name}.{metadata['name']}.{metadata.get('namespace', '')}.svc\n" for name in names)


def _worker(job: Tree, spec: Tree, index: int) -> Tree:
    template = worker(job, spec, index)
    metadata = {**metadata_of(job, f"{job['metadata']['name']}-worker-{index}"), **copied_metadata(template)}
    metadata["ownerReferences"] = owned_by(job)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def _launcher(job: Tree, spec: Tree) -> Tree:
    policy = get(job, ("spec", "runPolicy"), None) or {}
    body = {
        field: policy[field]
        for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
        if policy.get(field) is not None
    }
    if policy.get("suspend"):
        body["suspend"] = True
    template = launcher(job, spec)
    owners = owned_by(job)
    template["metadata"]["ownerReferences"] = owners
    metadata = _metadata(job, "-launcher")
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {**body, "template": template}}


def _service(job: Tree) -> Tree:
    selector = {f"{_LABELS}operator-name": "mpi-operator", f"{_LABELS}job-name": job["metadata"]["name"]}
    body: dict[str, Tree] = {"clusterIP": "None", "selector": selector}
    if get(job, ("spec", "runLauncherAsWorker"), False):
        body["publishNotReadyAddresses"] = True
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(job, ""), "spec": body}


def _keys(job: Tree) -> Tree:
    """The keys of SSH, which the operator generates: here without content."""
    data = {"ssh-privatekey": RANDOM, "ssh-publickey": RANDOM}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(job, "-ssh"),
        "type": "kubernetes.io/ssh-auth",
        "data": data,
    }


def _metadata(job: Tree, suffix: str) -> dict[str, Tree]:
    name = job["metadata"]["name"]
    return {**metadata_of(job, name + suffix), "labels": {"app": name}, "ownerReferences": owned_by(job)}
