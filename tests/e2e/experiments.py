"""A seed -> random experiments for every target, to compare previews with what controllers create."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from tests.e2e.inputs import Input

NAMESPACE = "random-experiments"
TARGETS = {
    "trainjob": ("tjgen-torch", "tjgen-plain", "tjgen-jax", "tjgen-mpi", "tjgen-xgboost", "tjgen-torch-volcano"),
    "jobset": ("tjgen-torch", "tjgen-plain", "tjgen-jax", "tjgen-xgboost"),
    "volcanojob": ("tjgen-torch", "tjgen-plain", "tjgen-mpi", "tjgen-jax"),
    "pytorchjob": ("tjgen-torch", "tjgen-plain"),
    "tfjob": ("tjgen-plain",),
    "mpijob": ("tjgen-mpi",),
    "xgboostjob": ("tjgen-xgboost", "tjgen-plain"),
    "jaxjob": ("tjgen-jax", "tjgen-plain"),
}
"""Target -> the runtimes that it takes."""


def experiments(number: int, seed: int, folder: Path) -> Iterator[Input]:
    """Yield experiments, each in a folder of its own; some of them do not build."""
    random = Random(seed)
    for ordinal in range(number):
        name = f"r{seed}-{ordinal}"
        place = folder / name
        place.mkdir(parents=True)
        document = {
            "apiVersion": "tjgen.dev/v1alpha1",
            "kind": "Experiment",
            "metadata": {"name": name, "namespace": NAMESPACE, **_marks(random)},
            "spec": _spec(random),
        }
        (place / "experiment.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
        yield Input(name, place, ("experiment.yaml",))


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
    optional: dict[str, Any] = {
        "nodes": random.choice((1, 2, 3, 5)),
        "env": {name: random.choice(("1", "a b", "")) for name in random.sample(("A", "B", "RANK_HINT"), 2)},
        "resources": {"cpu": random.choice((1, 2)), "memory": random.choice(("1Gi", "512Mi"))},
        "pod": _pod(random),
        "volumes": {"scratch": {"emptyDir": {"sizeLimit": "1Gi"}, "mountPath": "/scratch"}},
        "restart": {"limit": random.choice((0, 1, 3))},
        "state": random.choice(("active", "suspended")),
    }
    chances = {"nodes": 0.8, "state": 0.1, "restart": 0.2}
    spec |= {key: value for key, value in optional.items() if random.random() < chances.get(key, 0.4)}
    if target == "tfjob" and random.random() < 0.6:
        spec.pop("nodes", None)
        spec["roles"] = {"chief": {"replicas": 1}, "worker": {"replicas": random.choice((1, 2, 3))}}
        if random.random() < 0.5:
            spec["roles"]["ps"] = {"replicas": random.choice((1, 2))}
    if target == "volcanojob" or spec["runtime"].endswith("volcano"):
        spec["schedule"] = {"queue": "research"} if random.random() < 0.6 else {}
    return spec


def _pod(random: Random) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "labels": {"example.com/stage": "train"},
        "annotations": {"example.com/scrape": "true"},
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
        "terminationGracePeriodSeconds": random.choice((10, 120)),
        "hostNetwork": True,
    }
    return {key: value for key, value in fields.items() if random.random() < 0.3}
