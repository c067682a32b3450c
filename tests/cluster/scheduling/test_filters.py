"""Filters and ends that random clusters do not reach."""

from __future__ import annotations

from typing import Any

from tjgen.cluster.scheduling.cluster import ScheduledCluster
from tjgen.cluster.scheduling.node import DEVICES, read_node
from tjgen.cluster.scheduling.pod import SchedulingPod, read_pod


def _cluster(count: int, devices: str = "") -> ScheduledCluster:
    resources = {"cpu": "8", "memory": "64Gi", "pods": "110"}
    marks = {DEVICES: devices} if devices else {}
    names = [f"node-{i}" for i in range(count)]
    return ScheduledCluster(
        read_node({"metadata": {"name": name, "labels": {}, "annotations": marks}, "status": {"allocatable": resources}})
        for name in names
    )


def _pod(devices: dict[str, int] | None = None, **spec: Any) -> SchedulingPod:
    tree = {"metadata": {"name": "pod"}, "spec": {"containers": [{"name": "main"}], **spec}}
    return read_pod(tree, devices=devices)


def test_a_cluster_without_nodes() -> None:
    """The scheduler has a sentence for it."""
    assert ScheduledCluster([]).attempt(_pod()).message == "no nodes available to schedule pods"


def test_a_pod_that_names_its_node_goes_there_or_nowhere() -> None:
    """NodeName."""
    assert _cluster(2).attempt(_pod(nodeName="node-1")).node == 1
    attempt = _cluster(2).attempt(_pod(nodeName="node-7"))
    assert attempt.message.startswith("0/2 nodes are available: 2 node(s) didn't match the requested node name. ")


def test_claimed_devices_are_counted_on_each_node() -> None:
    """DynamicResources."""
    cluster = _cluster(2, "gpu.example.com=4")
    pod = _pod({"gpu.example.com": 3})
    for expected in (0, 1):
        attempt = cluster.attempt(pod)
        assert attempt.node == expected
        cluster.place(pod, expected)
    assert cluster.attempt(pod).message.startswith("0/2 nodes are available: 2 cannot allocate all claims. ")
    cluster.remove(pod, 0)
    assert cluster.attempt(pod).node == 0


def test_equal_nodes_fill_in_the_order_of_their_names() -> None:
    """Scores spread pods, and the first of equal nodes comes first."""
    cluster, pod = _cluster(3), _pod(containers=[{"name": "main", "resources": {"requests": {"cpu": "1"}}}])
    nodes = []
    for _ in range(4):
        attempt = cluster.attempt(pod)
        assert attempt.node is not None
        nodes.append(attempt.node)
        cluster.place(pod, attempt.node)
    assert nodes == [0, 1, 2, 0]
    assert [len(cluster.pods(position)) for position in range(3)] == [2, 1, 1]
