"""A Volcano Job -> the Job with what Volcano's mutating webhook writes into a new one.

Upstream: volcano `pkg/webhooks/admission/jobs/mutate/mutate_job.go:createPatch`.
"""

from __future__ import annotations

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

_RETRIES = 3
_NEEDS_SERVICE = ("tensorflow", "mpi", "pytorch", "ray")


def with_job_defaults(tree: dict[str, Any]) -> dict[str, Any]:
    """The Job as it is stored, whose schema's defaults are there already."""
    spec = tree.get("spec") or {}
    tasks = [_task(task, position) for position, task in enumerate(spec.get("tasks") or ())]
    filled = {
        **spec,
        "queue": spec.get("queue") or "default",
        "schedulerName": spec.get("schedulerName") or "volcano",
        "maxRetry": spec.get("maxRetry") or _RETRIES,
        "minAvailable": spec.get("minAvailable") or sum(task["minAvailable"] for task in tasks),
    }
    if tasks:
        filled["tasks"] = tasks
    if spec.get("plugins") is not None:
        filled["plugins"] = _plugins(spec["plugins"])
    return {**tree, "spec": filled}


def _task(task: dict[str, Any], position: int) -> dict[str, Any]:
    policy = task.get("partitionPolicy") or {}
    replicas = task.get("replicas") or 0
    least = policy.get("minPartitions", 0) * policy.get("partitionSize", 0) or replicas
    filled = {
        **task,
        "name": task.get("name") or f"default{position}",
        "minAvailable": least if task.get("minAvailable") is None else task["minAvailable"],
        "maxRetry": task.get("maxRetry") or _RETRIES,
    }
    template: Tree = task.get("template") or {}
    pod: Tree = template.get("spec") or {}
    if pod.get("hostNetwork") and not pod.get("dnsPolicy"):
        filled["template"] = {**template, "spec": {**pod, "dnsPolicy": "ClusterFirstWithHostNet"}}
    return filled


def _plugins(given: dict[str, Any]) -> dict[str, Any]:
    added: dict[str, Any] = {"svc": []} if any(name in given for name in _NEEDS_SERVICE) else {}
    if "mpi" in given:
        added["ssh"] = []
    return {**added, **given}
