"""A seed -> random queues of Kueue and workloads, as manifests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

Tree = dict[str, Any]

GPU = "nvidia.com/gpu"
LABEL = "gpu-model"
FLAVORS = ("a100", "h100", "spot")
_AMOUNTS = {"cpu": ("16", "64", "500"), "memory": ("64Gi", "1Ti"), GPU: ("0", "8", "16", "32"), "pods": ("2", "10")}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def queues(seed: int) -> Tree:
    """ResourceFlavors, ClusterQueues, and workloads in the order in which they are considered.

    In one of forty cases, all queues are of one cohort, and evict others while they borrow.
    """
    random = Random(seed)
    if seed % 40 == 0:
        return _borrowing(random)
    flavors = [_flavor(random, name) for name in FLAVORS]
    names = [f"queue-{i}" for i in range(random.randint(1, 3))]
    cohort = random.random() < 0.7
    covered = ["cpu", GPU, *(["memory"] if random.random() < 0.5 else []), *(["pods"] if random.random() < 0.2 else [])]
    clusters = [queue(random, name, covered, FLAVORS, _AMOUNTS, in_cohort=cohort and random.random() < 0.8) for name in names]
    return {
        "flavors": flavors,
        "queues": clusters,
        "workloads": [_workload(random, i, names) for i in range(random.randint(4, 16))],
    }


def _borrowing(random: Random) -> Tree:
    names = ["queue-0", "queue-1", "queue-2"]
    clusters = [borrowing_queue(random, name, ["cpu", GPU], {"cpu": ("100",), GPU: ("4", "8", "16")}) for name in names]
    workloads = [_workload(random, i, names) for i in range(random.randint(8, 16))]
    return {"flavors": [{"metadata": {"name": FLAVORS[0]}, "spec": {}}], "queues": clusters, "workloads": workloads}


def borrowing_queue(random: Random, name: str, covered: list[str], amounts: Mapping[str, Sequence[str]]) -> Tree:
    """A ClusterQueue of one cohort with one flavor, which evicts others while it borrows."""
    resources = [{"name": resource, "nominalQuota": random.choice(amounts[resource])} for resource in covered]
    groups = [{"coveredResources": covered, "flavors": [{"name": FLAVORS[0], "resources": resources}]}]
    borrow: Tree = {"policy": "LowerPriority"}
    if random.random() < 0.5:
        borrow["maxPriorityThreshold"] = random.choice((0, 10, 50))
    preemption = {"reclaimWithinCohort": random.choice(("LowerPriority", "Any")), "borrowWithinCohort": borrow}
    preemption["withinClusterQueue"] = random.choice(("Never", "LowerPriority"))
    spec = {"namespaceSelector": {}, "resourceGroups": groups, "cohortName": "all", "preemption": preemption}
    return {"metadata": {"name": name}, "spec": {**spec, "queueingStrategy": "BestEffortFIFO"}}


def _flavor(random: Random, name: str) -> Tree:
    spec: Tree = {}
    if random.random() < 0.8:
        spec["nodeLabels"] = {LABEL: name}
    if random.random() < 0.35:
        spec["nodeTaints"] = [
            {"key": GPU, "value": random.choice(("present", "")), "effect": random.choice(("NoSchedule", "PreferNoSchedule"))}
        ]
    if random.random() < 0.2:
        spec["tolerations"] = [{"key": GPU, "operator": "Exists"}]
    return {"metadata": {"name": name}, "spec": spec}


def queue(
    random: Random,
    name: str,
    covered: list[str],
    flavors: Sequence[str],
    amounts: Mapping[str, Sequence[str]],
    *,
    in_cohort: bool,
) -> Tree:
    """A ClusterQueue with some of the flavors, and one of the amounts of each resource."""
    groups = [
        {
            "name": flavor,
            "resources": [{"name": resource, "nominalQuota": random.choice(amounts[resource])} for resource in covered],
        }
        for flavor in random.sample(flavors, random.randint(1, len(flavors)))
    ]
    spec: Tree = {"namespaceSelector": {}, "resourceGroups": [{"coveredResources": covered, "flavors": groups}]}
    if in_cohort:
        spec["cohortName"] = "all"
    if random.random() < 0.8:
        spec["preemption"] = _preemption(random)
    spec["queueingStrategy"] = random.choice(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"))
    return {"metadata": {"name": name}, "spec": spec}


def _preemption(random: Random) -> Tree:
    policy: Tree = {
        "withinClusterQueue": random.choice(("Never", "LowerPriority", "LowerPriority", "LowerOrNewerEqualPriority")),
        "reclaimWithinCohort": random.choice(("Never", "LowerPriority", "Any", "Any")),
    }
    if policy["reclaimWithinCohort"] != "Never" and random.random() < 0.6:
        policy["borrowWithinCohort"] = {"policy": "LowerPriority"}
        if random.random() < 0.5:
            policy["borrowWithinCohort"]["maxPriorityThreshold"] = random.choice((0, 10, 50))
    return policy


def _workload(random: Random, number: int, names: list[str]) -> Tree:
    return workload(random, number, names, [pod_set(random, role) for role in ("launcher", "node")[random.choice((0, 1, 1)) :]])


def workload(random: Random, number: int, names: list[str], pod_sets: list[Tree]) -> Tree:
    """A workload of one of the queues."""
    # Kueue has no order for workloads of several queues with one time.
    created = f"2025-12-01T{random.randint(0, 9):02}:{number:02}:00Z"
    return {
        "metadata": {
            "name": f"workload-{number}",
            "namespace": "vision",
            "uid": f"workload-{number}",
            "creationTimestamp": created,
        },
        "spec": {"queueName": random.choice(names), "priority": random.choice((0, 0, 10, 50, 100)), "podSets": pod_sets},
    }


def pod_set(random: Random, name: str) -> Tree:
    """A pod set of one to four pods."""
    requests: Tree = {"cpu": random.choice(("500m", "1", "4", "16"))}
    if random.random() < 0.7:
        requests[GPU] = random.choice(("1", "2", "4", "8"))
    if random.random() < 0.15:
        requests["memory"] = random.choice(("1Gi", "100Gi"))
    spec: Tree = {"containers": [{"name": "main", "image": "train", "resources": {"requests": requests}}]}
    if random.random() < 0.2:
        spec["nodeSelector"] = random.choice(({LABEL: random.choice(FLAVORS)}, {"disk": "ssd"}))
    if random.random() < 0.2:
        expression = {"key": random.choice((LABEL, LABEL, "disk")), "operator": "In", "values": random.sample(FLAVORS, 2)}
        spec["affinity"] = {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}
    if random.random() < 0.5:
        spec["tolerations"] = [{"key": GPU, "operator": "Exists", "effect": "NoSchedule"}]
    return {"name": name, "count": random.randint(1, 4), "template": {"spec": spec}}
