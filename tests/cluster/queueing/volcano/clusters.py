"""A seed -> random queues of Volcano, nodes, and jobs that are submitted at once.

Volcano takes any of several nodes with equal scores. So each node is large enough for only one pod, and if there are two pools,
each job selects one: then the choice does not matter.
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
