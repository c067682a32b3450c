"""A RayCluster -> its head pod, and the pod of a group of workers.

Upstream: KubeRay v1.5.1 `controllers/ray/common/pod.go:DefaultHeadPodTemplate`, `DefaultWorkerPodTemplate`, `BuildPod`,
`setContainerEnvVars`, `initLivenessAndReadinessProbe`, in this order. The first container is the one of Ray.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.controllers import kuberay_names, kuberay_start
from tjgen.cluster.controllers.kuberay_names import own_name
from tjgen.cluster.controllers.kuberay_start import with_env
from tjgen.cluster.controllers.series import copied_metadata, metadata_of, owned_by
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.placeholders import SCRIPT

HEAD, WORKER = "head", "worker"
VERSION = "v1.5.1"
_SHELL = ["/bin/bash", "-c", "--"]
_FIXED = ("ray.io/node-type", "ray.io/group", "ray.io/cluster")
"""Labels that a template cannot override."""
_OVERWRITE = "ray.io/overwrite-container-cmd"
_FAULT_TOLERANT = "ray.io/ft-enabled"
_METRICS = {"name": "metrics", "containerPort": 8080}
_WAIT = "wait-gcs-ready"
_LOGS = "/tmp/ray"  # upstream's path in a container


def is_autoscaled(cluster: Tree) -> bool:
    """Whether Ray's autoscaler changes the number of workers."""
    return bool(cluster["spec"].get("enableInTreeAutoscaling"))


def service_account(cluster: Tree) -> str:
    """The account of the head pod of an autoscaled cluster."""
    given = get(cluster, ("spec", "headGroupSpec", "template", "spec", "serviceAccountName"), None)
    return str(given or cluster["metadata"]["name"])


def service_name(cluster: Tree) -> str:
    """The name of the Service of the head."""
    given = get(cluster, ("spec", "headGroupSpec", "headService", "metadata", "name"), None)
    return str(given or f"{cluster['metadata']['name']}-head-svc")


def host(cluster: Tree) -> str:
    """The host name by which workers find the head."""
    return f"{service_name(cluster)}.{cluster['metadata'].get('namespace', '')}.svc.cluster.local"


def head(cluster: Tree) -> Tree:
    """The head pod."""
    spec = cluster["spec"]["headGroupSpec"]
    given = get(spec, ("template", "spec"))
    pod: dict[str, Tree] = {**given, "containers": list(given["containers"])}
    params = kuberay_start.params(spec, HEAD, address="")
    if is_autoscaled(cluster):
        params["no-monitor"] = "true"
        pod["serviceAccountName"] = own_name(service_account(cluster))
        pod["containers"].append(kuberay_start.autoscaler(cluster, given["containers"][0].get("image")))
        if _is_second_version(cluster):
            pod["containers"][0] = with_env(pod["containers"][0], {"name": "RAY_enable_autoscaler_v2", "value": "true"})
            pod["restartPolicy"] = "Never"
    annotations: dict[str, Tree] = {_FAULT_TOLERANT: "false"}
    if _is_fault_tolerant(cluster):
        annotations = {_FAULT_TOLERANT: "true", kuberay_start.STORAGE: kuberay_start.storage_namespace(cluster)}
        pod["containers"][0] = kuberay_start.with_redis(cluster, pod["containers"][0], params)
    return _built(cluster, spec, pod, HEAD, params, annotations)


def worker(cluster: Tree, group: Tree) -> Tree:
    """A pod of a group of workers."""
    given = get(group, ("template", "spec"))
    port = kuberay_start.head_port(cluster)
    pod: dict[str, Tree] = {**given, "containers": list(given["containers"])}
    pod["initContainers"] = [*(given.get("initContainers") or ()), _waiting(given["containers"][0])]
    params = kuberay_start.params(group, WORKER, address=f"{host(cluster)}:{port}")
    if _is_fault_tolerant(cluster):
        timeout = {"name": "RAY_gcs_rpc_server_reconnect_timeout_s", "value": "600"}
        pod["containers"][0] = with_env(pod["containers"][0], timeout, unless_set=True)
    if is_autoscaled(cluster) and _is_second_version(cluster):
        pod["restartPolicy"] = "Never"
    return _built(cluster, group, pod, WORKER, params, {})


def _is_second_version(cluster: Tree) -> bool:
    return bool(get(cluster, ("spec", "autoscalerOptions", "version"), None) == "v2")


def _is_fault_tolerant(cluster: Tree) -> bool:
    annotations = cluster["metadata"].get("annotations") or {}
    return str(annotations.get(_FAULT_TOLERANT, "")).lower() == "true" or bool(cluster["spec"].get("gcsFaultToleranceOptions"))


