"""A seed -> random queues of Volcano, nodes, and jobs that are submitted at once.

Volcano takes any of several nodes with equal scores. So each node is large enough for only one pod, and if there are two pools,
each job selects one: then the choice does not matter. It matters in networks: there, the comparison repeats it.
"""

from __future__ import annotations

from random import Random
from typing import Any

Tree = dict[str, Any]

GPU = "nvidia.com/gpu"
_POOLS = ("a100", "h100")


def cluster(seed: int) -> Tree:
    """Plugin, nodes, queues, and jobs in the order of their creation."""
    random = Random(seed)
    plugin = random.choice(("proportion", "proportion", "proportion", "capacity"))
    names = [f"queue-{i}" for i in range(random.randint(1, 4))]
    pools = _POOLS[: random.choice((1, 1, 2))]
    nodes = [_node(random, pool, i, tainted=random.random() < 0.05) for pool in pools for i in range(random.randint(2, 8))]
    return {
        "plugin": plugin,
        "nodes": nodes,
        "queues": [_queue(random, name, plugin) for name in names],
        "jobs": [_job(random, i, names, pools) for i in range(random.randint(2, 12))],
    }


def network(seed: int) -> Tree:
    """A cluster whose nodes are in HyperNodes of two or three tiers, and jobs with network topologies.

    The nodes of each HyperNode have another size, so that no two HyperNodes have the same score.
    """
    random = Random(f"network {seed}")
    case = cluster(seed)
    pools = _POOLS[: random.choice((1, 1, 2))]
    case["nodes"] = [
        _node(random, pool, i, tainted=random.random() < 0.1) for pool in pools for i in range(random.randint(5, 12))
    ]
    case["jobs"] = [
        _job(random, i, [one["metadata"]["name"] for one in case["queues"]], pools) for i in range(random.randint(2, 8))
    ]
    racks = random.randint(2, 5)
    for i, node in enumerate(case["nodes"]):
        rack = i * racks // len(case["nodes"])
        node["metadata"]["labels"]["rack"] = f"rack-{rack}"
        sizes = {"cpu": str(64 + 3 * rack), "memory": f"{512 + 7 * rack * rack}Gi"}
        node["status"]["allocatable"] = node["status"]["capacity"] = {**node["status"]["allocatable"], **sizes}
    case["hyperNodes"] = [_rack(random, f"rack-{i}", case["nodes"]) for i in range(racks)]
    names = [f"rack-{i}" for i in range(racks - (random.random() < 0.2))]
    cut = random.randint(1, len(names))
    for i, part in enumerate(one for one in (names[:cut], names[cut:]) if one):
        case["hyperNodes"].append(_hyper_node(f"block-{i}", 2, [_exact("HyperNode", name) for name in part]))
    for job in case["jobs"]:
        if random.random() < 0.85:
            topology = (
                {"mode": "soft"}
                if random.random() < 0.2
                else {"mode": "hard", "highestTierAllowed": random.choice((1, 1, 1, 2, 3))}
            )
            job["networkTopology"] = topology
    return case


def _rack(random: Random, name: str, nodes: list[Tree]) -> Tree:
    """The nodes of a rack, by one of the three selectors."""
    own = [node["metadata"]["name"] for node in nodes if node["metadata"]["labels"]["rack"] == name]
    labels = {"labelMatch": {"matchLabels": {"rack": name}}}
    pattern = {"regexMatch": {"pattern": f"^({'|'.join(own)})$"}}
    members = random.choice(
        (
            [_exact("Node", node) for node in own],
            [{"type": "Node", "selector": labels}],
            [{"type": "Node", "selector": pattern}],
        )
    )
    return _hyper_node(name, 1, members)


def _exact(kind: str, name: str) -> Tree:
    return {"type": kind, "selector": {"exactMatch": {"name": name}}}


def _hyper_node(name: str, tier: int, members: list[Tree]) -> Tree:
    return {"kind": "HyperNode", "metadata": {"name": name}, "spec": {"tier": tier, "members": members}}


def _node(random: Random, pool: str, number: int, *, tainted: bool) -> Tree:
    spec: Tree = {"taints": [{"key": "team", "value": "vision", "effect": "NoSchedule"}]} if tainted else {}
    allocatable = {"cpu": "64", "memory": "512Gi", "pods": random.choice(("110", "110", "4")), GPU: "8"}
    metadata = {"name": f"{pool}-{number}", "labels": {"pool": pool}}
    return {"metadata": metadata, "spec": spec, "status": {"allocatable": allocatable, "capacity": allocatable}}


def _queue(random: Random, name: str, plugin: str) -> Tree:
    spec: Tree = {"weight": random.choice((1, 1, 2, 3, 8))}
    if random.random() < 0.4:
        spec["capability"] = _amounts(random, ("8", "16", "32", "48"))
    if random.random() < 0.2:
        spec["guarantee"] = {"resource": _amounts(random, ("8", "16"))}
    if plugin == "capacity" and random.random() < 0.7:
        spec["deserved"] = _amounts(random, ("8", "16", "24"))
    if random.random() < 0.2:
        spec["priority"] = random.choice((1, 5))
    return {"metadata": {"name": name}, "spec": spec}


def _amounts(random: Random, gpus: tuple[str, ...]) -> Tree:
    amounts: Tree = {GPU: random.choice(gpus)}
    if random.random() < 0.4:
        amounts["cpu"] = random.choice(("50", "100", "300"))
    if random.random() < 0.2:
        amounts["memory"] = random.choice(("256Gi", "2Ti"))
    return amounts


def _job(random: Random, number: int, names: list[str], pools: tuple[str, ...]) -> Tree:
    pods = random.choice((1, 1, 2, 2, 3, 4, 6))
    requests = {"cpu": random.choice(("4", "33", "64")), "memory": random.choice(("32Gi", "500Gi")), GPU: "8"}
    least = pods
    job: Tree = {
        "name": f"job-{number:02}",
        "queue": random.choice(names),
        "priority": random.choice((0, 0, 0, 10, 100)),
        "pods": pods,
        "minMember": least,
        "requests": requests,
        "later": random.random() < 0.4,
    }
    job["minResources"] = {**{name: _times(one, least) for name, one in requests.items()}, "pods": str(least)}
    if len(pools) > 1 or random.random() < 0.2:
        job["selector"] = {"pool": random.choice((*pools, *pools, *pools, "t4"))}
    return job


def _times(amount: str, number: int) -> str:
    digits = amount.rstrip("Gi")
    return f"{int(digits) * number}{amount[len(digits) :]}"
