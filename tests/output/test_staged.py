"""`tjgen build --staged`: what Git's index holds, against itself. tests/test_hooks.py has the rest, with the real pre-commit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: mnist, namespace: vision}
spec: {runtime: tjgen-torch, image: registry.example/mnist:1, script: train.py}
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: deploy}
"""


def git(folder: Path, *words: str) -> None:
    command = ["git", "-C", str(folder), "-c", "user.name=tests", "-c", "user.email=tests@example.com", *words]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a folder of a repository in which nothing was added yet."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    project = tmp_path / "repository" / "project"
    (project / "experiments").mkdir(parents=True)
    (project / "experiments/mnist.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (project / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    git(project.parent, "init", "--quiet", "--initial-branch=main")
    return project


def build(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "build", "--staged", *words)


def test_from_nothing_to_a_commit(folder: Path) -> None:
    answer = build(folder)
    assert answer.code == 1
    assert "error[TJ700] 3 files of the output would not be in a commit as built, such as deploy/runs/vision/mnist/" in answer.err
    assert "hint: git add deploy tjgen.lock.d\n" in answer.err
    assert "TJ062" not in answer.err
    git(folder, "add", "--all")
    for words in ([], ["--check"], ["-o", str(folder / "deploy"), str(folder / "experiments/mnist.yaml")]):
        assert build(folder, *words).code == 0, words


def test_what_is_wrong_with_the_index_is_told_whatever_the_folder_holds(folder: Path) -> None:
    build(folder)
    git(folder, "add", "--all")
    experiment = folder / "experiments/mnist.yaml"
    experiment.write_text(EXPERIMENT.replace("script", "scripd"), encoding="utf-8")
    git(folder, "add", "--all")
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    for words in ([], ["--check"]):
        answer = build(folder, *words)
        assert (answer.code, 'unknown field "scripd"' in answer.err) == (1, True), words
    assert tjgen(folder, "build", "--check").code == 0
    # The line is that of the index, which the folder does not hold.
    assert "scripd: train.py" in answer.err


def test_reports_name_files_from_the_top_also_for_the_index(folder: Path) -> None:
    build(folder)
    (folder / "experiments/mnist.yaml").write_text(EXPERIMENT.replace("script", "scripd"), encoding="utf-8")
    git(folder, "add", "--all")
    (folder / "experiments/draft.yaml").write_text(EXPERIMENT, encoding="utf-8")
    found = json.loads(build(folder, "--check", "--format", "gitlab").err)
    assert found[0]["location"]["path"] == "project/experiments/mnist.yaml"


def test_files_that_builds_do_not_read_are_no_reason_to_look_closer(folder: Path) -> None:
    (folder / "model.bin").write_bytes(b"\0")
    build(folder)
    git(folder, "add", "--all")
    (folder / "model.bin").unlink()
    (folder / "link.yaml").symlink_to("nowhere")
    assert build(folder).code == 0
    assert build(folder, "--check").code == 0


def test_from_another_folder(folder: Path) -> None:
    assert tjgen(folder.parent, "build", "--staged", "-C", "project").code == 1
    git(folder, "add", "--all")
    assert tjgen(folder.parent, "build", "--staged", "--check", "-C", "project").code == 0
    answer = tjgen(folder.parent, "build", "--staged", "-C", "nosuch")
    assert (answer.code, answer.err) == (2, "Error: -C nosuch: No such file or directory\n")
    answer = tjgen(folder.parent, "diff", "-C", "nosuch")
    assert (answer.code, answer.err) == (2, "Error: -C nosuch: No such file or directory\n")


def test_without_a_repository_or_outside_of_it(folder: Path, tmp_path: Path) -> None:
    answer = build(folder, "-o", str(tmp_path / "elsewhere"))
    assert (answer.code, "TJ094" in answer.err) == (1, True)
    assert not (tmp_path / "elsewhere").exists()
    (folder.parent / ".git").rename(tmp_path / "away")
    answer = build(folder)
    assert (answer.code, "TJ091" in answer.err) == (1, True)
    assert not (folder / "deploy").exists()


def test_wrong_use(folder: Path) -> None:
    assert build(folder, "-o", "a.yaml").err == "Error: --staged needs -o DIR\n"
    (folder / "tjgen.yaml").write_text(PROJECT.replace("  output: {directory: deploy}\n", ""), encoding="utf-8")
    answer = build(folder)
    assert answer.code == 2
    assert answer.err.startswith("Error: --staged compares with an output: give -o DIR")
