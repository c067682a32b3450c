"""A RayCluster -> its head pod, and the pod of a group of workers.

Upstream: KubeRay v1.5.1 `controllers/ray/common/pod.go:DefaultHeadPodTemplate`, `DefaultWorkerPodTemplate`, `BuildPod`,
`setContainerEnvVars`, `initLivenessAndReadinessProbe`, in this order. The first container is the one of Ray.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from tjgen.cluster.controllers.series import copied_metadata, metadata_of, owned_by, uid_of
from tjgen.trees import regex
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.placeholders import SCRIPT
from tjgen.trees.k8s.quantity import QuantityError, parse

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
    params = _start_params(spec, HEAD, address="")
    if is_autoscaled(cluster):
        params["no-monitor"] = "true"
        pod["serviceAccountName"] = own_name(service_account(cluster))
        pod["containers"].append(autoscaler(cluster, given["containers"][0].get("image")))
        if _is_second_version(cluster):
            pod["containers"][0] = with_env(pod["containers"][0], {"name": "RAY_enable_autoscaler_v2", "value": "true"})
            pod["restartPolicy"] = "Never"
    annotations: dict[str, Tree] = {_FAULT_TOLERANT: "false"}
    if _is_fault_tolerant(cluster):
        annotations = {_FAULT_TOLERANT: "true", _STORAGE: _storage_namespace(cluster)}
        pod["containers"][0] = _with_redis(cluster, pod["containers"][0], params)
    return _built(cluster, spec, pod, HEAD, params, annotations)


def worker(cluster: Tree, group: Tree) -> Tree:
    """A pod of a group of workers."""
    given = get(group, ("template", "spec"))
    port = _head_port(cluster)
    pod: dict[str, Tree] = {**given, "containers": list(given["containers"])}
    pod["initContainers"] = [*(given.get("initContainers") or ()), _waiting(given["containers"][0])]
    params = _start_params(group, WORKER, address=f"{host(cluster)}:{port}")
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
    metadata["generateName"] = _pod_prefix(prefix, role)
    metadata["labels"] = _labels(name, group_name, role, {**(metadata.get("labels") or {}), **(group.get("labels") or {})})
    is_kept = str((cluster["metadata"].get("annotations") or {}).get(_OVERWRITE, "")).lower() == "true"
    overwrite: dict[str, Tree] = {_OVERWRITE: "true"} if is_kept else {}
    annotations = {**(metadata.get("annotations") or {}), **overwrite, **annotations}
    main = dict(pod["containers"][0])
    if not any(one.get("name") == "metrics" for one in main.get("ports") or ()):
        main["ports"] = [*(main.get("ports") or ()), _METRICS]
    if has_token(cluster):
        main = with_token(cluster, main)
        pod["initContainers"] = [
            with_token(cluster, one) if one["name"] == _WAIT else one for one in pod.get("initContainers") or ()
        ]
    main, volumes = _with_folder(main, pod.get("volumes") or [], "shared-mem", "/dev/shm", "Memory")
    if role == HEAD and is_autoscaled(cluster):
        main, volumes = _with_folder(main, volumes, "ray-logs", _LOGS, "")
        others = [
            _with_folder(one, volumes, "ray-logs", _LOGS, "")[0] if one["name"] == "autoscaler" else one
            for one in pod["containers"][1:]
        ]
        pod["containers"] = [main, *others]
    command = _start_command(role, params, main.get("resources") or {})
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
        "ray.io/identifier": label(f"{cluster}-{role}"),
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
    port, address = _head_port(cluster), "127.0.0.1"
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


# A name -> the names that KubeRay derives from it.
#
# Upstream: KubeRay v1.5.1 `controllers/ray/utils/util.go:GenerateRayClusterName`, `PodName`, `CheckName`, `CheckLabel`.

_RANDOM = "xxxxx"
_LONGEST_PREFIX = 50
_LONGEST_LABEL = 63


def with_random(name: str) -> str:
    """The name with five random characters, as the operator names a RayCluster and the submission of a program."""
    return f"{name}-{_RANDOM}"


def _pod_prefix(name: str, role: str) -> str:
    """The prefix of the names of pods: the first 50 characters, and the role."""
    return f"{name[:_LONGEST_PREFIX]}-{role}-".lower()


def own_name(name: str) -> str:
    """The name of an account or a secret: the last 50 characters, which begin with a letter."""
    return _with_letter(name[-_LONGEST_PREFIX:], is_name=True)


def label(value: str) -> str:
    """The value of a label: the last 63 characters."""
    return _with_letter(value[-_LONGEST_LABEL:], is_name=False)


def _with_letter(text: str, *, is_name: bool) -> str:
    is_wrong = text[:1] in ("-", ".", "_") or (is_name and text[:1].isdigit())
    return f"r{text[1:]}" if is_wrong else text


# A RayCluster -> the command that starts Ray in a pod, and containers and variables that options of the cluster add.
#
# Upstream: KubeRay v1.5.1 `controllers/ray/common/pod.go:setMissingRayStartParams`, `updateRayStartParamsResources`,
# `generateRayStartCommand`, `convertParamMap`, `BuildAutoscalerContainer`, `configureGCSFaultTolerance` and
# `configureTokenAuth`.

_STORAGE = "ray.io/external-storage-namespace"
_HEAD = "head"
_PORT = "6379"
_GPU = regex.compile(r"gpu\Z|nvidia\.com/mig-[0-9]+g\.[0-9]+gb\Z")
_ACCELERATORS = {"aws.amazon.com/neuroncore": "neuron_cores", "google.com/tpu": "TPU"}
_WITH_VALUE = ("log-color", "include-dashboard")
"""Options with a value that may be true or false. Other options with such a value are switches."""
_NANO = 10**9


def _head_port(cluster: Tree) -> str:
    """The port of the head that workers connect to."""
    return str(get(cluster, ("spec", "headGroupSpec", "rayStartParams", "port"), None) or _PORT)


def _start_params(group: Tree, role: str, address: str) -> dict[str, str]:
    """The options of `ray start` that do not depend on the resources of the container."""
    options: dict[str, str] = dict(group.get("rayStartParams") or {})
    options |= _of_resources(group.get("resources") or {})
    labels = group.get("labels") or {}
    if labels:
        options["labels"] = ",".join(f"{key}={labels[key]}" for key in sorted(labels))
    defaults = {"metrics-export-port": "8080", "dashboard-agent-listen-port": "52365"}
    defaults |= {"dashboard-host": "0.0.0.0"} if role == _HEAD else {"address": address}  # inside a pod
    return {**defaults, **options, "block": "true"}


def _start_command(role: str, options: Mapping[str, str], resources: Tree) -> str:
    """The command that starts Ray in a container with these resources."""
    options = dict(options)
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    cpu = next((one for amounts in (limits, requests) if (one := _whole(amounts.get("cpu", 0)))), 0)
    if cpu:
        options.setdefault("num-cpus", str(cpu))
    if _whole(limits.get("memory", 0)):
        options.setdefault("memory", str(_whole(limits["memory"])))
    _add_accelerators(options, limits)
    return f"ray start {'--head ' if role == _HEAD else ''}{''.join(_flag(name, options[name]) for name in sorted(options))}"


def _flag(name: str, value: str) -> str:
    if value.lower() in ("true", "false") and name not in _WITH_VALUE:
        return f" --{name} " if value.lower() == "true" else ""
    return f" --{name}={value} "


def _of_resources(resources: Mapping[str, Tree]) -> dict[str, str]:
    options: dict[str, str] = {}
    others: dict[str, float] = {}
    for name, amount in resources.items():
        try:
            quantity = parse(amount)
        except QuantityError:
            continue  # The operator logs it and goes on.
        lower = name.lower()
        option = {"cpu": "num-cpus", "memory": "memory"}.get(lower) or ("num-gpus" if _GPU.search(lower) else "")
        if option:
            options[option] = str(quantity.value)
        else:
            others[name] = quantity.nanos / _NANO
    if others:
        options["resources"] = _as_json(others)
    return options


def _add_accelerators(options: dict[str, str], limits: Mapping[str, Tree]) -> None:
    """The first resource that is a GPU, and the first one that Ray has a name for."""
    try:
        known: dict[str, float] = json.loads(options["resources"].strip("'\"` ")) if "resources" in options else {}
    except ValueError:
        return  # The operator logs it and starts Ray without.
    has_accelerator = bool(set(_ACCELERATORS.values()) & set(known))
    for name in sorted(limits):
        amount = _whole(limits[name])
        if amount and _GPU.search(name):
            options.setdefault("num-gpus", str(amount))
        if name in _ACCELERATORS and amount and not has_accelerator:
            known[_ACCELERATORS[name]] = parse(limits[name]).nanos / _NANO
            options["resources"] = _as_json(known)
            has_accelerator = True


def _as_json(amounts: Mapping[str, float]) -> str:
    whole = {name: int(one) if one == int(one) else one for name, one in sorted(amounts.items())}
    return f"'{json.dumps(whole, separators=(',', ':'), ensure_ascii=False)}'"


def _whole(amount: Tree) -> int:
    return parse(amount).value


def with_env(container: Tree, *variables: Tree, unless_set: bool = False) -> dict[str, Tree]:
    """The container with more variables; with `unless_set`, only those that it does not have."""
    env = [*(container.get("env") or ())]
    known = {one["name"] for one in env} if unless_set else ()
    return {**container, "env": [*env, *[one for one in variables if one["name"] not in known]]}


def autoscaler(cluster: Tree, image: Tree) -> dict[str, Tree]:
    """The container of Ray's autoscaler in the head pod, with the settings of the cluster."""
    given = cluster["spec"].get("autoscalerOptions") or {}
    amounts = {"cpu": "500m", "memory": "512Mi"}
    fields = {
        "RAY_CLUSTER_NAME": "metadata.labels['ray.io/cluster']",
        "RAY_CLUSTER_NAMESPACE": "metadata.namespace",
        "RAY_HEAD_POD_NAME": "metadata.name",
    }
    env: list[Tree] = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in fields.items()]
    container: dict[str, Tree] = {
        "name": "autoscaler",
        "imagePullPolicy": "IfNotPresent",
        "env": [*env, {"name": "KUBERAY_CRD_VER", "value": "v1"}],
        "command": ["/bin/bash", "-c", "--"],
        "args": ["ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace $(RAY_CLUSTER_NAMESPACE)"],
        "resources": {"limits": amounts, "requests": amounts},
        **({"image": image} if image is not None else {}),
    }
    if has_token(cluster):
        container = with_token(cluster, container)
    container |= {key: given[key] for key in ("resources", "image", "imagePullPolicy", "securityContext") if key in given}
    for key in ("env", "envFrom", "volumeMounts"):
        if given.get(key):
            container[key] = [*(container.get(key) or ()), *given[key]]
    return container


