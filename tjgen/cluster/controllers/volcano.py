"""A Volcano Job -> its PodGroup, its pods, and the objects of its plugins.

Upstream: volcano v1.15 `pkg/controllers/job/job_controller_util.go:createJobPod` and `job_controller_actions.go:initiateJob`. The
plugins run in the order of a Go map, here sorted by name. The pods follow when the PodGroup may enter its queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tjgen.cluster.controllers import volcano_objects, volcano_plugins
from tjgen.cluster.controllers.series import Series, metadata_of, owned_by, single, uid_of
from tjgen.cluster.controllers.volcano_defaults import with_job_defaults
from tjgen.cluster.controllers.volcano_gang import pod_group
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.placeholders import RANDOM

MANAGER = "volcano"
_DOMAIN = "volcano.sh/"
_GROUP = "scheduling.k8s.io/group-name"
_COPIED_LABELS = ("preemptable", "cooldown-time")
_COPIED_ANNOTATIONS = (*_COPIED_LABELS, "revocable-zone")


def create(job: Tree) -> Iterator[Series]:
    """The objects in the order in which the controller creates them."""
    job = with_job_defaults(job)
    for tree in volcano_objects.objects(job):
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
