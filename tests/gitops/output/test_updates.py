"""A build that changes a claim as no API server allows: a warning at the line of the experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [experiment.yaml], output: {directory: deploy}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: registry.example.com/digits:1
  volumes:
    out: {pvc: {create: {size: 100Gi, storageClassName: fast}}, mountPath: /out}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert tjgen(tmp_path, "build").code == 0
    return tmp_path


def changed(project: Path, old: str, new: str) -> None:
    (project / "experiment.yaml").write_text(EXPERIMENT.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "column"), [("100Gi", "50Gi", 32), ("fast", "slow", 25)], ids=["smaller", "another class"]
)
def test_a_refused_change_of_a_claim_is_a_warning(project: Path, old: str, new: str, column: int) -> None:
    changed(project, old, new)
    checked = tjgen(project, "build", "--check")
    assert f"warning[TJ540] experiment.yaml:8:{column}: PersistentVolumeClaim/digits-out: spec" in checked.err
    built = tjgen(project, "build")
    assert built.code == 0
    assert built.err.count("warning[TJ540]") == 1
    assert tjgen(project, "build").err.count("TJ540") == 0


def test_a_larger_claim_is_no_problem(project: Path) -> None:
    changed(project, "100Gi", "200Gi")
    assert "TJ540" not in tjgen(project, "build").err


def test_a_comparison_reports_the_refusal_once(project: Path) -> None:
    changed(project, "100Gi", "50Gi")
    assert tjgen(project, "diff").err.count("[TJ540]") == 1
