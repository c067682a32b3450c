"""A built-in kind -> the checks of the API server beyond its types and metadata.

A module is loaded when a manifest of its kind comes by: checking a ConfigMap does not read what is known of Pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.fault import Fault
from tjgen.trees.typing import Any

_CHECKS = {
    "v1/ConfigMap": "contents:config_map",
    "v1/Pod": "pods:faults",
    "v1/LimitRange": "quotas:limit_range",
    "v1/Namespace": "contents:namespace",
    "v1/PersistentVolume": "storage:persistent_volume",
    "v1/PersistentVolumeClaim": "claims:faults",
    "v1/PodTemplate": "workloads:pod_template",
    "v1/ResourceQuota": "quotas:resource_quota",
    "v1/Secret": "contents:secret",
    "v1/Service": "services:service",
    "apps/v1/DaemonSet": "workloads:daemon_set",
    "apps/v1/Deployment": "workloads:deployment",
    "apps/v1/ReplicaSet": "workloads:replica_set",
    "apps/v1/StatefulSet": "workloads:stateful_set",
    "batch/v1/CronJob": "cron:faults",
    "batch/v1/Job": "jobs:faults",
    "coordination.k8s.io/v1/Lease": "leases:lease",
    "networking.k8s.io/v1/NetworkPolicy": "networks:network_policy",
    "node.k8s.io/v1/RuntimeClass": "runtimes:runtime_class",
    "policy/v1/PodDisruptionBudget": "policies:pod_disruption_budget",
    "rbac.authorization.k8s.io/v1/ClusterRole": "access:cluster_role",
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding": "access:cluster_role_binding",
    "rbac.authorization.k8s.io/v1/Role": "access:role",
    "rbac.authorization.k8s.io/v1/RoleBinding": "access:role_binding",
    "resource.k8s.io/v1/DeviceClass": "devices:device_class",
    "resource.k8s.io/v1/ResourceClaim": "devices:claim",
    "resource.k8s.io/v1/ResourceClaimTemplate": "devices:claim_template",
    "scheduling.k8s.io/v1/PriorityClass": "policies:priority_class",
    "storage.k8s.io/v1/StorageClass": "storage:storage_class",
}
"""apiVersion and kind -> module and function."""

_PLAIN = ("v1/ServiceAccount",)
"""Kinds of which the server checks nothing but types and metadata."""


def is_whole(api_version: str, kind: str) -> bool:
    """Whether everything is checked of a built-in kind that the server checks, and not its types alone."""
    key = f"{api_version}/{kind}"
    return key in _CHECKS or key in _PLAIN


def faults(api_version: str, kind: str, tree: dict[str, Any]) -> Iterator[Fault]:
    """What the server has against a new object, decoded and without nulls, whose metadata is looked at elsewhere."""
    check = _CHECKS.get(f"{api_version}/{kind}")
    if check is not None:
        module, _, function = check.partition(":")
        yield from getattr(__import__(f"tjgen.cluster.validate.builtin.{module}", fromlist=[function]), function)(tree)
