"""A number -> a project with that many experiments: three runtimes, two overlays, claims, Volcano queues.

Experiments of a project are `MIXED` (924 combinations of runtime, nodes, volume, and namespace), `ALIKE` (12 combinations, with
other names, images, arguments, variables, labels, and sizes), or `DIFFERENT` (each has a field that no other has).
"""

from __future__ import annotations

import os
from collections.abc import Iterator

RUNTIMES = ("tjgen-torch-volcano", "tjgen-jax", "tjgen-plain")
TEAMS = 7
MIXED, ALIKE, DIFFERENT = "mixed", "alike", "different"

_PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: benchmark}
spec:
  experiments: [experiments]
  overlays: [overlays]
  schedule: {system: volcano}
  environments:
    production: {cluster: west, labels: {stage: production}}
"""

_DEFAULTS = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: defaults}
spec:
  layer: default
  experiment:
    sharedMemory: 64Gi
    env: {NCCL_DEBUG: WARN, OMP_NUM_THREADS: "8", PYTHONUNBUFFERED: "1"}
    pod: {terminationGracePeriodSeconds: 120}
"""

_PRODUCTION = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: production}
spec:
  match: {environments: [production]}
  experiment:
    env: {NCCL_DEBUG: INFO, NCCL_IB_HCA: mlx5}
    metadata:
      annotations: {contact: training@example.com}
    pod:
      nodeSelector: {pool: training}
      securityContext: {runAsUser: 1000, fsGroup: 1000, fsGroupChangePolicy: OnRootMismatch}
"""

_EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata:
  name: {name}
  namespace: {space}
  labels: {{study: "{study}"}}
spec:
  runtime: {runtime}
  image: registry.example.com/{space}/train:1.{number}
  script: train.py --seed {number} --data /data --out /checkpoints
  nodes: {nodes}
  gpu: h100:8
  cpu: 96
  memory: 768Gi
  env: {{LEARNING_RATE: "0.0003", SEED: "{number}"}}
  volumes:
    corpus-{corpus}: {{pvc: corpus-{corpus}, mountPath: /data, readOnly: true}}
    checkpoints:
      pvc: {{create: {{size: {size}Gi, storageClassName: fast}}}}
      mountPath: /checkpoints
  schedule: {{queue: {space}}}
"""


def write(folder: str, count: int, kind: str = MIXED, *, points: int = 0) -> None:
    """Write the project with `count` experiments of a kind into the new folder `folder`, each with a sweep of `points`."""
    sweep = f"  sweep: {{max: {points}, matrix: {{env.SEED: {[*range(points)]}}}}}\n" if points else ""
    _file(folder, "tjgen.yaml", _PROJECT)
    _file(folder, "overlays/defaults.yaml", _DEFAULTS)
    _file(folder, "overlays/production.yaml", _PRODUCTION)
    for number in range(count):
        _file(folder, path_of(number), experiment(number, kind) + sweep)


def path_of(number: int) -> str:
    """The file of an experiment in the project's folder."""
    return f"experiments/{namespace_of(number)}/{name_of(number)}.yaml"


def name_of(number: int) -> str:
    return f"study-{number:05d}"


def namespace_of(number: int) -> str:
    return f"team-{number % TEAMS}"


def experiment(number: int, kind: str = MIXED) -> str:
    """The text of one experiment."""
    is_alike = kind == ALIKE
    text = _EXPERIMENT.format(
        number=number,
        name=name_of(number),
        space="team" if is_alike else namespace_of(number),
        study=number // 100,
        runtime=RUNTIMES[number % len(RUNTIMES)],
        nodes=2 + number % 4,
        corpus=0 if is_alike else number % 11,
        size=_size(number),
    )
    return text + (f"  pod: {{terminationGracePeriodSeconds: {number + 1}}}\n" if kind == DIFFERENT else "")


def values(count: int) -> Iterator[dict[str, str]]:
    """What a chart would be given for each experiment."""
    for number in range(count):
        space = namespace_of(number)
        image = f"registry.example.com/{space}/train:1.{number}"
        yield {"name": name_of(number), "image": image, "size": f"{_size(number)}Gi", "queue": space}


def _size(number: int) -> int:
    return 100 + number


def _file(folder: str, path: str, text: str) -> None:
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
