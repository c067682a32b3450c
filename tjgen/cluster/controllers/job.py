"""A Job -> its pods, as the Job controller and the API server complete them.

Upstream: kubernetes v1.36 `pkg/controller/job:manageJob` and `indexed_job_utils.go`, `pkg/controller:GetPodFromTemplate`, and
`pkg/registry/batch/job:generateSelector`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers import jobset_pods
from tjgen.cluster.controllers.series import Series, copied_metadata, owned_by, uid_of
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.manifests.generated_names import LONGEST_PREFIX, generated

MANAGER = "job-controller"
INDEX = "batch.kubernetes.io/job-completion-index"
UID_LABEL = "batch.kubernetes.io/controller-uid"
UID_LABELS = ("controller-uid", UID_LABEL)
NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_CONTROLLER = "kubernetes.io/job-controller"
_FINALIZER = "batch.kubernetes.io/job-tracking"
_FAILURES = "batch.kubernetes.io/job-index-failure-count"
_VARIABLE = "JOB_COMPLETION_INDEX"


def create(job: Tree) -> Iterator[Series]:
    """The pods that exist at the same time when no pod has ended; none if another controller manages the Job."""
    spec, name = job["spec"], generated(job["metadata"])
    if spec.get("managedBy", _CONTROLLER) != _CONTROLLER:
        return
    is_indexed = spec.get("completionMode") == "Indexed"
    template = (spec.get("template") or {}) if spec.get("manualSelector") else labeled_template(spec, name, uid_of(job))

    def build(number: int) -> Tree:
        pod = _indexed(job, template, name, number) if is_indexed else _pod(job, template, f"{name}-")
        return jobset_pods.admit(pod, leader=f"{name}-0", is_leader=is_indexed and number == 0)

    yield Series(MANAGER, name, pod_count(spec), build, ("spec", "template"))


def pod_count(spec: Tree) -> int:
    """The number of pods of a Job that run at the same time."""
    parallelism, completions = spec.get("parallelism"), spec.get("completions")
    if completions is None:
        return int(1 if parallelism is None else parallelism)
    return min(int(completions), int(1 if parallelism is None else parallelism))


def labeled_template(spec: Tree, name: str, uid: str) -> Tree:
    """The template of a Job with the labels that the API server adds for the selector."""
    template = spec.get("template") or {}
    labels = dict.fromkeys(NAME_LABELS, name) | dict.fromkeys(UID_LABELS, uid)
    metadata = template.get("metadata") or {}
    return {**template, "metadata": {**metadata, "labels": {**labels, **(metadata.get("labels") or {})}}}


def _pod(job: Tree, template: Tree, prefix: str) -> dict[str, Tree]:
    metadata: dict[str, Tree] = {"generateName": prefix}
    if job["metadata"].get("namespace"):
        metadata["namespace"] = job["metadata"]["namespace"]
    metadata |= copied_metadata(template)
    finalizers = metadata.get("finalizers") or []
    metadata["finalizers"] = finalizers if _FINALIZER in finalizers else [*finalizers, _FINALIZER]
    metadata["ownerReferences"] = owned_by(job)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template.get("spec") or {}}


def _indexed(job: Tree, template: Tree, name: str, number: int) -> Tree:
    tail = f"-{number}-"
    prefix = name + tail
    if len(prefix) > LONGEST_PREFIX:
        prefix = prefix[: LONGEST_PREFIX - len(tail)] + tail
    pod = _pod(job, template, prefix)
    spec = {**pod["spec"], "hostname": f"{name}-{number}"}
    for kind in ("initContainers", "containers"):
        if spec.get(kind):
            spec[kind] = [_with_index(one) for one in spec[kind]]
    index = {INDEX: str(number)}
    failures = {_FAILURES: "0"} if get(job, ("spec", "backoffLimitPerIndex"), None) is not None else {}
    metadata = dict(pod["metadata"])
    metadata["labels"] = {**(metadata.get("labels") or {}), **index}
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **index, **failures}
    return {**pod, "metadata": metadata, "spec": spec}


def _with_index(container: Tree) -> Tree:
    env = container.get("env") or []
    if any(one.get("name") == _VARIABLE for one in env):
        return container
    variable = {"name": _VARIABLE, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}}
    return {**container, "env": [*env, variable]}
