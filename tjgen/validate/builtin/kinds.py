"""A built-in kind -> the checks that the API server makes of it beyond its types and metadata.

A module is loaded when a manifest of its kind comes by: checking a ConfigMap does not read what is known of Pods.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tjgen.typing import Any
from tjgen.validate.fault import Fault

_CHECKS = {
    "v1/Pod": "pods:faults",
    "v1/PersistentVolumeClaim": "claims:faults",
    "v1/PodTemplate": "workloads:pod_template",
    "apps/v1/DaemonSet": "workloads:daemon_set",
    "apps/v1/Deployment": "workloads:deployment",
    "apps/v1/ReplicaSet": "workloads:replica_set",
    "apps/v1/StatefulSet": "workloads:stateful_set",
    "batch/v1/CronJob": "cron:faults",
    "batch/v1/Job": "jobs:faults",
}
"""apiVersion and kind -> module and function; kinds that are not named have nothing more to check."""


def faults(api_version: str, kind: str, tree: dict[str, Any]) -> Iterator[Fault]:
    """What the server has against a new object, decoded and without nulls, whose metadata is looked at elsewhere."""
    check = _CHECKS.get(f"{api_version}/{kind}")
    if check is not None:
        module, _, function = check.partition(":")
        yield from getattr(import_module(f"tjgen.validate.builtin.{module}"), function)(tree)
