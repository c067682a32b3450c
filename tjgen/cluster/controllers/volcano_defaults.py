"""A Volcano Job -> the Job with what Volcano's mutating webhook writes when the Job is created.

Upstream: volcano `pkg/webhooks/admission/jobs/mutate/mutate_job.go:createPatch`. The webhook is not called for updates. Lists of
a Volcano Job have no keys, so an apply replaces all tasks: a default that the manifest leaves out of a task counts as a change.
"""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath, Tree, get, with_value
from tjgen.trees.typing import Any

RETRIES = 3
"""`defaultMaxRetry`, of the Job and of each task."""
TOLERATED: tuple[FieldPath, ...] = (("minAvailable",), ("template", "metadata"))
"""Defaults of a task that an update may leave out. A server-side apply shows them as a difference."""
_NEEDS_SERVICE = ("tensorflow", "mpi", "pytorch", "ray")


def with_job_defaults(tree: dict[str, Any]) -> dict[str, Any]:
    """The Job as it is stored; `tree` has the defaults of its schema."""
    spec = tree.get("spec") or {}
    tasks = [with_task_defaults(task, position) for position, task in enumerate(spec.get("tasks") or ())]
    filled = {
        **spec,
        "queue": spec.get("queue") or "default",
        "schedulerName": spec.get("schedulerName") or "volcano",
        "maxRetry": spec.get("maxRetry") or RETRIES,
        "minAvailable": spec.get("minAvailable") or sum(task["minAvailable"] for task in tasks),
    }
    if tasks:
        filled["tasks"] = tasks
    if spec.get("plugins") is not None:
        filled["plugins"] = _plugins(spec["plugins"])
    return {**tree, "spec": filled}


def with_task_defaults(task: dict[str, Any], position: int) -> dict[str, Any]:
    """The task at `position` (from 0) as it is stored."""
    filled = dict(task)
    for path, value in task_defaults(task, position):
        filled = with_value(filled, path, value)
    return filled


def task_defaults(task: dict[str, Any], position: int) -> list[tuple[FieldPath, Tree]]:
    """The fields that the webhook adds to the task at `position` (from 0), each with its value."""
    policy = task.get("partitionPolicy") or {}
    defaults: list[tuple[FieldPath, Tree]] = []
    if not task.get("name"):
        defaults.append((("name",), f"default{position}"))
    if task.get("minAvailable") is None:
        least = policy.get("minPartitions", 0) * policy.get("partitionSize", 0) or task.get("replicas") or 0
        defaults.append((("minAvailable",), least))
    if not task.get("maxRetry"):
        defaults.append((("maxRetry",), RETRIES))
    if get(task, ("template", "metadata"), None) is None and task.get("template") is not None:
        defaults.append((("template", "metadata"), {}))
    pod: Tree = get(task, ("template", "spec"), None) or {}
    if pod.get("hostNetwork") and not pod.get("dnsPolicy"):
        defaults.append((("template", "spec", "dnsPolicy"), "ClusterFirstWithHostNet"))
    return defaults


def _plugins(given: dict[str, Any]) -> dict[str, Any]:
    added: dict[str, Any] = {"svc": []} if any(name in given for name in _NEEDS_SERVICE) else {}
    if "mpi" in given:
        added["ssh"] = []
    return {**added, **given}
