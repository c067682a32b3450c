"""An MPIJob -> the objects of the MPI Operator: launcher Job, workers, Service and host file. The keys are its own.

Upstream: mpi-operator v0.8 `pkg/controller/mpi_job_controller.go`: newLauncherJob, newWorker, newJobService, newConfigMap. Of the
workers the first and the last are shown.
"""

from __future__ import annotations

from tjgen.cluster.trainer.framework import PLACEHOLDER_UID
from tjgen.compiler.targets.kubeflow_preview import added
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.manifest import PREVIEW, Manifest

_OPERATOR = Origin("mpi-operator", "tjgen")
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


def previews(job: Manifest) -> list[Manifest]:
    """In the order in which the operator makes them."""
    specs = get(job.tree, ("spec", "mpiReplicaSpecs"), {})
    count = int(get(specs, ("Worker", "replicas"), 0))
    objects = [_service(job), _hosts(job, count)]
    for index in sorted({0, count - 1}) if count else ():
        objects.append(_worker(job, specs["Worker"], index))
    return [*objects, _launcher(job, specs["Launcher"])]


def hosts(job: Tree, count: int) -> str:
    """The host file: a line for each node that computes."""
    spec, metadata = job["spec"], job["metadata"]
    names = [f"{metadata['name']}-launcher"] if spec.get("runLauncherAsWorker") else []
    names += [f"{metadata['name']}-worker-{index}" for index in range(count)]
    slots = spec.get("slotsPerWorker", 1)
    line = "{} slots={}\n" if spec.get("mpiImplementation", "OpenMPI") == "OpenMPI" else "{}:{}\n"
    return "".join(line.format(f"{name}.{metadata['name']}.{metadata['namespace']}.svc", slots) for name in names)


def worker(job: Tree, spec: Tree, index: int) -> Tree:
    """The template of a worker."""
    metadata = job["metadata"]
    number = index + 1 if job["spec"].get("runLauncherAsWorker") else index
    search = f"{metadata['name']}.{metadata['namespace']}.svc.cluster.local"
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


def _worker(job: Manifest, spec: Tree, index: int) -> Manifest:
    template = worker(job.tree, spec, index)
    metadata = {**template["metadata"], **_metadata(job, f"-worker-{index}"), "labels": template["metadata"]["labels"]}
    tree = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
    return _preview(tree, ("spec", "mpiReplicaSpecs", "Worker", "template", "spec"), spec["template"]["spec"])


def _launcher(job: Manifest, spec: Tree) -> Manifest:
    template = launcher(job.tree, spec)
    policy = get(job.tree, ("spec", "runPolicy"), None) or {}
    body = {
        field: policy[field]
        for field in ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
        if policy.get(field) is not None
    }
    if policy.get("suspend"):
        body["suspend"] = True
    tree = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": _metadata(job, "-launcher"),
        "spec": {**body, "template": template},
    }
    at: FieldPath = ("spec", "mpiReplicaSpecs", "Launcher", "template", "spec")
    return _preview(tree, at, spec["template"]["spec"], ("spec", "template", "spec"))


def _service(job: Manifest) -> Manifest:
    selector = {f"{_LABELS}operator-name": "mpi-operator", f"{_LABELS}job-name": job.name}
    body: dict[str, Tree] = {"clusterIP": "None", "selector": selector}
    if get(job.tree, ("spec", "runLauncherAsWorker"), False):
        body["publishNotReadyAddresses"] = True
    return _preview({"apiVersion": "v1", "kind": "Service", "metadata": _metadata(job, ""), "spec": body})


def _hosts(job: Manifest, count: int) -> Manifest:
    data = {"hostfile": hosts(job.tree, count)}
    return _preview({"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(job, "-config"), "data": data})


def _metadata(job: Manifest, suffix: str) -> dict[str, Tree]:
    owner = {"apiVersion": job.api_version, "kind": job.kind, "name": job.name, "uid": PLACEHOLDER_UID}
    return {
        "name": job.name + suffix,
        "namespace": job.namespace,
        "labels": {"app": job.name},
        "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
    }


def _preview(tree: Tree, source: FieldPath = (), given: Tree = None, to: FieldPath = ("spec",)) -> Manifest:
    owners: Owners = {(): (_OPERATOR,)}
    if source:
        owners[to] = (Origin("mpi-operator", "job", source, True),)
        owners |= added(given, get(tree, to), to, _OPERATOR)
    return Manifest(tree, owners, PREVIEW)
