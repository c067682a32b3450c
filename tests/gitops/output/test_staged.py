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


def test_files_of_any_kind_are_taken_as_the_index_holds_them(folder: Path) -> None:
    """Code in a ConfigMap, what is large, links, and what was removed or changed and not staged."""
    (folder / "src").mkdir()
    (folder / "src/train.py").write_text("print(1)\n", encoding="utf-8")
    (folder / "large.bin").write_bytes(b"\0" * (1 << 21))
    (folder / "link.yaml").symlink_to("nowhere")
    (folder / "removed.txt").touch()
    code = ", code: {use: configMap, configMap: {directory: ../src}}}"
    (folder / "experiments/mnist.yaml").write_text(EXPERIMENT.replace("train.py}", f"train.py{code}"), encoding="utf-8")
    build(folder)
    git(folder, "add", "--all")
    (folder / "removed.txt").unlink()
    assert build(folder, "--check").code == 0
    (folder / "src/train.py").write_text("print(2)\n", encoding="utf-8")
    assert build(folder, "--check").code == 0
    assert tjgen(folder, "build", "--check").code == 1
    git(folder, "add", "--all")
    answer = build(folder, "--check")
    assert (answer.code, "TJ062" in answer.err) == (1, True)


def test_a_sparse_checkout(folder: Path) -> None:
    build(folder)
    (folder.parent / "other").mkdir()
    (folder.parent / "other/a.txt").touch()
    git(folder.parent, "add", "--all")
    git(folder, "commit", "--quiet", "--message=first")
    git(folder.parent, "sparse-checkout", "set", "project")
    assert not (folder.parent / "other").exists()
    (folder / "notes.txt").touch()
    answer = build(folder, "--check")
    assert answer.code == 0, answer.err


def test_the_commit_of_code_is_that_of_the_repository(folder: Path) -> None:
    code = ", code: {use: git, git: {repository: https://git.example/team/code, commit: HEAD}}}"
    (folder / "experiments/mnist.yaml").write_text(EXPERIMENT.replace("train.py}", f"train.py{code}"), encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=first")
    build(folder)
    git(folder, "add", "--all")
    (folder / "notes.txt").touch()
    answer = build(folder, "--check")
    assert answer.code == 0, answer.err


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
    assert answer.err.startswith("Error: --staged compares with an output: use -o DIR")
