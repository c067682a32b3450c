"""A seed -> random experiments for every target, to compare previews with what controllers create."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.e2e.inputs import Input
from tests.e2e.random_fields import FIELDS, SCHEDULES, pod_fields, program_fields, sidecars

TOGETHER = 50
"""Experiments in one namespace, which are in the cluster at the same time."""
TARGETS = {
    "trainjob": (
        *("tjgen-torch", "tjgen-plain", "tjgen-jax", "tjgen-mpi", "tjgen-xgboost", "tjgen-torch-volcano"),
        *("tjgen-torch-coscheduling", "tjgen-torch-initializers", "tjgen-torch-dataset", "tjgen-torch-model"),
    ),
    "jobset": ("tjgen-torch", "tjgen-plain", "tjgen-jax", "tjgen-xgboost", "tjgen-torch-coscheduling"),
    "volcanojob": ("tjgen-torch", "tjgen-plain", "tjgen-mpi", "tjgen-jax"),
    "pytorchjob": ("tjgen-torch", "tjgen-plain"),
    "tfjob": ("tjgen-plain",),
    "mpijob": ("tjgen-mpi",),
    "xgboostjob": ("tjgen-xgboost", "tjgen-plain"),
    "jaxjob": ("tjgen-jax", "tjgen-plain"),
    "paddlejob": ("tjgen-paddle", "tjgen-plain"),
}
"""Target -> the runtimes that it takes."""


def experiments(seed: int, folder: Path) -> Iterator[Input]:
    """Yield experiments without end, each in a folder of its own; some of them do not build."""
    random = Random(seed)
    ordinal = 0
    while True:
        name = f"r{seed}-{ordinal}"
        place = folder / name
        place.mkdir(parents=True)
        document = {
            "apiVersion": "tjgen.dev/v1alpha1",
            "kind": "Experiment",
            "metadata": {"name": name, "namespace": f"random-{seed}-{ordinal // TOGETHER}", **_marks(random)},
            "spec": _spec(random),
        }
        (place / "experiment.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
        yield Input(name, place, ("experiment.yaml",))
        ordinal += 1


def _marks(random: Random) -> dict[str, Any]:
    marks = {"labels": {"team": "vision"}, "annotations": {"example.com/note": "a"}}
    return {key: value for key, value in marks.items() if random.random() < 0.3}


def _spec(random: Random) -> dict[str, Any]:
    target = random.choice(list(TARGETS))
    spec: dict[str, Any] = {
        "target": target,
        "runtime": random.choice(TARGETS[target]),
        "image": random.choice(("train:1", "registry.example.com/team/train:2")),
        "script": "train.py --seed 1",
        "naming": random.choice(("fixed", "hash")),
    }
    if random.random() < 0.8:
        spec["nodes"] = random.choice((1, 2, 3, 5))
    for chance, make in FIELDS:
        if random.random() < chance:
            spec |= make(random)
    spec |= program_fields(random)
    if random.random() < 0.4:
        spec["pod"] = pod_fields(random)
    if random.random() < 0.3:
        spec |= sidecars(random)
    if random.random() < 0.4:
        spec["schedule"] = random.choice(SCHEDULES)(random)
    change = _OF_TARGET.get(target)
    return spec | change(random, spec) if change is not None else spec


def _trainjob(random: Random, spec: dict[str, Any]) -> dict[str, Any]:
    initializer = {"dataset": {"storageUri": "hf://org/data"}, "model": {"storageUri": "hf://org/model", "secretRef": "hf"}}
    wanted = {"initializers": ("dataset", "model"), "dataset": ("dataset",), "model": ("model",)}
    kinds = wanted.get(str(spec["runtime"]).rpartition("-")[2], ())
    changes: dict[str, Any] = {"initializer": {kind: initializer[kind] for kind in kinds}} if kinds else {}
    if kinds and random.random() < 0.5:
        changes["roles"] = {f"{kinds[0]}-initializer": {**program_fields(random), "pod": pod_fields(random)}}
    if spec["runtime"] == "tjgen-mpi" and random.random() < 0.5:
        changes["roles"] = {"launcher": {"memory": "2Gi", "env": {"ROLE": "launcher"}, "pod": {"labels": {"example.com/r": "l"}}}}
    return changes


def _tfjob(random: Random, spec: dict[str, Any]) -> dict[str, Any]:
    if random.random() < 0.3:
        return {}
    spec.pop("nodes", None)
    roles: dict[str, Any] = {"chief": {"replicas": 1}, "worker": {"replicas": random.choice((1, 2, 3))}}
    if random.random() < 0.5:
        roles["ps"] = {"replicas": random.choice((1, 2)), **program_fields(random)}
    if random.random() < 0.3:
        roles["evaluator"] = {"replicas": 1, "pod": pod_fields(random)}
    return {"roles": roles}


def _pytorchjob(random: Random, spec: dict[str, Any]) -> dict[str, Any]:
    if random.random() < 0.3:
        cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
        elastic: dict[str, Any] = {"min": 1, "max": random.choice((2, 4)), "restarts": 2, "metrics": [cpu]}
        return {
            "nodes": 2,
            "elastic": {key: one for key, one in elastic.items() if key in ("min", "max") or random.random() < 0.6},
        }
    return {}


def _mpijob(random: Random, spec: dict[str, Any]) -> dict[str, Any]:
    roles = {
        "worker": {"env": {"ROLE": "worker"}, "pod": pod_fields(random)},
        "launcher": {**program_fields(random), "pod": pod_fields(random)},
    }
    return {"roles": {name: one for name, one in roles.items() if random.random() < 0.4}, **_processes(random)}


def _volcanojob(random: Random, spec: dict[str, Any]) -> dict[str, Any]:
    for name in ("restart", "deadline", "cleanup"):  # a Volcano Job has its own fields
        spec.pop(name, None)
    spec.get("schedule", {}).pop("topology", None)
    if spec.get("schedule", {}).get("system") not in (None, "volcano"):
        del spec["schedule"]
    plugins = {
        "svc": random.choice(([], ["--publish-not-ready-addresses=true"], ["--disable-network-policy=true"])),
        "ssh": random.choice(([], ["--ssh-key-file-path=/home/me/.ssh"], ["--ssh-port=2022"])),
        "env": [],
        "hcclrank": [],
        "pytorch": ["--master=node", "--worker=none"],
        "tensorflow": ["--worker=node", "--port=3333"],
        "mpi": ["--master=node", "--worker=none"],
    }
    volcano: dict[str, Any] = {
        "plugins": {name: one for name, one in plugins.items() if random.random() < 0.3},
        "policies": {"PodEvicted": "RestartJob", "TaskCompleted": "CompleteJob"},
        "maxRetry": 4,
        "minSuccess": 1,
        "runningEstimate": "2h",
        "tasks": {"node": {"maxRetry": 2}},
    }
    changes: dict[str, Any] = {"volcano": {key: one for key, one in volcano.items() if random.random() < 0.4}}
    if spec["runtime"] == "tjgen-mpi":
        volcano.pop("tasks")
    if spec["runtime"] == "tjgen-plain" and random.random() < 0.5:
        spec.pop("nodes", None)
        changes["volcano"].pop("tasks", None)
        for name in set(plugins) - {"svc", "ssh", "env"}:
            changes["volcano"].get("plugins", {}).pop(name, None)
        roles = {"master": {"replicas": 1}, "worker": {"replicas": random.choice((1, 3)), **program_fields(random)}}
        changes["roles"] = roles
    return changes


def _processes(random: Random) -> dict[str, Any]:
    return {"procsPerNode": random.choice((1, 2, 4))} if random.random() < 0.3 else {}


_OF_TARGET: dict[str, Callable[[Random, dict[str, Any]], dict[str, Any]]] = {
    "trainjob": _trainjob,
    "tfjob": _tfjob,
    "pytorchjob": _pytorchjob,
    "mpijob": _mpijob,
    "volcanojob": _volcanojob,
}
"""Target -> fields that suit it."""
