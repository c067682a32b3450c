"""A cluster of `clusters.py` and what the real scheduler did with its pods -> where the model differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import read_node
from tjgen.cluster.scheduling.pod import read_pod

Tree = dict[str, Any]


def model(objects: Sequence[Tree]) -> ScheduledCluster:
    """The cluster of these objects, with the pods that run on its nodes."""
    by_kind: dict[str, list[Tree]] = {}
    for one in objects:
        by_kind.setdefault(one["kind"], []).append(one)
    classes = {one["metadata"]["name"]: one["allowedTopologies"] for one in by_kind.get("StorageClass", ())}
    claims = {
        f"{one['metadata']['namespace']}/{one['metadata']['name']}": classes[one["spec"]["storageClassName"]]
        for one in by_kind.get("PersistentVolumeClaim", ())
    }
    cluster = ScheduledCluster([read_node(one) for one in by_kind["Node"]], of_claims=claims, of_classes=classes)
    positions = {node.name: position for position, node in enumerate(cluster.nodes)}
    for one in by_kind.get("Pod", ()):
        cluster.place(read_pod(one), positions[one["spec"]["nodeName"]])
    return cluster


def differences(case: Tree, verdicts: Sequence[Tree]) -> Iterator[str]:
    """A line for each pod about which the model and the scheduler differ; pods go where the scheduler puts them.

    The recorder ends a case with the first preemption, so there may be fewer verdicts than pods.
    """
    cluster = model(case["objects"])
    for tree, real in zip(case["pods"], verdicts, strict=False):
        pod = read_pod(tree)
        attempt = cluster.attempt(pod)
        names = [cluster.nodes[p].name for p in attempt.equals]
        if "node" in real:
            if real["node"] not in names:
                yield f"{pod.name}: scheduled on {real['node']}, here one of {names} {attempt.message}"
            cluster.place(pod, next(p for p, node in enumerate(cluster.nodes) if node.name == real["node"]))
        elif attempt.message != real["message"]:
            yield f"{pod.name}:\n  {real['message']}\n  {attempt.message}"
        elif attempt.preempts != ("nominated" in real):
            yield f"{pod.name}: preempts {attempt.preempts}, and the scheduler nominates {real.get('nominated')}"
