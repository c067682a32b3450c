"""A seed -> random queues of Kueue whose flavors have topologies, with nodes and workloads, as manifests."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.cluster.queueing.workloads import FLAVORS, GPU, LABEL, borrowing_queue, pod_set, queue, workload

Tree = dict[str, Any]

_BLOCK, _RACK, _HOST = "example.com/block", "example.com/rack", "kubernetes.io/hostname"
_LEVELS = [_BLOCK, _RACK, _HOST]
_FEWER_LEVELS = (_LEVELS, [_BLOCK, _RACK], [_RACK, _HOST], [_HOST])
_AMOUNTS = {"cpu": ("64", "500"), "memory": ("2Ti",), GPU: ("16", "32", "100"), "pods": ("10", "40")}
_FEWER_AMOUNTS = {**_AMOUNTS, GPU: ("4", "8", "16")}
_MISSING = "example.com/missing"


def topologies(seed: int) -> Tree:
    """Topologies, nodes with pods of others, ResourceFlavors, ClusterQueues, and workloads in their order.

    In two of five cases, levels are missing, some flavors have no topology, and workloads request impossible slices. In one of
    five, the queues have one flavor, and evict others while they borrow.
    """
    random = Random(f"topologies {seed}")
    kind = seed // 10 % 5  # one in ten cases stays in the repository
    is_odd, is_borrowing = kind < 2, kind == 2
    names = [f"topology-{i}" for i in range(random.choice((1, 1, 2)))]
    flavors = list(FLAVORS[:1]) if is_borrowing else random.sample(FLAVORS, random.choice((1, 1, 2, 3)))
    nodes = [_node(random, i, flavors) for i in range(random.randint(4, 20))]
    queues = [f"queue-{i}" for i in range(3 if is_borrowing else random.randint(1, 3))]
    in_cohort = random.random() < 0.5
    covered = ["cpu", "memory", GPU, *(["pods"] if random.random() < 0.15 else [])]
    return {
        "topologies": [
            {
                "metadata": {"name": name},
                "spec": {"levels": [{"nodeLabel": key} for key in (random.choice(_FEWER_LEVELS) if is_odd else _LEVELS)]},
            }
            for name in names
        ],
        "nodes": nodes,
        "pods": [_pod(random, i, nodes) for i in range(random.choice((0, 0, 2, 6)))],
        "flavors": [_flavor(random, name, names, is_odd=is_odd) for name in flavors],
        "queues": [
            borrowing_queue(random, name, covered, _FEWER_AMOUNTS)
            if is_borrowing
            else queue(random, name, covered, flavors, _AMOUNTS, in_cohort=in_cohort)
            for name in queues
        ],
        "workloads": [
            _workload(random, i, queues, is_odd=is_odd, may_be_empty="pods" not in covered) for i in range(random.randint(4, 14))
        ],
    }


def _node(random: Random, number: int, flavors: list[str]) -> Tree:
    name = f"node-{number}"
    block = random.randint(0, 2)
    labels = {LABEL: random.choice(flavors), _HOST: name, _BLOCK: f"b{block}", _RACK: f"b{block}-r{random.randint(0, 2)}"}
    if random.random() < 0.1:
        labels["disk"] = "ssd"
    if random.random() < 0.05:
        del labels[random.choice((_BLOCK, _RACK))]
    spec: Tree = {"unschedulable": True} if random.random() < 0.05 else {}
    if random.random() < 0.2:
        effect = random.choice(("NoSchedule", "NoExecute", "PreferNoSchedule"))
        spec["taints"] = [{"key": GPU, "value": random.choice(("present", "")), "effect": effect}]
    allocatable = {"cpu": random.choice(("8", "16", "32")), "memory": "200Gi", "pods": random.choice(("110", "110", "3"))}
    if random.random() < 0.9:
        allocatable[GPU] = random.choice(("4", "8"))
    status = {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": status}


def _pod(random: Random, number: int, nodes: list[Tree]) -> Tree:
    requests = {"cpu": random.choice(("1", "4", "20"))}
    container = {"name": "main", "image": "other", "resources": {"requests": requests}}
    spec = {"nodeName": random.choice(nodes)["metadata"]["name"], "containers": [container]}
    return {"metadata": {"name": f"other-{number}", "namespace": "vision"}, "spec": spec}


def _flavor(random: Random, name: str, topologies: list[str], *, is_odd: bool) -> Tree:
    spec: Tree = {"nodeLabels": {LABEL: name}} if random.random() < 0.7 else {}
    if random.random() < 0.3:
        spec["tolerations"] = [{"key": GPU, "operator": "Exists"}]
    if not is_odd or random.random() < 0.85:
        spec["topologyName"] = random.choice(topologies)
        spec.setdefault("nodeLabels", {})
    return {"metadata": {"name": name}, "spec": spec}


def _workload(random: Random, number: int, queues: list[str], *, is_odd: bool, may_be_empty: bool) -> Tree:
    roles = ("launcher", "node")[random.choice((0, 1, 1)) :]
    pod_sets = [pod_set(random, role) for role in roles]
    if len(roles) == 2 and random.random() < 0.5:
        # Kueue requires that one of the two pod sets of a group has one pod.
        request = {random.choice(("required", "preferred")): random.choice((_BLOCK, _RACK, _HOST)), "podSetGroupName": "run"}
        pod_sets[0]["count"] = 1
        return workload(random, number, queues, [{**one, "topologyRequest": request} for one in pod_sets])
    for one in pod_sets:
        if random.random() < 0.85:
            one["count"] = random.randint(1, 8)
            one["topologyRequest"] = _request(random, is_odd=is_odd)
        # Kueue 0.19.0 ends with a nil pointer if the pods request nothing, and the queue has a quota of pods.
        if may_be_empty and is_odd and random.random() < 0.02:
            one["template"]["spec"]["containers"][0]["resources"] = {}
    return workload(random, number, queues, pod_sets)


def _request(random: Random, *, is_odd: bool) -> Tree:
    level = random.choice((_BLOCK, _BLOCK, _RACK, _RACK, _HOST, *([_MISSING] if is_odd else [])))
    kind = random.choice(("required", "preferred", "preferred", "unconstrained", "slices"))
    request: Tree = {"unconstrained": True} if kind == "unconstrained" else {} if kind == "slices" else {kind: level}
    if kind == "slices" or random.random() < 0.25:
        sizes = random.choice(((1,), (2,), (2,), (3,), (4,), (4, 2), (4, 2, 1), (4, 3)) if is_odd else ((1,), (2,), (4, 2)))
        levels = random.choice(([_RACK, _HOST], _LEVELS, [_HOST, _RACK, _BLOCK])) if is_odd else _LEVELS[-2:]
        layers = [{"topology": key, "size": size} for key, size in zip(levels, sizes, strict=False)]
        if len(layers) > 1:
            request["podsetSliceRequiredTopologyConstraints"] = layers
        else:
            request |= {"podSetSliceRequiredTopology": layers[0]["topology"], "podSetSliceSize": layers[0]["size"]}
    return request