def has_token(cluster: Tree) -> bool:
    """Whether the programs of the cluster authenticate with a token."""
    return bool(get(cluster, ("spec", "authOptions", "mode"), None) == "token")


def with_token(cluster: Tree, container: Tree) -> dict[str, Tree]:
    """The container with the token of the cluster."""
    key = {"secretKeyRef": {"name": own_name(cluster["metadata"]["name"]), "key": "auth_token"}}
    return with_env(container, {"name": "RAY_AUTH_MODE", "value": "token"}, {"name": "RAY_AUTH_TOKEN", "valueFrom": key})


def _storage_namespace(cluster: Tree) -> str:
    """The namespace in Redis of a cluster whose head may restart."""
    of_options = get(cluster, ("spec", "gcsFaultToleranceOptions", "externalStorageNamespace"), None)
    return str(of_options or (cluster["metadata"].get("annotations") or {}).get(_STORAGE) or uid_of(cluster))


def _with_redis(cluster: Tree, container: Tree, options: dict[str, str]) -> dict[str, Tree]:
    """The head's container with the address of Redis and its credentials, which `options` refer to."""
    variable = {"name": "RAY_external_storage_namespace", "value": _storage_namespace(cluster)}
    filled = with_env(container, variable, unless_set=True)
    given: Tree = cluster["spec"].get("gcsFaultToleranceOptions")
    if given is None:
        password = options.get("redis-password")
        extra = [{"name": "REDIS_PASSWORD", "value": password}] if password is not None else []
        return with_env(filled, *extra, unless_set=True)
    filled = with_env(filled, {"name": "RAY_REDIS_ADDRESS", "value": given.get("redisAddress", "")})
    for field, name in (("redisUsername", "REDIS_USERNAME"), ("redisPassword", "REDIS_PASSWORD")):
        if given.get(field) is not None:
            options[name.lower().replace("_", "-")] = f"${name}"
            filled = with_env(filled, {"name": name, **given[field]})
    return filled
