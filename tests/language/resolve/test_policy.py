"""What the policy of a project makes of warnings and notes, and that errors stay errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen
from tjgen.language.resolve.policy import judged
from tjgen.language.spec.objects import Policy
from tjgen.trees.diagnostics.model import Diagnostic

FOUND = [
    Diagnostic("TJ004", "a"),
    Diagnostic("TJ345", "b"),
    Diagnostic("TJ101", "c"),
]
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: team}
spec: {runtime: tjgen-torch, image: train:1, script: train.py, env: {ANSWER: yes}}
"""


@pytest.mark.parametrize(
    ("policy", "severities"),
    [
        ({}, ["warning", "info", "error"]),
        ({"strict": True}, ["error", "info", "error"]),
        ({"severity": {"TJ004": "ignore", "TJ101": "ignore"}}, ["info", "error"]),
        ({"severity": {"ambiguous-scalar": "info", "TJ345": "error"}}, ["info", "error", "error"]),
        ({"strict": True, "severity": {"TJ004": "info", "TJ345": "warning"}}, ["info", "error", "error"]),
    ],
)
def test_severities(policy: dict[str, object], severities: list[str]) -> None:
    assert [one.severity for one in judged(FOUND, Policy(policy))] == severities


def project(folder: Path, spec: str) -> None:
    (folder / "tjgen.yaml").write_text(f"apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec:\n  experiments: [runs]\n{spec}")


def test_a_strict_project_builds_nothing_with_warnings(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/run.yaml").write_text(EXPERIMENT)
    project(tmp_path, "")
    assert "warning[TJ004]" in tjgen(tmp_path, "build").err
    project(tmp_path, "  policy: {strict: true}\n")
    answer = tjgen(tmp_path, "build", "-o", "out")
    assert answer.code == 1 and "error[TJ004]" in answer.err and not (tmp_path / "out/runs").exists()
    project(tmp_path, "  policy: {strict: true, severity: {TJ004: ignore}}\n")
    answer = tjgen(tmp_path, "build")
    assert (answer.code, answer.err) == (0, "printing: the project has no spec.output.directory, and -o is not given\n")


def test_a_diagnostic_that_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/run.yaml").write_text(EXPERIMENT)
    project(tmp_path, "  policy: {severity: {TJ0044: ignore}}\n")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 1 and 'error[TJ760] tjgen.yaml:5:23: unknown diagnostic "TJ0044"' in answer.err


def test_a_project_whose_experiments_match_no_file_is_an_error(tmp_path: Path) -> None:
    project(tmp_path, "")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 1 and "error[TJ202] tjgen.yaml:4:17: file or folder runs does not exist" in answer.err
    (tmp_path / "runs").mkdir()
    assert "folder runs contains no YAML file" in tjgen(tmp_path, "build").err


def test_a_project_file_that_is_wrong_is_not_called_missing(tmp_path: Path) -> None:
    project(tmp_path, "  gitops: argo\n")
    answer = tjgen(tmp_path, "build")
    assert "TJ104" in answer.err and "TJ261" not in answer.err
