"""A JobSet -> its Service, its claims and its Jobs.

Upstream: JobSet v0.12 `pkg/controllers/jobset_controller.go:constructJob`, `labelAndAnnotateObject`,
`createHeadlessSvcIfNecessary` and `volume_claim_policy.go`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.jobset_pods import DOMAIN, EXCLUSIVE, NODE_SELECTOR
from tjgen.cluster.controllers.series import Series, metadata_of, owned_by, single, uid_of
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import MULTI_KUEUE
from tjgen.trees.manifests.generated_names import generated

try:
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib loads OpenSSL
except ImportError:
    from hashlib import sha1

MANAGER = "jobset"
_CONTROLLERS = (f"{DOMAIN}jobset-controller", MULTI_KUEUE)
"""Kueue starts the JobSet in another cluster, where its controller manages it."""
_NAMESPACED_JOB = "alpha.jobset.sigs.k8s.io/namespaced-job"
_TAINT = "alpha.jobset.sigs.k8s.io/no-schedule"


def create(jobset: Tree) -> Iterator[Series]:
    """The objects in the order in which the controller creates them; none if another controller manages the JobSet."""
    spec = jobset["spec"]
    if spec.get("managedBy", _CONTROLLERS[0]) not in _CONTROLLERS:
        return
    if _has_host_names(spec):
        yield single(MANAGER, _service(jobset))
    for policy in spec.get("volumeClaimPolicies") or ():
        for template in policy.get("templates") or ():
            yield single(MANAGER, _claim(jobset, policy, template))
    for position, job in enumerate(spec.get("replicatedJobs") or ()):
        yield _jobs(jobset, job, position)


def key_of(place: str) -> str:
    """The label `job-key` of a Job with this namespace and name."""
    return str(sha1(place.encode(), usedforsecurity=False).hexdigest())


def _namespaced(jobset: Tree, job: Tree, number: int) -> str:
    namespace = jobset["metadata"].get("namespace") or ""
    return f"{namespace}/{generated(jobset['metadata'])}-{job['name']}-{number}"


def _jobs(jobset: Tree, job: Tree, position: int) -> Series:
    prefix = f"{generated(jobset['metadata'])}-{job['name']}"
    source: FieldPath = ("spec", "replicatedJobs", position, "template")
    return Series(MANAGER, prefix, _replicas(job), lambda number: _job(jobset, position, number), source)


def _job(jobset: Tree, position: int, number: int) -> Tree:
    job = jobset["spec"]["replicatedJobs"][position]
    template = job.get("template") or {}
    labels, annotations = _marks(jobset, position, number)
    metadata = metadata_of(jobset, f"{generated(jobset['metadata'])}-{job['name']}-{number}")
    given = template.get("metadata") or {}
    metadata["labels"] = {**(given.get("labels") or {}), **labels}
    metadata["annotations"] = {**(given.get("annotations") or {}), **annotations}
    metadata["ownerReferences"] = owned_by(jobset)
    spec: dict[str, Tree] = {"completionMode": "Indexed", **_without_null(template.get("spec"))}
    inner = spec.get("template") or {}
    marks = dict(inner.get("metadata") or {})
    marks["labels"] = {**(marks.get("labels") or {}), **labels}
    marks["annotations"] = {**(marks.get("annotations") or {}), **annotations}
    spec["template"] = {**inner, "metadata": marks, "spec": _pod_spec(jobset, inner.get("spec") or {}, metadata)}
    spec["suspend"] = bool(jobset["spec"].get("suspend"))
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _pod_spec(jobset: Tree, given: Tree, metadata: Tree) -> Tree:
    pod: dict[str, Tree] = {"restartPolicy": "OnFailure", **_without_null(given)}
    if _has_host_names(jobset["spec"]):
        pod["subdomain"] = _subdomain(jobset)
    annotations = metadata["annotations"]
    if EXCLUSIVE in annotations and NODE_SELECTOR in annotations:
        name = f"{metadata.get('namespace', '')}_{metadata['name']}"
        pod["nodeSelector"] = {**(pod.get("nodeSelector") or {}), _NAMESPACED_JOB: name}
        toleration = {"key": _TAINT, "operator": "Exists", "effect": "NoSchedule"}
        pod["tolerations"] = [*(pod.get("tolerations") or ()), toleration]
    volumes = [
        {"name": name, "persistentVolumeClaim": {"claimName": f"{name}-{generated(jobset['metadata'])}"}}
        for policy in jobset["spec"].get("volumeClaimPolicies") or ()
        for template in policy.get("templates") or ()
        if _is_mounted(given, name := template["metadata"]["name"])
    ]
    if volumes:
        pod["volumes"] = [*(pod.get("volumes") or ()), *volumes]
    return pod


def _is_mounted(pod: Tree, name: str) -> bool:
    containers = (*(pod.get("containers") or ()), *(pod.get("initContainers") or ()))
    return any(mount.get("name") == name for one in containers for mount in one.get("volumeMounts") or ())


def _marks(jobset: Tree, position: int, number: int) -> tuple[dict[str, str], dict[str, str]]:
    """The labels and the annotations that a Job and its pods get."""
    name, spec = generated(jobset["metadata"]), jobset["spec"]
    jobs: list[Tree] = spec["replicatedJobs"]
    job, before = jobs[position], jobs[:position]
    group = job.get("groupName", "default")
    marks = {
        "jobset-name": name,
        "jobset-uid": uid_of(jobset),
        "replicatedjob-name": job["name"],
        "restart-attempt": "0",
        "replicatedjob-replicas": str(_replicas(job)),
        "global-replicas": _total(jobs),
        "job-index": str(number),
        "job-key": key_of(_namespaced(jobset, job, number)),
        "job-global-index": _total(before, number),
        "group-name": group,
        "group-replicas": _total([one for one in jobs if one.get("groupName", "default") == group]),
        "job-group-index": _total([one for one in before if one.get("groupName", "default") == group], number),
    }
    coordinator = spec.get("coordinator")
    if coordinator:
        pod = f"{coordinator['replicatedJob']}-{coordinator.get('jobIndex', 0)}-{coordinator.get('podIndex', 0)}"
        marks["coordinator"] = f"{name}-{pod}.{_subdomain(jobset)}"
    labels = {f"{DOMAIN}{key}": value for key, value in marks.items()}
    annotations = dict(labels)
    for holder in (jobset, job.get("template") or {}):
        given = get(holder, ("metadata", "annotations"), None) or {}
        if EXCLUSIVE in given:
            annotations |= {key: given[key] for key in (EXCLUSIVE, NODE_SELECTOR) if key in given}
    return labels, annotations


def _total(jobs: list[Tree], more: int = 0) -> str:
    return str(sum(map(_replicas, jobs)) + more)


def _replicas(job: Tree) -> int:
    replicas = job.get("replicas")
    return int(1 if replicas is None else replicas)


def _service(jobset: Tree) -> Tree:
    published = get(jobset, ("spec", "network", "publishNotReadyAddresses"), None)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {**metadata_of(jobset, _subdomain(jobset)), "ownerReferences": owned_by(jobset)},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True if published is None else published,
            "selector": {f"{DOMAIN}jobset-name": generated(jobset["metadata"])},
        },
    }


def _claim(jobset: Tree, policy: Tree, template: Tree) -> Tree:
    given, name = template["metadata"], generated(jobset["metadata"])
    metadata = metadata_of(jobset, f"{given['name']}-{name}")
    metadata["labels"] = {**(given.get("labels") or {}), f"{DOMAIN}jobset-name": name}
    if given.get("annotations"):
        metadata["annotations"] = given["annotations"]
    if get(policy, ("retentionPolicy", "whenDeleted"), "Delete") == "Delete":
        metadata["ownerReferences"] = owned_by(jobset)
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": template.get("spec") or {}}


def _has_host_names(spec: Tree) -> bool:
    enabled = get(spec, ("network", "enableDNSHostnames"), None)
    return True if enabled is None else bool(enabled)


def _subdomain(jobset: Tree) -> str:
    return get(jobset, ("spec", "network", "subdomain"), None) or generated(jobset["metadata"])


def _without_null(tree: Tree) -> dict[str, Tree]:
    return {key: value for key, value in (tree or {}).items() if value is not None}
