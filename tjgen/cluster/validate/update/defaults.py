"""A decoded object of a built-in kind -> the object with the server's defaults.

Mirrors kubernetes 1.36 `pkg/apis/*/v1/defaults.go`: each `SetDefaults_X` is a function over the struct X, called from the
from the outside in. Fields that only pods have are in `pod_defaults`.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.validate.update import pod_defaults
from tjgen.cluster.validate.update.fill import Struct, filled, pointed
from tjgen.cluster.validate.update.shape import LIST, MAP, STRUCT, fields
from tjgen.trees.fields.path import Tree

_RBAC = "rbac.authorization.k8s.io"
_ROLLING = "RollingUpdate"


def with_defaults(tree: Struct, name: str) -> Struct:
    """The struct `name` with defaults, its own first and then those of what is in it."""
    rule = _DEFAULTS.get(name)
    own = rule(tree) if rule is not None else tree
    known = fields(name)
    # A struct that is embedded by value always exists and has its defaults.
    structs: Struct = {
        key: {} for key, field in known.items() if field.form == STRUCT and not field.is_pointer and key != "metadata"
    }
    given = structs | own
    return {key: _below(value, known[key].form, known[key].type) if key in known else value for key, value in given.items()}


def _below(value: Tree, form: str, name: str) -> Tree:
    if value is None or not fields(name):
        return value
    if form == STRUCT:
        return with_defaults(value, name)
    if form == LIST:
        return [with_defaults(item, name) for item in value]
    return {key: with_defaults(item, name) for key, item in value.items()} if form == MAP else value


def _job(job: Struct) -> Struct:
    labels = job.get("spec", {}).get("template", {}).get("metadata", {}).get("labels")
    metadata = job.get("metadata", {})
    own = {"metadata": {**metadata, "labels": labels}} if labels and not metadata.get("labels") else {}
    return {**job, **own, "spec": _job_spec(job.get("spec", {}))}


def _job_spec(spec: Struct) -> Struct:
    counts = {} if "parallelism" in spec or "completions" in spec else {"completions": 1}
    return pointed(
        spec,
        **counts,
        parallelism=1,
        backoffLimit=6 if spec.get("backoffLimitPerIndex") is None else 2**31 - 1,
        completionMode="NonIndexed",
        suspend=False,
        podReplacementPolicy="TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed",
        manualSelector=False,
    )


def _cron_job(job: Struct) -> Struct:
    limits = {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1}
    return {**job, "spec": pointed(filled(job.get("spec", {}), concurrencyPolicy="Allow"), suspend=False, **limits)}


def _deployment(deployment: Struct) -> Struct:
    spec = pointed(deployment.get("spec", {}), replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600)
    strategy = filled(spec.get("strategy", {}), type=_ROLLING)
    if strategy["type"] == _ROLLING:
        strategy = {**strategy, "rollingUpdate": pointed(strategy.get("rollingUpdate", {}), maxUnavailable="25%", maxSurge="25%")}
    return {**deployment, "spec": {**spec, "strategy": strategy}}


def _daemon_set(daemon_set: Struct) -> Struct:
    spec = pointed(daemon_set.get("spec", {}), revisionHistoryLimit=10)
    strategy = filled(spec.get("updateStrategy", {}), type=_ROLLING)
    if strategy["type"] == _ROLLING:
        strategy = {**strategy, "rollingUpdate": pointed(strategy.get("rollingUpdate", {}), maxUnavailable=1, maxSurge=0)}
    return {**daemon_set, "spec": {**spec, "updateStrategy": strategy}}


def _stateful_set(stateful_set: Struct) -> Struct:
    spec = filled(pointed(stateful_set.get("spec", {}), replicas=1, revisionHistoryLimit=10), podManagementPolicy="OrderedReady")
    strategy = spec.get("updateStrategy", {})
    if not strategy.get("type"):
        strategy = {"rollingUpdate": {}, **strategy, "type": _ROLLING}
    if strategy["type"] == _ROLLING and strategy.get("rollingUpdate") is not None:
        strategy = {**strategy, "rollingUpdate": pointed(strategy["rollingUpdate"], partition=0)}
    retention = filled(spec.get("persistentVolumeClaimRetentionPolicy", {}), whenDeleted="Retain", whenScaled="Retain")
    own = {"updateStrategy": strategy, "persistentVolumeClaimRetentionPolicy": retention}
    return {**stateful_set, "spec": {**spec, **own}}


def _replica_set(replica_set: Struct) -> Struct:
    return {**replica_set, "spec": pointed(replica_set.get("spec", {}), replicas=1)}


def _service(service: Struct) -> Struct:
    spec = filled(service.get("spec", {}), sessionAffinity="None", type="ClusterIP")
    kind, affinity = spec["type"], spec["sessionAffinity"]
    if affinity == "None":
        spec = {key: value for key, value in spec.items() if key != "sessionAffinityConfig"}
    elif affinity == "ClientIP" and spec.get("sessionAffinityConfig", {}).get("clientIP", {}).get("timeoutSeconds") is None:
        spec = {**spec, "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}}
    if kind in ("LoadBalancer", "NodePort") or (kind == "ClusterIP" and spec.get("externalIPs")):
        spec = filled(spec, externalTrafficPolicy="Cluster")
    if kind in ("ClusterIP", "LoadBalancer", "NodePort"):
        spec = pointed(spec, internalTrafficPolicy="Cluster")
    if kind == "LoadBalancer":
        spec = pointed(spec, allocateLoadBalancerNodePorts=True)
    if "ports" in spec:
        spec = {**spec, "ports": [_service_port(port) for port in spec["ports"]]}
    return {**service, "spec": spec}


def _service_port(port: Struct) -> Struct:
    target = port.get("targetPort")
    return {**filled(port, protocol="TCP"), "targetPort": port.get("port", 0) if target in (None, 0, "") else target}


def _namespace(namespace: Struct) -> Struct:
    metadata = namespace.get("metadata", {})
    if not metadata.get("name"):
        return namespace
    labels = {**metadata.get("labels", {}), "kubernetes.io/metadata.name": metadata["name"]}
    return {**namespace, "metadata": {**metadata, "labels": labels}}


def _limit_range_item(item: Struct) -> Struct:
    if item.get("type") != "Container":
        return item
    default = {**item.get("max", {}), **item.get("default", {})}
    request = {**item.get("min", {}), **default, **item.get("defaultRequest", {})}
    return {**item, "default": default, "defaultRequest": request}


def _network_policy(policy: Struct) -> Struct:
    spec = policy.get("spec", {})
    if spec.get("policyTypes"):
        return policy
    return {**policy, "spec": {**spec, "policyTypes": ["Ingress", *(["Egress"] if spec.get("egress") else [])]}}


def _binding(binding: Struct) -> Struct:
    return {**binding, "roleRef": filled(binding.get("roleRef", {}), apiGroup=_RBAC)}


def _subject(subject: Struct) -> Struct:
    return filled(subject, apiGroup=_RBAC) if subject.get("kind") in ("Group", "User") else subject


def _device_request(request: Struct) -> Struct:
    request = filled(request, allocationMode="ExactCount")
    return {**request, "count": request.get("count") or 1} if request["allocationMode"] == "ExactCount" else request


def _volume(volume: Struct) -> Struct:
    spec = pointed(filled(volume.get("spec", {}), persistentVolumeReclaimPolicy="Retain"), volumeMode="Filesystem")
    return {**volume, "spec": spec}


_DEFAULTS: dict[str, Callable[[Struct], Struct]] = {
    **pod_defaults.DEFAULTS,
    "ClusterRoleBinding": _binding,
    "CronJob": _cron_job,
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "DeviceSubRequest": _device_request,
    "ExactDeviceRequest": _device_request,
    "Job": _job,
    "LimitRangeItem": _limit_range_item,
    "Namespace": _namespace,
    "NetworkPolicy": _network_policy,
    "NetworkPolicyPort": lambda port: pointed(port, protocol="TCP"),
    "PersistentVolume": _volume,
    "PersistentVolumeClaimSpec": lambda spec: pointed(spec, volumeMode="Filesystem"),
    "PodFailurePolicyOnPodConditionsPattern": lambda pattern: filled(pattern, status="True"),
    "PriorityClass": lambda tree: pointed(tree, preemptionPolicy="PreemptLowerPriority"),
    "ReplicaSet": _replica_set,
    "RoleBinding": _binding,
    "Secret": lambda secret: filled(secret, type="Opaque"),
    "Service": _service,
    "StatefulSet": _stateful_set,
    "StorageClass": lambda tree: pointed(tree, reclaimPolicy="Delete", volumeBindingMode="Immediate"),
    "Subject": _subject,
}
