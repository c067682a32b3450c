"""How long a run takes at most, by the table of outcomes: what costs and timelines assume."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.program import tjgen
from tjgen.compiler.totals.cost import deadline_of

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: llm, namespace: team}
spec:
  runtime: tjgen-torch
  target: TARGET
  image: registry.example.com/llm:1
  script: train.py
  nodes: 2
  deadline: 100
"""


@pytest.mark.parametrize(
    ("target", "limit", "seconds"),
    [
        ("trainjob", 2, 100),
        ("jobset", 0, 100),
        ("jobset", 2, 300),
        ("rayjob", 3, 400),
        ("pytorchjob", 2, 100),
    ],
)
def test_restarts_with_a_deadline_of_their_own_count(target: str, limit: int, seconds: int, tmp_path: Path) -> None:
    text = EXPERIMENT.replace("TARGET", target).replace("tjgen-torch", "tjgen-plain" if target == "rayjob" else "tjgen-torch")
    (tmp_path / "llm.yaml").write_text(f"{text}  restart: {{limit: {limit}}}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build", "llm.yaml")
    assert answer.code == 0, answer.err
    assert deadline_of(yaml.safe_load_all(answer.out)) == seconds
    assert ("TJ428" in answer.err) == (target == "pytorchjob" or seconds > 100)


def test_a_job_of_an_operator_that_does_not_look_has_no_end() -> None:
    template = {"spec": {"containers": [{"name": "pytorch", "image": "a"}]}}
    job = {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "a"},
        "spec": {"runPolicy": {"activeDeadlineSeconds": 9}, "pytorchReplicaSpecs": {"Master": {"template": template}}},
    }
    assert deadline_of([job]) is None
