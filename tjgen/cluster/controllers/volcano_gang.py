"""A Volcano Job -> the PodGroup that its controller creates.

Upstream: volcano v1.15 pkg/controllers/job `createOrUpdatePodGroup`, `calcPGMinResources`; pkg/controllers/util
`GetPodQuotaUsage`. The name ends in the Job's uid, which is a placeholder here.
"""

from __future__ import annotations

from tjgen.cluster.controllers.series import metadata_of, owned_by, uid_of
from tjgen.cluster.kinds.volcano_job import VOLCANO_JOB
from tjgen.cluster.trainer.requests import pod_limits, pod_requests
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.quantity import Quantity, add, multiply, parse

_LIMITED = ("cpu", "memory", "ephemeral-storage")
_COPIED = ("queue", "priorityClassName", "networkTopology")


def pod_group(job: Tree) -> tuple[Tree, dict[FieldPath, FieldPath]]:
    """Return the PodGroup, and its fields with the fields of the Job that they are copied from.

    The group needs the minimum pods of each task and their total requests.
    """
    spec = job.get("spec") or {}
    least = {task["name"]: _least(task) for task in spec.get("tasks") or ()}
    together = spec.get("minAvailable") or sum(least.values())
    body: dict[str, Tree] = {"minMember": together, "minTaskMember": least}
    copied: dict[FieldPath, FieldPath] = {
        ("metadata", "name"): ("metadata", "name"),
        ("metadata", "namespace"): ("metadata", "namespace"),
        ("spec", "minMember"): ("spec", "minAvailable"),
        ("spec", "minTaskMember"): ("spec", "tasks"),
        ("spec", "minResources"): ("spec", "tasks"),
    }
    for field in _COPIED:
        if spec.get(field) is not None:
            body[field] = spec[field]
            copied[("spec", field)] = ("spec", field)
    body.setdefault("queue", "default")
    body["minResources"] = _least_resources(job, least, together)
    partitions = [_sub_group(task) for task in spec.get("tasks") or () if task.get("partitionPolicy") is not None]
    if partitions:
        body["subGroupPolicy"] = partitions
    metadata = metadata_of(job, f"{job['metadata']['name']}-{uid_of(job)}")
    for field in ("labels", "annotations"):
        if job["metadata"].get(field):
            metadata[field] = job["metadata"][field]
            copied[("metadata", field)] = ("metadata", field)
    metadata["ownerReferences"] = owned_by(job)
    return {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": body}, copied


def _least(task: Tree) -> int:
    if task.get("minAvailable") is not None:
        return int(task["minAvailable"])
    policy = task.get("partitionPolicy") or {}
    partitions = int(policy.get("minPartitions") or 0) * int(policy.get("partitionSize") or 0)
    return partitions or int(task.get("replicas") or 0)


def _sub_group(task: Tree) -> Tree:
    policy = task["partitionPolicy"]
    group: dict[str, Tree] = {
        "name": task["name"],
        "subGroupSize": policy.get("partitionSize", 0),
        "minSubGroups": policy.get("minPartitions", 0),
        "labelSelector": {"matchLabels": {"volcano.sh/task-spec": task["name"]}},
        "matchLabelKeys": ["volcano.sh/partition-id"],
    }
    return {**group, "networkTopology": policy["networkTopology"]} if policy.get("networkTopology") else group


def _least_resources(job: Tree, least: dict[str, int], together: int) -> Tree:
    """Return the requests of the first `together` pods: of each task its minimum, then the others, in the order of the tasks."""
    assert VOLCANO_JOB.run is not None, "a Volcano Job trains"
    assert VOLCANO_JOB.run.pods is not None, "a Volcano Job has pods"
    sets = list(VOLCANO_JOB.run.pods(job))
    whole = sum(least.values())
    taken = dict(least) if together >= whole else dict.fromkeys(least, 0)
    left = together - sum(taken.values())
    for pods in sets:
        more = min(left, pods.number - taken[pods.role])
        taken[pods.role] += more
        left -= more
    sums: dict[str, Quantity] = {}
    for pods in sets:
        for name, amount in _usage(pods.spec).items():
            product = multiply(amount, taken[pods.role])
            if taken[pods.role]:
                sums[name] = add(sums[name], product) if name in sums else product
    return {name: str(amount) for name, amount in sums.items()}


def _usage(pod: dict[str, Tree]) -> dict[str, Quantity]:
    """What one pod counts in a ResourceQuota: kubernetes v1.36 pkg/quota/v1/evaluator/core `PodUsageFunc`."""
    requests, limits = pod_requests(pod), pod_limits(pod)
    usage = {"count/pods": parse(1), "pods": parse(1)}
    for name, amount in requests.items():
        usage[name] = usage[f"requests.{name}"] = amount
    for name, amount in limits.items():
        if name in _LIMITED:
            usage[f"limits.{name}"] = amount
    return usage
