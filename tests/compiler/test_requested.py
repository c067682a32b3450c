"""Fields of an experiment that reach every field of the manifest that goes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: team}
spec:
  runtime: %s
  image: registry.example.com/train:1
  script: train.py
%s
"""
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: ours}
spec:
  mlPolicy: {numNodes: 1}
  template:
    spec:
      replicatedJobs:
        - name: ps
          template:
            spec:
              parallelism: 2
              completions: 2
              template: {spec: {containers: [{name: node, image: ps, command: [ps]}]}}
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {containers: [{name: node, image: train}]}}}
"""


def jobs(folder: Path, runtime: str, more: str) -> dict[str, Any]:
    """The replicated jobs of the JobSet, by name."""
    (folder / "experiment.yaml").write_text(EXPERIMENT % (runtime, more))
    answer = tjgen(folder, "build", "--expanded", "experiment.yaml")
    assert answer.code == 0, answer.err
    jobset = next(one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet")
    return {job["name"]: job["template"]["spec"] for job in jobset["spec"]["replicatedJobs"]}


def test_replicas_of_a_role_are_its_parallelism_and_its_completions(tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").write_text(RUNTIME)
    (tmp_path / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {catalogs: [ours.yaml]}\n")
    spec = jobs(tmp_path, "ours", "  roles: {ps: {replicas: 3}}")["ps"]
    assert (spec["parallelism"], spec["completions"]) == (3, 3)


@pytest.mark.parametrize(
    ("more", "requests"),
    [
        ("  prefetch: {cache: {memory: {size: 10Gi}, ssd: {size: 100Gi}}}", {"memory": "10Gi", "ephemeral-storage": "100Gi"}),
        ("  memory: 64Gi\n  prefetch: {cache: {memory: {size: 10Gi}}}", {"memory": "64Gi"}),
        ("  ephemeralStorage: 1Ti\n  prefetch: {cache: {ssd: {size: 100Gi}}}", {"ephemeral-storage": "1Ti"}),
        ("  prefetch: {cache: {ssd: {size: 100Gi, storageClassName: local}}}", {}),
    ],
)
def test_a_cache_requests_what_it_takes_of_the_node(more: str, requests: dict[str, str], tmp_path: Path) -> None:
    [container] = jobs(tmp_path, "tjgen-torch", more)["node"]["template"]["spec"]["containers"]
    assert (container.get("resources") or {}).get("requests", {}) == requests
