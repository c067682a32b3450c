"""The verdict on one run is used for another one only if the webhooks read the same objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: shared-verdicts}
spec: {experiments: [experiments], catalogs: [catalog]}
"""
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: shared, namespace: NAMESPACE, annotations: {tjgen.dev/origin: cluster}}
spec:
  mlPolicy: POLICY
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {containers: [{name: node, image: "a:1"}]}}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: NAMESPACE}
spec: {runtime: {name: shared, kind: TrainingRuntime}, image: "b:1", command: [python, t.py], env: {PET_NNODES: "1"}}
"""


@pytest.mark.parametrize("first", ["team-1", "team-2"])
def test_runs_of_runtimes_with_one_name_are_judged_apart(tmp_path: Path, first: str) -> None:
    """A webhook refuses PET_NNODES if the runtime is for PyTorch. Both TrainJobs are equal but for the namespace."""
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    for namespace, policy in (("team-1", "{numNodes: 1}"), ("team-2", "{numNodes: 1, torch: {}}")):
        for folder, name, text in (("catalog", "shared", RUNTIME), ("experiments", "run", EXPERIMENT)):
            file = tmp_path / folder / ("a" if namespace == first else "b") / f"{name}.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("NAMESPACE", namespace).replace("POLICY", policy), encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 1, answer.out
    assert answer.err.count("TJ530") == 1
    assert "must not have reserved envs" in answer.err
