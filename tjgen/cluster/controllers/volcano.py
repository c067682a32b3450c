"""A Volcano Job -> its PodGroup, its pods, and the objects of its plugins.

Upstream: volcano v1.15 `pkg/controllers/job/job_controller_util.go:createJobPod` and `job_controller_actions.go:initiateJob`. The
plugins run in the order of a Go map, here sorted by name. The pods follow when the PodGroup may enter its queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.controllers import volcano_plugins
from tjgen.cluster.controllers.series import Series, metadata_of, owned_by, single, uid_of
from tjgen.cluster.kinds.volcano_job import VOLCANO_JOB
from tjgen.cluster.trainer.requests import pod_limits, pod_requests
from tjgen.trees.fields.path import FieldPath, Tree, get, with_value
from tjgen.trees.k8s.placeholders import RANDOM
from tjgen.trees.k8s.quantity import Quantity, add, multiply, parse
from tjgen.trees.typing import Any

MANAGER = "volcano"
_DOMAIN = "volcano.sh/"
_GROUP = "scheduling.k8s.io/group-name"
_COPIED_LABELS = ("preemptable", "cooldown-time")
_COPIED_ANNOTATIONS = (*_COPIED_LABELS, "revocable-zone")


def create(job: Tree) -> Iterator[Series]:
    """The objects in the order in which the controller creates them."""
    job = with_job_defaults(job)
    for tree in volcano_plugins.objects(job):
        yield single(MANAGER, tree)
    for volume in job["spec"].get("volumes") or ():
        if not volume.get("volumeClaimName") and volume.get("volumeClaim"):
            metadata = {**metadata_of(job, _claim_name(job, volume)), "ownerReferences": owned_by(job)}
            spec = volume["volumeClaim"]
            yield single(MANAGER, {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec})
    group, copied = pod_group(job)
    yield single(MANAGER, group)._replace(copied=copied)
    for position, task in enumerate(job["spec"].get("tasks") or ()):
        path: FieldPath = ("spec", "tasks", position, "template")
        prefix = f"{job['metadata']['name']}-{task['name']}"
        yield Series(MANAGER, prefix, int(task.get("replicas") or 0), _pods(job, task), path)


def _pods(job: Tree, task: Tree) -> Callable[[int], Tree]:
    def build(index: int) -> Tree:
        template = task.get("template") or {}
        given = template.get("metadata") or {}
        metadata = metadata_of(job, f"{job['metadata']['name']}-{task['name']}-{index}")
        metadata["labels"] = {**(given.get("labels") or {}), **_labels(job, task, index)}
        metadata["annotations"] = {**(given.get("annotations") or {}), **_annotations(job, task, index)}
        metadata["ownerReferences"] = owned_by(job)
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": _spec(job, template.get("spec") or {})}
        return volcano_plugins.complete(job, pod, str(task["name"]), index)

    return build


def _labels(job: Tree, task: Tree, index: int) -> dict[str, str]:
    labels = {**_common(job, task, index), f"{_DOMAIN}job-namespace": job["metadata"].get("namespace", "")}
    policy = task.get("partitionPolicy")
    if policy is not None:
        size = int(policy.get("partitionSize") or 0)
        labels[f"{_DOMAIN}partition-id"] = str(index // size if size > 0 else 0)
    return labels | _copied(job, "labels", _COPIED_LABELS)


def _annotations(job: Tree, task: Tree, index: int) -> dict[str, str]:
    name = job["metadata"]["name"]
    annotations = {
        **_common(job, task, index),
        _GROUP: f"{name}-{uid_of(job)}",
        f"{_DOMAIN}job-version": "0",
        f"{_DOMAIN}template-uid": f"{name}-{task['name']}",
        f"{_DOMAIN}job-retry-count": "0",
    }
    if task.get("topologyPolicy"):
        annotations[f"{_DOMAIN}numa-topology-policy"] = task["topologyPolicy"]
    annotations |= _copied(job, "annotations", _COPIED_ANNOTATIONS)
    # Volcano reads the first budget for disruptions of a Job.
    budget = _copied(job, "annotations", ("jdb-min-available", "jdb-max-unavailable"))
    return annotations | dict(list(budget.items())[:1])


def _common(job: Tree, task: Tree, index: int) -> dict[str, str]:
    values = {"task-index": str(index), "task-spec": task["name"], "job-name": job["metadata"]["name"]}
    return {f"{_DOMAIN}{key}": value for key, value in {**values, "queue-name": job["spec"].get("queue", "")}.items()}


def _copied(job: Tree, field: str, keys: tuple[str, ...]) -> dict[str, str]:
    given = job["metadata"].get(field) or {}
    return {key: given[key] for key in (f"{_DOMAIN}{one}" for one in keys) if key in given}


def _spec(job: Tree, given: Tree) -> Tree:
    spec = dict(given)
    spec["schedulerName"] = given.get("schedulerName") or job["spec"].get("schedulerName")
    if job["spec"].get("priorityClassName") and not given.get("priorityClassName"):
        spec["priorityClassName"] = job["spec"]["priorityClassName"]
    claims: dict[str, str] = {}
    for volume in job["spec"].get("volumes") or ():
        claims.setdefault(volume.get("volumeClaimName") or _claim_name(job, volume), volume["mountPath"])
    for number, (claim, path) in enumerate(claims.items()):
        name = f"{job['metadata']['name']}-{RANDOM}{number or ''}"
        spec["volumes"] = [*(spec.get("volumes") or ()), {"name": name, "persistentVolumeClaim": {"claimName": claim}}]
        mount = {"mountPath": path, "name": name}
        spec["containers"] = [{**one, "volumeMounts": [*(one.get("volumeMounts") or ()), mount]} for one in spec["containers"]]
    return spec


def _claim_name(job: Tree, volume: Tree) -> str:
    """The name of a claim, with the position of its volume instead of the random characters."""
    return f"{job['metadata']['name']}-pvc-{RANDOM}{job['spec']['volumes'].index(volume) or ''}"


# A Volcano Job -> the Job with what Volcano's mutating webhook writes when the Job is created.
#
# Upstream: volcano `pkg/webhooks/admission/jobs/mutate/mutate_job.go:createPatch`. The webhook is not called for updates. Lists
# of a Volcano Job have no keys, so an apply replaces all tasks: a default that the manifest leaves out of a task counts as a
# change.

_RETRIES = 3
"""`defaultMaxRetry`, of the Job and of each task."""
TOLERATED: tuple[FieldPath, ...] = (("minAvailable",), ("template", "metadata"))
"""Defaults of a task that an update may leave out. A server-side apply shows them as a difference."""
_NEEDS_SERVICE = ("tensorflow", "mpi", "pytorch", "ray")


def with_job_defaults(tree: dict[str, Any]) -> dict[str, Any]:
    """The Job as it is stored; `tree` has the defaults of its schema."""
    spec = tree.get("spec") or {}
    tasks = [_with_task_defaults(task, position) for position, task in enumerate(spec.get("tasks") or ())]
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


def _with_task_defaults(task: dict[str, Any], position: int) -> dict[str, Any]:
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
        defaults.append((("maxRetry",), _RETRIES))
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


# A Volcano Job -> the PodGroup that its controller creates.
#
# Upstream: volcano v1.15 pkg/controllers/job `createOrUpdatePodGroup`, `calcPGMinResources`; pkg/controllers/util
# `GetPodQuotaUsage`. The name ends in the Job's uid, which is a placeholder here.

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
