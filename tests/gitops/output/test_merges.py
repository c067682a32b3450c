"""Branches that change the runs of one experiment, merged by the real Git, and what cannot be merged is explained."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.gitops.output.test_runs import build, runs, states
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: out}
"""
# What branches change stands apart, so that the source itself merges.
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata:
  name: digits
  namespace: vision
  labels: {team: one}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  # How large it is.
  nodes: 1
  # What is tried.
  sweep:
    matrix:
      env.RATE.value:
      - low
      - middle
      - high
      env.SEED.value:
      - one
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a built project, on branch `main`, and its copy on branch `other`."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    for key in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(key, "someone")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    git(tmp_path, "branch", "other")
    return tmp_path


def git(folder: Path, *words: str, ok: bool = True) -> str:
    answer = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert (answer.returncode == 0) is ok, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr


def commit(folder: Path, *words: str) -> None:
    """Build the folder and commit everything."""
    answer = build(folder, *words)
    assert answer.code == 0, answer.err
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=step")


def edit(folder: Path, old: str, new: str, file: str = "experiments/digits.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def merged(folder: Path, *words: str, ok: bool = True) -> str:
    """Merge branch `other` into `main`."""
    git(folder, "switch", "--quiet", "main")
    return git(folder, "merge", "--quiet", "--message=merge", *words, "other", ok=ok)


def agrees(folder: Path) -> None:
    """The merged folder builds, and a second build has nothing to do."""
    assert build(folder).code == 0
    assert tjgen(folder, "build", "--check", "--quiet").err == ""
    assert runs(folder, "list").err == ""


def count(folder: Path) -> dict[str, int]:
    found = [state for _, state in states(folder)]
    return {state: found.count(state) for state in sorted(set(found))}


def test_branches_that_change_the_same_experiment(folder: Path) -> None:
    edit(folder, "train:1", "train:2")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "nodes: 1", "nodes: 2")
    commit(folder)
    merged(folder)
    assert count(folder) == {"current": 6, "superseded": 3}
    gate = tjgen(folder, "build", "--check")
    assert (gate.code, gate.err.count("error[TJ276]")) == (1, 3)
    assert "commit the result of tjgen build -o out, which supersedes the runs that the source does not request" in gate.err
    assert build(folder).err.count("warning[TJ276] ") == 3
    agrees(folder)
    assert count(folder) == {"current": 3, "superseded": 9}


def test_a_merge_of_which_one_branch_wins_supersedes_the_run_of_the_other(folder: Path) -> None:
    """Both branches made a run; the merged source is that of one of them."""
    edit(folder, "train:1", "train:2")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "train:1", "train:3")
    commit(folder)
    merged(folder, ok=False)
    git(folder, "checkout", "--theirs", "experiments")
    assert build(folder).err.count("warning[TJ276] ") == 3
    agrees(folder)
    assert count(folder) == {"current": 3, "superseded": 6}
    jobs = [path.read_text(encoding="utf-8") for path in (folder / "out").rglob("trainjob-*.yaml")]
    assert len(jobs) == 9, "no run goes"


def test_branches_that_add_points_to_a_sweep(folder: Path) -> None:
    edit(folder, "      - low\n", "      - lowest\n      - low\n")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "      - one\n", "      - one\n      - two\n")
    commit(folder)
    merged(folder)
    agrees(folder)
    assert count(folder) == {"current": 8}


def test_one_branch_archives_what_the_other_supersedes(folder: Path) -> None:
    assert runs(folder, "archive", "digits-*").code == 0
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "train:1", "train:2")
    commit(folder)
    merged(folder)
    agrees(folder)
    assert count(folder) == {"archived": 3, "current": 3}


def test_one_branch_prunes_what_the_other_supersedes(folder: Path) -> None:
    edit(folder, "train:1", "train:2")
    commit(folder)
    git(folder, "branch", "--force", "other")
    assert runs(folder, "prune").err.startswith("runs: 3 removed\nremoved: ")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "nodes: 1", "nodes: 2")
    commit(folder)
    merged(folder)
    agrees(folder)
    assert count(folder) == {"current": 3, "superseded": 3}


def test_branches_that_archive_different_runs(folder: Path) -> None:
    assert runs(folder, "archive", "digits-*low*").code == 0
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    assert runs(folder, "archive", "digits-*high*").code == 0
    commit(folder)
    merged(folder)
    agrees(folder)
    assert count(folder) == {"archived": 2, "current": 1}


def test_both_branches_change_the_same_runs_in_place(folder: Path) -> None:
    """What Git cannot merge is shown with the way out, and the way out leads out."""
    edit(folder, "team: one", "team: two")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "team: one", "team: three")
    commit(folder)
    merged(folder, ok=False)
    git(folder, "checkout", "--ours", "experiments")
    answer = build(folder)
    assert answer.code == 1
    assert answer.err.count("error[TJ070] ") == 1
    assert "the run lock contains a merge conflict\n" in answer.err
    assert "git checkout --ours -- tjgen.lock.d '*/runs/*'" in answer.err
    git(folder, "checkout", "--theirs", "tjgen.lock.d")
    answer = build(folder)
    assert answer.err.count("error[TJ720] ") == 3
    assert "contains a merge conflict" in answer.err
    # Of a run the side that its lock has: then what the source says now is carried into it.
    git(folder, "checkout", "--theirs", "out")
    commit(folder)
    agrees(folder)
    assert count(folder) == {"current": 3}
    jobs = [path.read_text(encoding="utf-8") for path in (folder / "out").rglob("trainjob-*.yaml")]
    assert ["team: two" in text for text in jobs] == [True, True, True]


def test_both_branches_prune_the_same_run(folder: Path) -> None:
    """Git takes a removed run and a new one for one that was renamed, unless it is told not to."""
    edit(folder, "output:", "history: {keep: 0}\n  output:", "tjgen.yaml")
    commit(folder)
    git(folder, "branch", "--force", "other")
    edit(folder, "train:1", "train:2")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "nodes: 1", "nodes: 2")
    commit(folder)
    merged(folder, ok=False)
    answer = build(folder)
    assert answer.code == 1
    assert "if Git detected runs as renamed, merge again with -s resolve" in answer.err
    git(folder, "merge", "--abort")
    merged(folder, "-s", "resolve")
    agrees(folder)
    assert count(folder) == {"current": 3}


def test_a_claim_that_both_branches_change_is_written_anew(folder: Path) -> None:
    claim = "  volumes:\n    results:\n      mountPath: /r\n      pvc: {create: {size: 1Gi}}\n"
    edit(folder, "  sweep:", claim + "  sweep:")
    commit(folder)
    git(folder, "branch", "--force", "other")
    edit(folder, "1Gi", "2Gi")
    commit(folder)
    git(folder, "switch", "--quiet", "other")
    edit(folder, "1Gi", "3Gi")
    commit(folder)
    merged(folder, ok=False)
    git(folder, "checkout", "--theirs", "experiments")
    assert "error[TJ720] out/data/vision/" in tjgen(folder, "build", "--check").err.replace("error[TJ062]", "error[TJ720]")
    answer = build(folder)
    assert (answer.code, "error[TJ720]" in answer.err) == (1, True)
    assert build(folder, "--force").code == 0
    agrees(folder)
