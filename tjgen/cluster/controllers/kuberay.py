"""A RayJob -> its RayCluster, submitter Job and Service; a RayCluster -> its Service, head pod, workers and what these need.

Upstream: KubeRay v1.5.1 `controllers/ray/rayjob_controller.go:constructRayClusterForRayJob`, `createNewK8sJob`,
`reconcileServices`, and `raycluster_controller.go:rayClusterReconcile`, with the default feature gates and options. An Ingress,
a Service for Ray Serve and the Job that cleans Redis are not previewed.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers import kuberay_objects, kuberay_pods, kuberay_submitter
from tjgen.cluster.controllers.kuberay_names import with_random
from tjgen.cluster.controllers.series import Series, metadata_of, owned_by, single
from tjgen.cluster.kinds.ray import SELECTED_CLUSTER, is_submitted_by_job, worker_pods
from tjgen.trees.fields.path import FieldPath, Tree, get

MANAGER = "kuberay"
CONTROLLER = "ray.io/kuberay-operator"
_ORIGIN = "ray.io/originated-from-"


def create(tree: Tree) -> Iterator[Series]:
    """The objects in the order in which the operator creates them; none if another controller manages the object."""
    spec = tree.get("spec") or {}
    if spec and (spec.get("managedBy") or CONTROLLER) == CONTROLLER:
        yield from _of_job(tree) if tree["kind"] == "RayJob" else _of_cluster(tree)


def cluster_name(job: Tree) -> str:
    """The name of the RayCluster of a RayJob: its own, or the one that it selects."""
    return str(get(job, SELECTED_CLUSTER, None) or with_random(job["metadata"]["name"]))


def _of_job(job: Tree) -> Iterator[Series]:
    name, spec = job["metadata"]["name"], job["spec"]
    is_selected = get(job, SELECTED_CLUSTER, None) is not None
    if not is_selected and spec.get("rayClusterSpec") is not None:
        yield single(MANAGER, _cluster(job))._replace(prefix=name, copied={("spec",): ("spec", "rayClusterSpec")})
    if is_submitted_by_job(job):
        source: FieldPath | None = ("spec", "submitterPodTemplate") if spec.get("submitterPodTemplate") else None
        metadata = {**metadata_of(job, name), "labels": _labels(job), "ownerReferences": owned_by(job)}
        metadata["labels"]["app.kubernetes.io/created-by"] = "kuberay-operator"
        limit = get(job, ("spec", "submitterConfig", "backoffLimit"), None)
        body = {"backoffLimit": 2 if limit is None else limit, "template": kuberay_submitter.template(job, cluster_name(job))}
        yield single(MANAGER, {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": body}, source)
    # A job that you submit yourself runs when its jobId is set.
    if not is_selected and (spec.get("submissionMode") != "InteractiveMode" or spec.get("jobId")):
        yield single(MANAGER, kuberay_objects.job_service(job, _cluster(job), _labels(job)))


def _labels(job: Tree) -> dict[str, Tree]:
    return {f"{_ORIGIN}cr-name": job["metadata"]["name"], f"{_ORIGIN}crd": "RayJob"}


def _cluster(job: Tree) -> Tree:
    """`constructRayClusterForRayJob`: with a submitter in the head pod in SidecarMode."""
    given = job["metadata"]
    metadata = {**metadata_of(job, cluster_name(job)), "labels": {**(given.get("labels") or {}), **_labels(job)}}
    if given.get("annotations"):
        metadata["annotations"] = given["annotations"]
    metadata["ownerReferences"] = owned_by(job)
    spec = job["spec"]["rayClusterSpec"]
    if job["spec"].get("submissionMode") == "SidecarMode":
        spec = kuberay_submitter.with_sidecar(job, spec)
    return {"apiVersion": job["apiVersion"], "kind": "RayCluster", "metadata": metadata, "spec": spec}


def _of_cluster(cluster: Tree) -> Iterator[Series]:
    spec = cluster["spec"]
    for tree in kuberay_objects.objects(cluster):
        yield single(MANAGER, tree)
    if spec.get("suspend"):
        return
    name = cluster["metadata"]["name"]
    head: FieldPath = ("spec", "headGroupSpec", "template")
    yield Series(MANAGER, f"{name}-head", 1, lambda _: kuberay_pods.head(cluster), head)
    for position, group in enumerate(spec.get("workerGroupSpecs") or ()):
        path: FieldPath = ("spec", "workerGroupSpecs", position, "template")
        pod = kuberay_pods.worker(cluster, group)
        prefix = f"{name}-{group['groupName']}-worker"
        yield Series(MANAGER, prefix, worker_pods(group), lambda _, pod=pod: pod, path)  # type: ignore[misc]
