"""Points of a sweep with `maxParallel`: what the summary counts at once, and why a point waits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.checkout import ROOT, list_entries
from tests.program import tjgen

NODES = """\
---
apiVersion: v1
kind: Node
metadata: {name: node-NUMBER}
status: {allocatable: {cpu: "32", memory: 100Gi, nvidia.com/gpu: "8", pods: "110"}}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  queues: {sweeps: {capability: {nvidia.com/gpu: 5}, create: {volcano: {weight: 1}}}}
  nodes: [nodes.yaml]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three points of which a queue admits two, and nodes for all."""
    for path in list_entries(ROOT / "tests/cases/parallel-points-of-a-sweep", "*.yaml"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_the_summary_has_what_the_points_request_at_once(folder: Path) -> None:
    answer = tjgen(folder, "build", "experiment.yaml", "--summary")
    assert (answer.code, answer.err) == (0, "")
    assert [line.split() for line in answer.out.splitlines()[-2:]] == [
        ["TOTAL", "all", "6", "6", "-"],
        ["2", "of", "tuning", "at", "once", "current", "4", "4", "-"],
    ]


def test_the_summary_has_no_such_line_if_all_points_train_at_once(folder: Path) -> None:
    experiment = folder / "experiment.yaml"
    text = experiment.read_text(encoding="utf-8")
    experiment.write_text(text.replace("maxParallel: 2", "maxParallel: 3"), encoding="utf-8")
    assert "at once" not in tjgen(folder, "build", "experiment.yaml", "--summary").out


def test_a_point_that_waits_names_the_limit(folder: Path) -> None:
    (folder / "platform.yaml").write_text(PLATFORM, encoding="utf-8")
    (folder / "nodes.yaml").write_text("".join(NODES.replace("NUMBER", str(one)) for one in range(4)), encoding="utf-8")
    answer = tjgen(folder, "fit", "experiment.yaml")
    assert answer.code == 0
    assert "lab: 4 nodes; 2 of 3 runs can start" in answer.out
    assert "warning[TJ582]" in answer.err
    hint = "sweep.maxParallel lets 2 points train at once: this one starts when another run of the queue ends"
    assert f"hint: {hint}\n" in answer.err


def test_a_queue_that_is_smaller_than_the_limit_is_the_reason(folder: Path) -> None:
    """The queue starts one point, so maxParallel is not what the others wait for."""
    (folder / "platform.yaml").write_text(PLATFORM.replace("gpu: 5", "gpu: 3"), encoding="utf-8")
    (folder / "nodes.yaml").write_text("".join(NODES.replace("NUMBER", str(one)) for one in range(4)), encoding="utf-8")
    answer = tjgen(folder, "fit", "experiment.yaml")
    assert ("TJ582" in answer.err, "lets 2 points train at once" in answer.err) == (True, False), answer.err
