"""Objects that a Platform no longer creates while runs of the output tree use them (TJ269)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: lab}
spec: {experiments: [experiments], platforms: [platform.yaml], output: {directory: deploy}}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  namespaces: {nlp: {}}
  priorityClasses:
    urgent: {value: 1000}
    other: {value: 10}
  queues:
    text: {create: {TEXT}}
    speech: {create: {SPEECH}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch
  image: registry.example.com/nlp/bert:1
  script: train.py
  schedule: {system: volcano, queue: text, priorityClassName: urgent}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose only run uses queue `text` and class `urgent`."""
    text = PLATFORM.replace("{TEXT}", "{volcano: {}}").replace("{SPEECH}", "{volcano: {}}")
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "platform.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 0, answer.err
    return tmp_path


def edit(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def run_of(folder: Path) -> str:
    (run,) = (folder / "deploy/runs/nlp/bert").iterdir()
    return run.name


def supersede(folder: Path) -> str:
    """Move the experiment to another queue and class; the name of the run that stays in the old ones."""
    old = run_of(folder)
    edit(folder, "experiments/bert.yaml", "queue: text, priorityClassName: urgent", "queue: speech, priorityClassName: other")
    assert tjgen(folder, "build").code == 0
    return old


def test_a_removed_queue_that_a_superseded_run_uses_is_a_warning(folder: Path) -> None:
    old = supersede(folder)
    edit(folder, "platform.yaml", "    text: {create: {volcano: {}}}\n", "")
    answer = tjgen(folder, "build")
    assert (
        f'warning[TJ269] platform.yaml:3:18: platform "lab" no longer creates Queue text, and 1 run uses it: {old}\n'
        in answer.err
    )
    assert "TJ269" not in tjgen(folder, "build").err


def test_the_policy_of_the_project_decides_whether_it_is_an_error(folder: Path) -> None:
    supersede(folder)
    edit(folder, "platform.yaml", "    text: {create: {volcano: {}}}\n", "")
    edit(folder, "tjgen.yaml", "spec: {", "spec: {policy: {strict: true}, ")
    for _ in range(2):  # nothing is written
        answer = tjgen(folder, "build")
        assert (answer.code, "error[TJ269]" in answer.err) == (1, True), answer.err
    edit(folder, "tjgen.yaml", "{strict: true}", "{strict: true, severity: {TJ269: info}}")
    answer = tjgen(folder, "build")
    assert (answer.code, "info[TJ269]" in answer.err) == (0, True), answer.err


def test_a_removed_class_that_a_superseded_run_uses_is_a_warning(folder: Path) -> None:
    old = supersede(folder)
    edit(folder, "platform.yaml", "    urgent: {value: 1000}\n", "")
    assert f"no longer creates PriorityClass urgent, and 1 run uses it: {old}" in tjgen(folder, "build").err


def test_a_removed_object_that_no_run_uses_is_not_reported(folder: Path) -> None:
    edit(folder, "platform.yaml", "    speech: {create: {volcano: {}}}\n", "")
    edit(folder, "platform.yaml", "    other: {value: 10}\n", "")
    answer = tjgen(folder, "build")
    assert (answer.code, "TJ269" in answer.err) == (0, False), answer.err


def test_an_archived_run_uses_nothing(folder: Path) -> None:
    old = supersede(folder)
    assert tjgen(folder, "runs", "archive", old).code == 0
    edit(folder, "platform.yaml", "    text: {create: {volcano: {}}}\n", "")
    assert "TJ269" not in tjgen(folder, "build").err


def test_the_objects_of_a_removed_platform_are_reported(folder: Path) -> None:
    run = run_of(folder)
    edit(folder, "tjgen.yaml", "platforms: [platform.yaml], ", "")
    edit(folder, "experiments/bert.yaml", "  schedule: {system: volcano, queue: text, priorityClassName: urgent}\n", "")
    answer = tjgen(folder, "build")
    assert answer.code == 0, answer.err
    for what in ("Namespace nlp", "Queue text", "PriorityClass urgent"):
        assert f'warning[TJ269] platform "lab" no longer creates {what}, and 1 run uses it: {run}\n' in answer.err
    assert not (folder / "deploy/platform").exists()
