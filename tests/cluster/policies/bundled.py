"""Random objects of the kinds that the bundled policies judge."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

SEED, NUMBER = 5, 150
NAMESPACES = ("vision", "other")
_DIGEST = f"registry.example.com/t@sha256:{'a' * 64}"
_IMAGES = (
    *[_DIGEST] * 6,
    "docker.io/other:1",
    "registry.example.com.evil.io/x:1",
    "registry.example.com/t:1",
    "t:1",
    f"other.example.com/x@sha256:{'b' * 64}",
)
_USUAL: dict[str, Any] = {
    "limits": {"nvidia.com/gpu": 8, "cpu": "4", "memory": "8Gi"},
    "requests": {"cpu": "4", "memory": "8Gi"},
}
_RESOURCES: tuple[dict[str, Any], ...] = (
    *[_USUAL] * 4,
    {},
    {"limits": {"nvidia.com/gpu": 7}, "requests": {"cpu": "1", "memory": "1Gi"}},
    {"limits": {"nvidia.com/gpu": "9", "memory": "1Gi"}, "requests": {"cpu": "100", "memory": "1Gi"}},
    {"limits": {"memory": "1Gi", "example.com/other": 1}, "requests": {"cpu": "1"}},
    {"requests": {"cpu": "1"}},
    {"limits": {"cpu": "1", "memory": "1Gi"}},
)
_SECURITY: tuple[dict[str, Any] | None, ...] = (
    *[None] * 5,
    {"privileged": True},
    {"privileged": False},
    {"capabilities": {"add": ["SYS_ADMIN"]}},
    {"capabilities": {"add": ["IPC_LOCK"]}},
    {"allowPrivilegeEscalation": True},
)
_DEADLINES = (None, 3600, 604800, 604801)


def objects() -> list[dict[str, Any]]:
    """Pods, TrainJobs and JobSets; the same in each call."""
    draw = random.Random(SEED)
    return [draw.choice((_pod, _trainjob, _jobset))(f"x{number}", draw) for number in range(NUMBER)]


def _pod(name: str, draw: random.Random) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata(name, draw), "spec": _pod_spec(draw)}


def _trainjob(name: str, draw: random.Random) -> dict[str, Any]:
    trainer = {"image": draw.choice(_IMAGES), "numNodes": draw.choice((1, 2)), "resourcesPerNode": draw.choice(_RESOURCES)}
    spec = {"runtimeRef": {"name": "torch"}, "trainer": trainer, **_deadline(draw)}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": _metadata(name, draw), "spec": spec}


def _jobset(name: str, draw: random.Random) -> dict[str, Any]:
    jobs = []
    for number in range(draw.choice((1, 1, 2))):
        pods = {"spec": {**_pod_spec(draw), "restartPolicy": "Never"}}
        counts = {"parallelism": draw.choice((1, 2, 60)), "completions": 2, "completionMode": "Indexed"}
        jobs.append({"name": f"j{number}", "replicas": 1, "template": {"spec": {"template": pods, **counts, **_deadline(draw)}}})
    metadata = _metadata(name, draw)
    if draw.random() < 0.2:
        owner = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "name": "z", "uid": "1", "controller": True}
        metadata["ownerReferences"] = [owner]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": {"replicatedJobs": jobs}}


def _deadline(draw: random.Random) -> dict[str, Any]:
    seconds = draw.choice(_DEADLINES)
    return {"activeDeadlineSeconds": seconds} if seconds else {}


def _metadata(name: str, draw: random.Random) -> dict[str, Any]:
    labels = {}
    if draw.random() < 0.85:
        labels["team"] = draw.choice(("vision", "speech", ""))
    if draw.random() < 0.4:
        labels["kueue.x-k8s.io/queue-name"] = draw.choice(("default", "vision", "other"))
    return {"name": name, "namespace": NAMESPACES[draw.random() < 0.1], **({"labels": labels} if labels else {})}


def _pod_spec(draw: random.Random) -> dict[str, Any]:
    spec: dict[str, Any] = {"containers": _containers("ab" if draw.random() < 0.2 else "a", draw), "restartPolicy": "Never"}
    if draw.random() < 0.4:
        (container,) = _containers("i", draw)
        spec["initContainers"] = [{**container, **({"restartPolicy": "Always"} if draw.random() < 0.5 else {})}]
    if draw.random() < 0.2:
        spec["volumes"] = [{"name": "h", "hostPath": {"path": "/data"}}]
    for field in ("hostNetwork", "hostPID"):
        if draw.random() < 0.1:
            spec[field] = True
    return spec


def _containers(names: Sequence[str], draw: random.Random) -> list[dict[str, Any]]:
    containers = []
    for name in names:
        container: dict[str, Any] = {"name": name, "image": draw.choice(_IMAGES), "resources": draw.choice(_RESOURCES)}
        security = draw.choice(_SECURITY)
        containers.append({**container, **({"securityContext": security} if security is not None else {})})
    return containers
