"""An object, and a Job or pod that a controller creates from it -> the same with the labels and annotations of the controllers.

Mirrors JobSet 0.12 `pkg/controllers:labelAndAnnotateObject` for the first Job of each kind, and the Job controller of
kubernetes 1.36, which adds the completion index. The server adds the labels of a Job's selector.
"""

from __future__ import annotations

from hashlib import sha1

from tjgen.cluster.policies.stored import Stored
from tjgen.cluster.validate.builtin.jobs import UID, with_selector
from tjgen.cluster.validate.templates import POD_SUFFIX, TemplateVerdict
from tjgen.trees.fields.path import FieldPath, Tree, get

_DOMAIN = "jobset.sigs.k8s.io/"
_INDEX = "batch.kubernetes.io/job-completion-index"
_LABELS: FieldPath = ("metadata", "labels")


def created(source: Stored, template: TemplateVerdict) -> Tree:
    """The object of a template of `source`, in its namespace, as the controllers create it."""
    tree, owner = template.tree, source.tree
    namespace = str(owner["metadata"].get("namespace") or "")
    if namespace:
        tree = {**tree, "metadata": {**tree["metadata"], "namespace": namespace}}
    marks = _of_jobset(owner, template.path, namespace) if source.group == "jobset.x-k8s.io" else {}
    tree = _marked(tree, marks, marks)
    if tree["kind"] == "Job":
        inner = get(tree, ("spec", "template"), None) or {}
        return {**tree, "spec": {**tree["spec"], "template": _marked(inner, marks, marks)}}
    return _of_job(tree, owner, template.path, is_jobset=bool(marks)) if _is_of_job(source) else tree


def _is_of_job(source: Stored) -> bool:
    return source.group in ("batch", "jobset.x-k8s.io")


def _of_job(pod: Tree, owner: Tree, path: FieldPath, *, is_jobset: bool) -> Tree:
    """The pod with what the server and the Job controller add."""
    spec = get(owner, path[:-1], None) or {}
    is_indexed = is_jobset or spec.get("completionMode") == "Indexed"
    index = {_INDEX: "0"} if is_indexed else {}
    name = str(pod["metadata"]["name"]).removesuffix(POD_SUFFIX)
    own = with_selector({}, name.removesuffix("-0") if is_indexed else name)["template"]["metadata"]["labels"]
    return _marked(pod, {**own, **(get(pod, _LABELS, None) or {}), **index}, index)


def _of_jobset(jobset: Tree, path: FieldPath, namespace: str) -> dict[str, str]:
    """What the JobSet controller adds to the first Job of a replicated job, and to its pods: labels, and equal annotations."""
    name, spec = str(jobset["metadata"].get("name") or ""), jobset["spec"]
    jobs: list[Tree] = spec["replicatedJobs"]
    position = path[2]
    job = jobs[int(position)] if isinstance(position, int) else {}
    group = job.get("groupName", "default")
    before = jobs[: jobs.index(job)]
    marks = {
        "jobset-name": name,
        "jobset-uid": UID,
        "replicatedjob-name": job["name"],
        "restart-attempt": "0",
        "replicatedjob-replicas": _replicas([job]),
        "global-replicas": _replicas(jobs),
        "job-index": "0",
        "job-key": sha1(f"{namespace}/{name}-{job['name']}-0".encode(), usedforsecurity=False).hexdigest(),
        "job-global-index": _replicas(before),
        "group-name": group,
        "group-replicas": _replicas([one for one in jobs if one.get("groupName", "default") == group]),
        "job-group-index": _replicas([one for one in before if one.get("groupName", "default") == group]),
    }
    coordinator = spec.get("coordinator")
    if coordinator:
        pod = f"{coordinator['replicatedJob']}-{coordinator.get('jobIndex', 0)}-{coordinator.get('podIndex', 0)}"
        marks["coordinator"] = f"{name}-{pod}.{get(spec, ('network', 'subdomain'), None) or name}"
    return {f"{_DOMAIN}{key}": value for key, value in marks.items()}


def _replicas(jobs: list[Tree]) -> str:
    return str(sum(job.get("replicas", 1) for job in jobs))


def _marked(tree: Tree, labels: dict[str, str], annotations: dict[str, str]) -> Tree:
    """The tree with more labels and annotations."""
    metadata = dict(tree.get("metadata") or {})
    for key, more in (("labels", labels), ("annotations", annotations)):
        if more:
            metadata[key] = {**(metadata.get(key) or {}), **more}
    return {**tree, "metadata": metadata}