def _built(
    cluster: Tree, group: Tree, pod: dict[str, Tree], role: str, params: dict[str, str], annotations: dict[str, Tree]
) -> Tree:
    """`BuildPod`, with the metadata of the template."""
    name, group_name = cluster["metadata"]["name"], "headgroup" if role == HEAD else group["groupName"]
    prefix = name if role == HEAD else f"{name}-{group_name}"
    metadata = {**metadata_of(cluster, ""), **copied_metadata(group["template"])}
    del metadata["name"]
    metadata["generateName"] = kuberay_names.pod_prefix(prefix, role)
    metadata["labels"] = _labels(name, group_name, role, {**(metadata.get("labels") or {}), **(group.get("labels") or {})})
    is_kept = str((cluster["metadata"].get("annotations") or {}).get(_OVERWRITE, "")).lower() == "true"
    overwrite: dict[str, Tree] = {_OVERWRITE: "true"} if is_kept else {}
    annotations = {**(metadata.get("annotations") or {}), **overwrite, **annotations}
    main = dict(pod["containers"][0])
    if not any(one.get("name") == "metrics" for one in main.get("ports") or ()):
        main["ports"] = [*(main.get("ports") or ()), _METRICS]
    if kuberay_start.has_token(cluster):
        main = kuberay_start.with_token(cluster, main)
        pod["initContainers"] = [
            kuberay_start.with_token(cluster, one) if one["name"] == _WAIT else one for one in pod.get("initContainers") or ()
        ]
    main, volumes = _with_folder(main, pod.get("volumes") or [], "shared-mem", "/dev/shm", "Memory")
    if role == HEAD and is_autoscaled(cluster):
        main, volumes = _with_folder(main, volumes, "ray-logs", _LOGS, "")
        others = [
            _with_folder(one, volumes, "ray-logs", _LOGS, "")[0] if one["name"] == "autoscaler" else one
            for one in pod["containers"][1:]
        ]
        pod["containers"] = [main, *others]
    command = kuberay_start.command(role, params, main.get("resources") or {})
    own = "".join(f" {word} " for word in (*(main.get("command") or ()), *(main.get("args") or ())))
    if str(annotations.get(_OVERWRITE, "")).lower() != "true" and "ray start" not in own:
        whole = f"ulimit -n 65536; {command}"
        main = {**main, "command": _SHELL, "args": [f"{own} && {whole}" if own else whole]}
    if pod.get("initContainers"):
        addresses = [{"name": "FQ_RAY_IP", "value": host(cluster)}, {"name": "RAY_IP", "value": host(cluster).partition(".")[0]}]
        pod["initContainers"] = [with_env(one, *addresses) for one in pod["initContainers"]]
    main = _with_probes(_with_variables(cluster, main, role, command), role)
    if annotations:
        metadata["annotations"] = annotations
    metadata["ownerReferences"] = owned_by(cluster)
    spec = {**pod, "containers": [main, *pod["containers"][1:]], **({"volumes": volumes} if volumes else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _labels(cluster: str, group: str, role: str, given: Mapping[str, Tree]) -> dict[str, Tree]:
    own: dict[str, Tree] = {
        "ray.io/is-ray-node": "yes",
        "ray.io/cluster": cluster,
        "ray.io/node-type": role,
        "ray.io/group": group,
        "ray.io/identifier": kuberay_names.label(f"{cluster}-{role}"),
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }
    return {**own, **{key: value for key, value in given.items() if key not in _FIXED}}


def _waiting(main: Tree) -> Tree:
    """The init container in which a worker waits for the head."""
    amounts = {"cpu": "200m", "memory": "256Mi"}
    copied = {key: main[key] for key in ("image", "imagePullPolicy", "securityContext", "env", "volumeMounts") if key in main}
    resources = {"limits": amounts, "requests": amounts}
    return {"name": _WAIT, "command": _SHELL, "args": [SCRIPT], "resources": resources, **copied}


def _with_folder(container: Tree, volumes: list[Tree], name: str, path: str, medium: str) -> tuple[dict[str, Tree], list[Tree]]:
    """`addEmptyDir`."""
    mounts = [*(container.get("volumeMounts") or ())]
    if any(one.get("mountPath") == path for one in mounts):
        return container, volumes
    if not any(one.get("name") == name for one in volumes):
        folder: dict[str, Tree] = {"medium": medium} if medium else {}
        resources = container.get("resources") or {}
        sizes = [amounts["memory"] for key in ("limits", "requests") if "memory" in (amounts := resources.get(key) or {})]
        if medium and sizes:
            folder["sizeLimit"] = sizes[0]
        volumes = [*volumes, {"name": name, "emptyDir": folder}]
    return {**container, "volumeMounts": [*mounts, {"name": name, "mountPath": path}]}, volumes


def _with_variables(cluster: Tree, main: Tree, role: str, command: str) -> dict[str, Tree]:
    port, address = kuberay_start.head_port(cluster), "127.0.0.1"
    if role == WORKER:
        address = host(cluster)
        pair = ({"name": "FQ_RAY_IP", "value": address}, {"name": "RAY_IP", "value": address.partition(".")[0]})
        main = with_env(main, *pair)
    for name, field in (
        ("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']"),
        ("RAY_CLOUD_INSTANCE_ID", "metadata.name"),
        ("RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']"),
    ):
        main = with_env(main, {"name": name, "valueFrom": {"fieldRef": {"fieldPath": field}}})
    main = with_env(main, {"name": "KUBERAY_GEN_RAY_START_CMD", "value": command})
    usage = {"RAY_PORT": port, "RAY_ADDRESS": f"{address}:{port}", "RAY_USAGE_STATS_KUBERAY_IN_USE": "1"}
    main = with_env(main, *({"name": name, "value": value} for name, value in usage.items()), unless_set=True)
    if role == HEAD:
        creator = (cluster["metadata"].get("labels") or {}).get("ray.io/originated-from-crd", "RayCluster")
        tags = f"kuberay_version={VERSION};kuberay_crd={creator}"
        main = with_env(main, {"name": "RAY_USAGE_STATS_EXTRA_TAGS", "value": tags})
    return with_env(main, {"name": "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "value": "1"}, unless_set=True)


def _with_probes(main: Tree, role: str) -> Tree:
    times = {"timeoutSeconds": 5 if role == HEAD else 2, "successThreshold": 1}
    action = {"exec": {"command": ["bash", "-c", SCRIPT]}}
    return {
        **main,
        "livenessProbe": main.get("livenessProbe")
        or {**action, **times, "initialDelaySeconds": 30, "periodSeconds": 5, "failureThreshold": 120},
        "readinessProbe": main.get("readinessProbe")
        or {**action, **times, "initialDelaySeconds": 10, "periodSeconds": 5, "failureThreshold": 10},
    }
