"""A Volcano Job -> the PodGroup that its controller creates, for the preview.

Upstream: volcano v1.13 pkg/controllers/job `createOrUpdatePodGroup`, `calcPGMinResources`; pkg/controllers/util
`GetPodQuotaUsage`. The name ends in the Job's uid, which is a placeholder here.
"""

from __future__ import annotations

from tjgen.cluster.kinds.pods import pods_of
from tjgen.cluster.trainer.framework import PLACEHOLDER_UID
from tjgen.cluster.trainer.requests import pod_limits, pod_requests
from tjgen.compiler.targets.owners import owned_by
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.quantity import Quantity, add, multiply, parse
from tjgen.trees.manifests.manifest import PREVIEW, Manifest

MANAGER = "volcano"
_LIMITED = ("cpu", "memory", "ephemeral-storage")
_COPIED = ("queue", "priorityClassName", "networkTopology")


def pod_group(job: Manifest) -> Manifest:
    """Return the minimum pods of each task and their total requests."""
    spec = job.tree.get("spec") or {}
    least = {task["name"]: task.get("minAvailable", task.get("replicas", 0)) for task in spec.get("tasks") or ()}
    together = spec.get("minAvailable") or sum(least.values())
    wanted: dict[str, Tree] = {"minMember": together, "minTaskMember": least}
    owners: Owners = {
        (): (Origin(MANAGER, "tjgen"),),
        ("metadata", "name"): (Origin(MANAGER, "job", ("metadata", "name")),),
        ("metadata", "namespace"): (_copy("metadata", "namespace"),),
        ("spec", "minMember"): (_copy("spec", "minAvailable"),),
        ("spec", "minTaskMember"): (Origin(MANAGER, "job", ("spec", "tasks")),),
        ("spec", "minResources"): (Origin(MANAGER, "job", ("spec", "tasks")),),
    }
    for field in _COPIED:
        value = get(job.tree, ("spec", field), None)
        if value is not None:
            wanted[field] = value
            owners[("spec", field)] = (_copy("spec", field),)
    wanted.setdefault("queue", "default")
    wanted["minResources"] = _least_resources(job, least, together)
    metadata: dict[str, Tree] = {"name": f"{job.name}-{PLACEHOLDER_UID}", "namespace": job.namespace}
    for field in ("labels", "annotations"):
        if get(job.tree, ("metadata", field), None):
            metadata[field] = job.tree["metadata"][field]
            owners[("metadata", field)] = (_copy("metadata", field),)
    metadata["ownerReferences"] = owned_by(job)
    tree = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": metadata, "spec": wanted}
    return Manifest(tree, owners, PREVIEW)


def _copy(*path: str) -> Origin:
    because: FieldPath = path
    return Origin(MANAGER, "job", because, True)


def _least_resources(job: Manifest, least: dict[str, int], together: int) -> Tree:
    """Return the requests of the first `together` pods: of each task its minimum, then the others, in the order of the tasks."""
    sets = list(pods_of(job))
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
