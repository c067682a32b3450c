"""A number -> a fleet of that many experiments, as a platform team has it: teams, runtimes, environments, overlays, sweeps.

Each experiment has texts of its own (image, arguments, variables, sizes), and two in five have a warning. `GOVERNED` adds what a
Platform decides: a namespace and a quota for each team, and policies.
"""

from __future__ import annotations

import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

TEAMS = 12
RUNTIMES = ("tjgen-torch", "tjgen-torch-volcano", "tjgen-jax", "tjgen-plain", "tjgen-xgboost")
ENVIRONMENTS = ("dev", "staging", "prod")
PLAIN, GOVERNED = "plain", "governed"

_PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: fleet}
spec:
  experiments: [experiments]
  overlays: [overlays]
  output: {directory: deploy}
  environments:
    dev: {cluster: dev, labels: {stage: dev}}
    staging: {cluster: west, labels: {stage: staging}}
    prod: {cluster: east, labels: {stage: prod}}
"""
_OVERLAYS = {
    "defaults": """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: defaults}
spec:
  layer: default
  experiment:
    sharedMemory: 32Gi
    env: {NCCL_DEBUG: WARN, OMP_NUM_THREADS: "8", PYTHONUNBUFFERED: "1"}
    pod: {terminationGracePeriodSeconds: 120}
""",
    "dev": """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: dev}
spec:
  match: {environments: [dev]}
  experiment: {nodes: 1, env: {LOG_LEVEL: debug}}
""",
    "prod": """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: prod}
spec:
  match: {environments: [prod]}
  experiment:
    env: {NCCL_IB_HCA: mlx5}
    pod:
      nodeSelector: {pool: training}
      securityContext: {runAsUser: 1000, fsGroup: 1000, fsGroupChangePolicy: OnRootMismatch}
""",
}
_EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: {team}, labels: {{team: {team}, study: "{study}"}}}}
spec:
  environments: [{environments}]
  runtime: {runtime}
  image: registry.example.com/{team}/train:1.{number}
  script: train.py --seed {number} --data /data --out /checkpoints
  nodes: {nodes}
  cpu: {cpu}
  memory: {memory}Gi
  env: {{LEARNING_RATE: "0.{number:04}", SEED: "{number}"{flag}}}
  volumes:
    corpus: {{pvc: corpus-{corpus}, mountPath: /data, readOnly: true}}
    checkpoints:
      pvc: {{create: {{size: {size}Gi, storageClassName: fast}}}}
      mountPath: /checkpoints
"""
_SWEEP = "  sweep: {{max: 2, matrix: {{env.SEED: [{first}, {second}]}}}}\n"
_POLICIES = ("host-path", "privileged")


def write(folder: str, count: int, kind: str = PLAIN) -> None:
    """Write the fleet with `count` experiments into the new folder `folder`."""
    _file(folder, "tjgen.yaml", _PROJECT + ("  platforms: [platform.yaml]\n" if kind == GOVERNED else ""))
    for name, text in _OVERLAYS.items():
        _file(folder, f"overlays/{name}.yaml", text)
    for number in range(count):
        _file(folder, path_of(number), experiment(number))
    if kind == GOVERNED:
        _file(folder, "platform.yaml", _platform(count))
        for name in _POLICIES:
            _file(folder, f"policies/{name}.yaml", "")
            shutil.copy(os.path.join(ROOT, f"templates/policies/{name}.yaml"), os.path.join(folder, f"policies/{name}.yaml"))


def path_of(number: int) -> str:
    """The file of an experiment in the folder of the fleet."""
    return f"experiments/{_team(number)}/run-{number:05}.yaml"


def experiment(number: int) -> str:
    """The text of one experiment."""
    chosen = ENVIRONMENTS[number % 3 :] if number % 4 else ENVIRONMENTS
    text = _EXPERIMENT.format(
        number=number,
        name=f"run-{number:05}",
        team=_team(number),
        study=number // 100,
        environments=", ".join(chosen),
        runtime=RUNTIMES[number % len(RUNTIMES)],
        nodes=1 + number % 4,
        cpu=8 + number % 24,
        memory=64 + number % 64,
        # The number has another value in YAML 1.1, which is the warning.
        flag=", OFFSET: 0777" if number % 5 < 2 else "",
        corpus=number % 11,
        size=100 + number,
    )
    return text + (_SWEEP.format(first=number, second=number + 1) if number % 20 == 0 else "")


def edit(folder: str, number: int) -> None:
    """Give an experiment another learning rate than it has."""
    path = os.path.join(folder, path_of(number))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('LEARNING_RATE: "0.', 'LEARNING_RATE: "0.1'))


def _team(number: int) -> str:
    return f"team-{number % TEAMS:02}"


def _platform(count: int) -> str:
    teams = sorted({_team(number) for number in range(count)})
    lines = ["apiVersion: tjgen.dev/v1alpha1", "kind: Platform", "metadata: {name: fleet}", "spec:", "  policies: [policies]"]
    lines += ["  storageClasses: {fast: {accessModes: [ReadWriteMany]}}"]
    lines += ["  namespaces:", *[f"    {team}: {{}}" for team in teams]]
    lines += ["  quotas:", *[f"    {team}: {{requests.cpu: 100000, requests.storage: 1Pi}}" for team in teams]]
    return "\n".join(lines) + "\n"


def _file(folder: str, path: str, text: str) -> None:
    target = os.path.join(folder, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
