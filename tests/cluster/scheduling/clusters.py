"""A seed -> a random cluster and the pods to schedule on it, as manifests."""

from __future__ import annotations

from random import Random
from typing import Any

Tree = dict[str, Any]

GPU = "nvidia.com/gpu"
_PRODUCTS = ("A100", "H100")
_ZONES = ("zone-a", "zone-b", "zone-c")
_TAINTS = (
    {"key": GPU, "value": "present", "effect": "NoSchedule"},
    {"key": "team", "value": "vision", "effect": "NoSchedule"},
    {"key": "maintenance", "effect": "NoExecute"},
    {"key": "spot", "value": "true", "effect": "PreferNoSchedule"},
)
_TOPOLOGIES = ("kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack")


def cluster(seed: int) -> Tree:
    """Objects of a cluster, and pods that are to be scheduled in this order."""
    random = Random(seed)
    nodes = [_node(random, f"node-{i}") for i in range(random.randint(1, 9))]
    objects: list[Tree] = [*nodes, *_storage(random)]
    pods: list[Tree] = []
    for run in range(random.randint(1, 3)):
        template = _template(random, run)
        pods += [_named(template, f"run-{run}-{i}") for i in range(random.randint(1, 5))]
    running = [_named(_template(random, 9), f"running-{i}") for i in range(random.choice((0, 0, 1, 3)))]
    for pod in running:
        pod["spec"]["nodeName"] = random.choice(nodes)["metadata"]["name"]
        pod["spec"].pop("volumes", None)
    return {"objects": [*objects, *running], "pods": pods}


def _node(random: Random, name: str) -> Tree:
    labels = {"kubernetes.io/hostname": name}
    if random.random() < 0.9:
        labels["topology.kubernetes.io/zone"] = random.choice(_ZONES)
    if random.random() < 0.6:
        labels["rack"] = str(random.randint(1, 3))
    allocatable = {
        "cpu": random.choice(("8", "15500m", "64", "192")),
        "memory": random.choice(("16Gi", "64Gi", "500G", "67108864Ki")),
        "pods": random.choice(("110", "110", "110", "110", "110", "3", "1")),
    }
    taints = []
    if random.random() < 0.7:
        labels["nvidia.com/gpu.product"] = random.choice(_PRODUCTS)
        allocatable[GPU] = random.choice(("1", "2", "4", "8"))
        taints = [_TAINTS[0]] if random.random() < 0.7 else []
    if random.random() < 0.3:
        allocatable["ephemeral-storage"] = random.choice(("50Gi", "1Ti"))
    if random.random() < 0.2:
        allocatable["rdma/hca"] = random.choice(("1", "8"))
    taints += [taint for taint in _TAINTS[1:] if random.random() < 0.12]
    spec: Tree = {"taints": taints} if taints else {}
    if random.random() < 0.08:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"allocatable": allocatable, "capacity": allocatable},
    }


def _storage(random: Random) -> list[Tree]:
    terms = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": random.sample(_ZONES, 1)}]}]
    return [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "zonal"},
            "provisioner": "disk.example.com",
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowedTopologies": terms,
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "data", "namespace": "vision"},
            "spec": {
                "storageClassName": "zonal",
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        },
    ]


def _template(random: Random, run: int) -> Tree:
    spec: Tree = {"containers": [_container(random, "main")], "priority": random.choice((0, 0, 0, 100, -10))}
    if random.random() < 0.2:
        spec["containers"].append(_container(random, "sidecar"))
    if random.random() < 0.2:
        spec["initContainers"] = [
            {**_container(random, "init"), **({"restartPolicy": "Always"} if random.random() < 0.5 else {})}
        ]
    if random.random() < 0.1:
        spec["overhead"] = {"cpu": "250m"}
    if random.random() < 0.1:
        spec["preemptionPolicy"] = "Never"
    if random.random() < 0.1:
        spec["hostNetwork"] = True
        spec["containers"][0]["ports"] = [{"containerPort": random.choice((29500, 29501))}]
    if random.random() < 0.1:
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    share = random.choice((0.2, 0.6, 1.0))
    tolerations = [toleration for toleration in _tolerations() if random.random() < share]
    if tolerations:
        spec["tolerations"] = tolerations
    if random.random() < 0.2:
        spec["nodeSelector"] = dict(
            [random.choice((("nvidia.com/gpu.product", random.choice(_PRODUCTS)), ("rack", "1"), ("disk", "ssd")))]
        )
    affinity = {
        kind: found for kind in ("nodeAffinity", "podAffinity", "podAntiAffinity") if (found := _affinity(random, kind, run))
    }
    if affinity:
        spec["affinity"] = affinity
    if random.random() < 0.2:
        spec["topologySpreadConstraints"] = [_spread(random, run) for _ in range(random.choice((1, 1, 2)))]
    labels = {"run": str(run), "team": random.choice(("vision", "text"))}
    namespace = "vision" if "volumes" in spec else random.choice(("vision", "vision", "nlp"))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": namespace, "labels": labels}, "spec": spec}


