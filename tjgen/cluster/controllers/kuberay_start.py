"""A RayCluster -> the command that starts Ray in a pod, and containers and variables that options of the cluster add.

Upstream: KubeRay v1.5.1 `controllers/ray/common/pod.go:setMissingRayStartParams`, `updateRayStartParamsResources`,
`generateRayStartCommand`, `convertParamMap`, `BuildAutoscalerContainer`, `configureGCSFaultTolerance` and `configureTokenAuth`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from tjgen.cluster.controllers.kuberay_names import own_name
from tjgen.cluster.controllers.series import uid_of
from tjgen.trees import regex
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.quantity import QuantityError, parse

STORAGE = "ray.io/external-storage-namespace"
_HEAD = "head"
_PORT = "6379"
_GPU = regex.compile(r"gpu\Z|nvidia\.com/mig-[0-9]+g\.[0-9]+gb\Z")
_ACCELERATORS = {"aws.amazon.com/neuroncore": "neuron_cores", "google.com/tpu": "TPU"}
_WITH_VALUE = ("log-color", "include-dashboard")
"""Options with a value that may be true or false. Other options with such a value are switches."""
_NANO = 10**9


def head_port(cluster: Tree) -> str:
    """The port of the head that workers connect to."""
    return str(get(cluster, ("spec", "headGroupSpec", "rayStartParams", "port"), None) or _PORT)


def params(group: Tree, role: str, address: str) -> dict[str, str]:
    """The options of `ray start` that do not depend on the resources of the container."""
    options: dict[str, str] = dict(group.get("rayStartParams") or {})
    options |= _of_resources(group.get("resources") or {})
    labels = group.get("labels") or {}
    if labels:
        options["labels"] = ",".join(f"{key}={labels[key]}" for key in sorted(labels))
    defaults = {"metrics-export-port": "8080", "dashboard-agent-listen-port": "52365"}
    defaults |= {"dashboard-host": "0.0.0.0"} if role == _HEAD else {"address": address}  # inside a pod
    return {**defaults, **options, "block": "true"}


def command(role: str, options: Mapping[str, str], resources: Tree) -> str:
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


def storage_namespace(cluster: Tree) -> str:
    """The namespace in Redis of a cluster whose head may restart."""
    of_options = get(cluster, ("spec", "gcsFaultToleranceOptions", "externalStorageNamespace"), None)
    return str(of_options or (cluster["metadata"].get("annotations") or {}).get(STORAGE) or uid_of(cluster))


def with_redis(cluster: Tree, container: Tree, options: dict[str, str]) -> dict[str, Tree]:
    """The head's container with the address of Redis and its credentials, which `options` refer to."""
    variable = {"name": "RAY_external_storage_namespace", "value": storage_namespace(cluster)}
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
