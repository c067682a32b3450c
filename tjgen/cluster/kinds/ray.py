"""RayJob and RayCluster of KubeRay.

Upstream: KubeRay v1.5.1 `controllers/ray/utils/util.go:GetWorkerGroupDesiredReplicas`, and `rayjob_controller.go`, which creates
a RayCluster and a submitter once and ignores later changes of their templates.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import (
    COUNTED_FROM_START,
    MANAGED,
    ONE,
    SILENT,
    SUSPENDABLE,
    UNLISTED,
    Effect,
    Kind,
    Phases,
    Pods,
    RunFacts,
    takes_effect,
)
from tjgen.trees.fields.path import FieldPath, Step, Tree, get

TARGET = "rayjob"
API_VERSION = "ray.io/v1"
CLUSTER: FieldPath = ("spec", "rayClusterSpec")
SUBMITTER: FieldPath = ("spec", "submitterPodTemplate")
SELECTED_CLUSTER: FieldPath = ("spec", "clusterSelector", "ray.io/cluster")
HEAD, WORKERS, SUBMITS = "head", "workerGroupSpecs", "submitter"
_AT_ANY_TIME = ("suspend", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "backoffLimit", "deletionStrategy")
_ONCE = Effect(SILENT, "accepted, but the existing RayCluster and its pods stay unchanged; only a new attempt gets the change")


def is_submitted_by_job(job: Tree) -> bool:
    """Whether a Job of its own submits the program of a RayJob."""
    return bool((job["spec"].get("submissionMode") or "K8sJobMode") == "K8sJobMode")


def worker_pods(group: Tree) -> int:
    """The pods of a group of workers: within its bounds, and none of a suspended group."""
    if group.get("suspend"):
        return 0
    least, most = int(group.get("minReplicas") or 0), group.get("maxReplicas")
    wanted = max(int(group.get("replicas") or 0), least)
    return (wanted if most is None else min(wanted, int(most))) * int(group.get("numOfHosts") or 1)


def default_submitter(cluster: Tree) -> Tree:
    """The pod template of a submitter without one: the image of the head, with little CPU and memory."""
    image = get(cluster, ("headGroupSpec", "template", "spec", "containers", 0, "image"), None)
    requests, limits = {"cpu": "500m", "memory": "200Mi"}, {"cpu": "1", "memory": "1Gi"}
    container: dict[str, Tree] = {"name": "ray-job-submitter", "resources": {"requests": requests, "limits": limits}}
    if image is not None:
        container["image"] = image
    return {"spec": {"containers": [container], "restartPolicy": "Never"}}


def _effect(path: FieldPath, before: Tree, after: Tree) -> Effect | None:
    if path[:2] == ("spec", "activeDeadlineSeconds"):
        return COUNTED_FROM_START
    return _ONCE if path[:1] == ("spec",) and path[1:2] and path[1] not in _AT_ANY_TIME else None


def _pods(tree: Tree) -> Iterator[Pods]:
    spec = tree.get("spec") or {}
    cluster = spec.get("rayClusterSpec")
    if cluster is not None and get(tree, SELECTED_CLUSTER, None) is None:
        head = get(cluster, ("headGroupSpec", "template"), None) or {}
        yield Pods(HEAD, 1, (*CLUSTER, "headGroupSpec", "template"), head)
        for position, group in enumerate(cluster.get(WORKERS) or ()):
            name = group.get("groupName")
            step: Step = position if name is None else (("groupName", name),)
            yield Pods(str(name or ""), worker_pods(group), (*CLUSTER, WORKERS, step, "template"), group.get("template") or {})
    if spec and is_submitted_by_job(tree):
        template = spec.get("submitterPodTemplate") or default_submitter(cluster or {})
        yield Pods(SUBMITS, 1, SUBMITTER, template)


RAYJOB = Kind(
    api_version=API_VERSION,
    name="RayJob",
    plural="rayjobs",
    changeable=SUSPENDABLE,
    effect=_effect,
    access=MANAGED,
    status=Phases(
        "Complete",
        ("Failed", "ValidationFailed"),
        parent="",
        name="jobDeploymentStatus",
        waiting=("Waiting",),
        starting=("Initializing", "Retrying"),
        suspended=("Suspending", "Suspended"),
    ),
    run=RunFacts(
        target=TARGET,
        needs="",
        starter="KubeRay, with its own RayCluster",
        page="[RayJobs](../how-to/rayjob.md)",
        framework="",
        processes=ONE,
        finds_container_by_name=False,
        scheduler="",
        is_preview=False,
        job_owner="",
        pods=_pods,
        replicas="",
        pod_label="ray.io/originated-from-cr-name",
    ),
    controller="kuberay",
)
RAYCLUSTER = Kind(
    api_version=API_VERSION,
    name="RayCluster",
    plural="rayclusters",
    changeable=None,
    effect=takes_effect,
    access=UNLISTED,
    status=None,
    run=None,
    controller="kuberay",
)
