"""What the Platform shows of the queues of Kueue: runs that it admits and that never run, or never queues."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Answer, tjgen

PROJECT = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [run.yaml], platforms: [platform.yaml]}\n"
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  cluster: {kueue: "%s"}
  flavors:
    a100: {nodeLabels: {%s: a100}}
    h100: {nodeLabels: {%s: h100}}
  queues:
    research:
      create:
        kueue:
          namespaces: [team]
          %s
          flavors:
            - {name: a100, quota: {nvidia.com/gpu: 8, cpu: 400, memory: 4Ti}}
            - {name: h100, quota: {nvidia.com/gpu: 8, cpu: 400, memory: 4Ti}}
"""
RUN = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: team}
spec:
  runtime: tjgen-torch
  target: %s
  image: train:1
  script: train.py
  nodes: %d
  resources: {nvidia.com/gpu: 8}
  cpu: 8
  memory: 64Gi
  sharedMemory: 8Gi
  pod: {nodeSelector: {gpu: h100}}
  schedule: {system: kueue, queue: research}
"""


def build(
    folder: Path, *, label: str = "gpu", kueue: str = "0.19", cohort: str = "", target: str = "jobset", nodes: int = 1
) -> Answer:
    (folder / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "platform.yaml").write_text(PLATFORM % (kueue, label, label, cohort), encoding="utf-8")
    run = RUN % (target, nodes)
    (folder / "run.yaml").write_text(run.replace("tjgen-torch", "tjgen-mpi") if target == "mpijob" else run, encoding="utf-8")
    return tjgen(folder, "build", "run.yaml")


@pytest.mark.parametrize(("label", "is_reported"), [("gpu", False), ("pool", True)])
def test_kueue_ignores_a_node_label_that_no_flavor_has(tmp_path: Path, label: str, is_reported: bool) -> None:
    answer = build(tmp_path, label=label)
    assert answer.code == 0, answer.err
    assert ("warning[TJ396] run.yaml:15:36: no flavor of queue research has the node label gpu" in answer.err) is is_reported


def test_a_queue_of_a_cohort_may_borrow(tmp_path: Path) -> None:
    """A run that requests 24 devices of a queue with 16 ran in a cohort, with 8 borrowed."""
    alone = build(tmp_path, nodes=3)
    assert (alone.code, "error[TJ385]" in alone.err) == (1, True)
    borrowing = build(tmp_path, nodes=3, cohort="cohort: lab")
    assert (borrowing.code, "TJ385" in borrowing.err) == (0, False)


@pytest.mark.parametrize(
    ("kueue", "target", "is_reported"),
    [("0.19", "pytorchjob", True), ("0.15", "pytorchjob", False), ("0.19.1", "mpijob", False), ("0.19", "jobset", False)],
)
def test_kueue_leaves_out_the_kinds_of_the_training_operator(tmp_path: Path, kueue: str, target: str, is_reported: bool) -> None:
    answer = build(tmp_path, kueue=kueue, target=target)
    assert answer.code == 0, answer.err
    assert ("warning[TJ397]" in answer.err) is is_reported
