"""Random values of the fields of an experiment that change its pods."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Fields = dict[str, Any]
PORTS = {"http": 8080, "metrics": {"port": 9090, "protocol": "TCP"}, "dns": {"port": 5353, "protocol": "UDP"}}
PROBES = {
    "liveness": {"httpGet": {"path": "/health", "port": 8080}, "periodSeconds": 30},
    "readiness": {"exec": {"command": ["test", "-f", "/tmp/ready"]}},
    "startup": {"tcpSocket": {"port": 8080}, "failureThreshold": 30},
}
VARIABLES: Fields = {
    "A": "1",
    "B": "a b",
    "EMPTY": "",
    "PRICE": "$$5",
    "TOKEN": {"secret": "tokens", "key": "hub"},
    "OPTION": {"configMap": "options", "key": "o", "optional": True},
    "POD": {"field": "metadata.name"},
    "INDEX": {"field": "metadata.annotations['example.com/note']"},
    "BYTES": {"resource": "limits.memory", "divisor": "1Mi"},
}
SOURCES: Fields = {
    "all": {"configMap": "options", "prefix": "O_"},
    "keys": {"secret": "tokens", "optional": True},
}
SECURITY = {"runAsNonRoot": True, "runAsUser": 1000}
AFFINITY = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}}
        ]
    },
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"example.com/stage": "serve"}}, "topologyKey": "kubernetes.io/hostname"}
        ]
    },
}
SPREAD = {
    "maxSkew": 1,
    "topologyKey": "topology.kubernetes.io/zone",
    "whenUnsatisfiable": "ScheduleAnyway",
    "labelSelector": {"matchLabels": {"example.com/stage": "train"}},
}
VOLUMES: Fields = {
    "scratch": {"emptyDir": {"sizeLimit": "1Gi"}, "mountPath": "/scratch"},
    "fast": {"emptyDir": {"medium": "Memory"}, "mountPath": "/fast"},
    "node": {"hostPath": {"path": "/var/data", "type": "DirectoryOrCreate"}, "mountPath": "/host", "readOnly": True},
    "settings": {"configMap": {"name": "options", "items": {"o": "o.txt"}, "defaultMode": 0o440}, "mountPath": "/settings"},
    "keys": {"secret": "tokens", "mountPath": "/keys", "readOnly": True},
    "server": {"nfs": {"server": "nfs.example.com", "path": "/exports"}, "mountPath": "/nfs", "subPath": "a"},
    "driver": {"csi": {"driver": "csi.example.com", "attributes": {"a": "b"}, "secret": "tokens"}, "mountPath": "/csi"},
    "each": {"ephemeral": {"size": "1Gi"}, "mountPath": "/each"},
    "image": {"image": "registry.example.com/data:1", "mountPath": "/image"},
    "claim": {"pvc": "claim", "mountPath": "/claim", "readOnly": True},
    "new": {"pvc": {"create": {"size": "1Gi", "accessModes": ["ReadWriteMany"]}}, "mountPath": "/new"},
    "per-run": {"pvc": {"create": {"size": "1Gi", "accessModes": ["ReadWriteMany"], "scope": "run"}}, "mountPath": "/run-data"},
    "many": {"emptyDir": {}, "mounts": {"/many/a": "a", "/many/b": {"subPath": "b", "readOnly": True}}},
}


def some(random: Random, fields: Fields, chance: float) -> Fields:
    """Each field with the given chance."""
    return {key: value for key, value in fields.items() if random.random() < chance}


def program_fields(random: Random) -> Fields:
    """Fields of a container that keeps running."""
    made = {"ports": some(random, PORTS, 0.5), "probes": some(random, PROBES, 0.5)}
    return {**some(random, made, 0.2), **init_fields(random)}


def init_fields(random: Random) -> Fields:
    """Fields that every container has."""
    made: Fields = {
        "env": random.choice((some(random, VARIABLES, 0.3), {"A": "1", "PATH_OF_A": "$(A)/b"})),
        "envFrom": some(random, SOURCES, 0.5),
        "cpu": random.choice((1, "500m", {"request": 1, "limit": 2}, {"request": 1})),
        "memory": random.choice(("1Gi", "512Mi", {"request": "1Gi", "limit": "2Gi"}, 1073741824)),
        "ephemeralStorage": "2Gi",
        "resources": {"example.com/card": 2},
        "imagePullPolicy": random.choice(("Always", "IfNotPresent", "Never")),
        "workingDir": "/work",
    }
    return some(random, made, 0.2)


def pod_fields(random: Random) -> Fields:
    """Fields of a pod."""
    made: Fields = {
        "labels": {"example.com/stage": "train", "app": "a"},
        "annotations": {"example.com/scrape": "true"},
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
        "affinity": AFFINITY,
        "securityContext": {"fsGroup": 2000, "supplementalGroups": [3000]},
        "containerSecurityContext": SECURITY,
        "terminationGracePeriodSeconds": random.choice((0, 10, 120)),
        "hostNetwork": True,
        "hostIPC": True,
        "dnsPolicy": random.choice(("ClusterFirst", "Default")),
        "schedulerName": "my-scheduler",
        "runtimeClassName": "nvidia",
        "topologySpreadConstraints": [SPREAD],
        "restartPolicy": random.choice(("Never", "OnFailure")),
    }
    return some(random, made, 0.15)


def sidecars(random: Random) -> Fields:
    """Containers next to the program. Both may mount the volume that comes with them."""
    mounts = {"shared": random.choice(("/shared", {"mountPath": "/shared", "readOnly": True, "subPath": "s"}))}
    init = {
        "prepare": {"command": ["sh", "-c", "true"], **init_fields(random), "mounts": mounts},
        "check": {"image": "check:1", "command": ["check"], "after": ["prepare"], "securityContext": SECURITY},
    }
    beside = {
        "exporter": {"image": "exporter:1", **program_fields(random), "mounts": mounts},
        "agent": {"image": "agent:1", "native": False, **program_fields(random)},
    }
    volume = {"shared": {"emptyDir": {}, "mountPath": "/own"}}
    chosen = {"initContainers": init, "sidecars": beside}
    if random.random() < 0.3:
        del init["check"]
    return {**some(random, chosen, 0.7), "volumes": {**some(random, VOLUMES, 0.1), **volume}}


def _restart(random: Random) -> Fields:
    rules = {
        "oom": {"exitCodes": [137], "action": random.choice(("fail", "ignore", "count"))},
        "moved": {"disruption": True, "action": random.choice(("ignore", "count"))},
    }
    made = {"limit": random.choice((0, 1, 3)), "policy": random.choice(("Never", "OnFailure")), "rules": some(random, rules, 0.6)}
    return {"restart": some(random, made, 0.5)}


def _sweep(random: Random) -> Fields:
    sweeps: tuple[Fields, ...] = (
        {"matrix": {"env.LR": ["0.1", "0.2"]}},
        {"zip": {"nodes": [1, 2], "env.SIZE": ["a", "b"]}},
        {"matrix": {"memory": ["1Gi", "2Gi"]}, "include": [{"env.EXTRA": "1"}]},
    )
    return {"sweep": random.choice(sweeps)}


FIELDS: tuple[tuple[float, Callable[[Random], Fields]], ...] = (
    (0.3, lambda random: {"volumes": some(random, VOLUMES, 0.2)}),
    (0.25, _restart),
    (0.1, lambda _: {"state": "suspended"}),
    (0.1, _sweep),
    (0.15, lambda random: {"procsPerNode": random.choice((1, 2, 4))}),
    (0.15, lambda _: {"sharedMemory": "2Gi"}),
    (0.15, lambda random: {"gpu": random.choice(("a100:8", "h100:2", "t4"))}),
    (0.1, lambda _: {"imagePullSecrets": ["registry"]}),
    (0.1, lambda _: {"serviceAccountName": "trainer"}),
    (0.1, lambda _: {"deadline": "2h"}),
    (0.1, lambda random: {"cleanup": some(random, {"pods": "All", "ttlSeconds": 86400}, 0.7)}),
    (0.1, lambda random: {"script": random.choice(("train.sh", "set -e\npython train.py\n", "python -m train --lr 1e-3"))}),
)
"""Chance of a part of an experiment, and the function that makes it."""
SCHEDULES: tuple[Callable[[Random], Fields], ...] = (
    lambda random: {"queue": "research", **some(random, {"priorityClassName": "high", "minAvailable": 1}, 0.4)},
    lambda random: {"system": "volcano", "queue": "research", **some(random, {"networkTopology": {"mode": "soft"}}, 0.5)},
    lambda random: {"system": "volcano", "networkTopology": {"mode": "hard", "highestTierAllowed": 2}},
    lambda random: {"system": "coscheduling", **some(random, {"timeoutSeconds": 60}, 0.5)},
    lambda random: {"system": "none", "priorityClassName": random.choice(("high", "system-cluster-critical"))},
    lambda random: {"topology": {"exclusive": "kubernetes.io/hostname"}},
    lambda random: {"system": "kueue", "queue": "research", **some(random, {"workloadPriority": "high"}, 0.5)},
    lambda random: {
        "system": "kueue",
        "queue": "research",
        "topology": random.choice(({"required": "example.com/rack"}, {"preferred": "example.com/rack"}, {"unconstrained": True})),
    },
)
"""Gangs, queues, priorities, and topologies."""