def _container(random: Random, name: str) -> Tree:
    requests: Tree = {}
    if random.random() < 0.8:
        requests["cpu"] = random.choice(("100m", "500m", "1", "2500m", "4", "20"))
    if random.random() < 0.8:
        requests["memory"] = random.choice(("100Mi", "1Gi", "8Gi", "60Gi"))
    if random.random() < 0.5:
        requests[GPU] = random.choice(("1", "1", "2", "4", "8", "16"))
    if random.random() < 0.1:
        requests["ephemeral-storage"] = random.choice(("1Gi", "100Gi"))
    if random.random() < 0.1:
        requests["rdma/hca"] = "1"
    field = "limits" if random.random() < 0.5 else "requests"
    limits = {key: value for key, value in requests.items() if "/" in key}
    resources = {field: requests} if field == "limits" or not limits else {"requests": requests, "limits": limits}
    return {"name": name, "image": "train", "resources": resources}


def _tolerations() -> list[Tree]:
    return [
        {"key": GPU, "operator": "Exists", "effect": "NoSchedule"},
        {"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"},
        {"key": "team", "value": "vision"},
        {"key": "maintenance", "operator": "Exists"},
        {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
        {"key": "team", "value": "text", "effect": "NoSchedule"},
    ]


def _affinity(random: Random, kind: str, run: int) -> Tree:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    if kind == "nodeAffinity":
        found: Tree = {}
        if random.random() < 0.2:
            found[required] = {"nodeSelectorTerms": [_term(random) for _ in range(random.choice((1, 1, 2)))]}
        if random.random() < 0.2:
            preference = {"matchExpressions": [{"key": "rack", "operator": "In", "values": [str(random.randint(1, 3))]}]}
            found["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": random.choice((1, 50, 100)), "preference": preference}
            ]
        return found
    if random.random() > 0.15:
        return {}
    term: Tree = {"topologyKey": random.choice(_TOPOLOGIES), "labelSelector": _selector(random, run)}
    if random.random() < 0.3:
        term["namespaces"] = ["vision", "nlp"]
    elif random.random() < 0.2:
        term["namespaceSelector"] = {}
    if random.random() < 0.3:
        return {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 30, "podAffinityTerm": term}]}
    return {required: [term]}


def _term(random: Random) -> Tree:
    if random.random() < 0.15:
        return {"matchFields": [{"key": "metadata.name", "operator": random.choice(("In", "In", "NotIn")), "values": ["node-0"]}]}
    expression = random.choice(
        (
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": random.sample(_ZONES, 2)},
            {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": random.sample(_ZONES, 1)},
            {"key": "nvidia.com/gpu.product", "operator": "Exists"},
            {"key": "nvidia.com/gpu.product", "operator": "DoesNotExist"},
            {"key": "rack", "operator": random.choice(("Gt", "Lt")), "values": ["2"]},
            {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-0", "node-1"]},
        )
    )
    return {"matchExpressions": [expression]}


def _selector(random: Random, run: int) -> Tree:
    return random.choice(
        (
            {"matchLabels": {"run": str(run)}},
            {"matchLabels": {"team": "vision"}},
            {
                "matchExpressions": [
                    {"key": "run", "operator": "NotIn", "values": [str(run)]},
                    {"key": "run", "operator": "Exists"},
                ]
            },
        )
    )


def _spread(random: Random, run: int) -> Tree:
    constraint: Tree = {
        "maxSkew": random.choice((1, 2)),
        "topologyKey": random.choice(_TOPOLOGIES),
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": _selector(random, run),
    }
    if random.random() < 0.2:
        constraint["minDomains"] = random.choice((2, 4))
    if random.random() < 0.2:
        constraint["nodeTaintsPolicy"] = "Honor"
    if random.random() < 0.2:
        constraint["nodeAffinityPolicy"] = "Ignore"
    if random.random() < 0.2:
        constraint["matchLabelKeys"] = ["team"]
    return constraint


def _named(template: Tree, name: str) -> Tree:
    return {**template, "metadata": {**template["metadata"], "name": name}, "spec": dict(template["spec"])}
