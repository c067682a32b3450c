"""An experiment that existed next to the removed one is not its new name: no hint says so, and `runs rename` refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, runs, start, verify
from tests.program import tjgen

RENAME = "tjgen runs rename vision/first vision/second"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A committed project with two experiments of equal content, without claims that they could share."""
    start(tmp_path)
    for name in ("first", "second"):
        plain(tmp_path, name)
    assert build(tmp_path).code == 0
    commit(tmp_path)
    return tmp_path


def plain(folder: Path, name: str, image: str = "1") -> None:
    experiment(folder, name, image)
    path = folder / f"experiments/{name}.yaml"
    path.write_text(path.read_text(encoding="utf-8").partition("  volumes:")[0], encoding="utf-8")


def states(folder: Path) -> str:
    return tjgen(folder, "runs", "list").out


@pytest.mark.parametrize("committed", [False, True])
def test_the_build_does_not_suggest_a_rename(folder: Path, *, committed: bool) -> None:
    (folder / "experiments/first.yaml").unlink()
    answer = build(folder)
    assert "TJ273" in answer.err
    assert "rename" not in answer.err
    assert "use tjgen runs prune, archive or keep first-" in answer.err
    if committed:
        commit(folder)
        for words in (("verify", "--base", "HEAD^"), ("build", "--check")):
            checked = tjgen(folder, *words)
            assert checked.code == 1
            assert "TJ273" in checked.err + checked.out, words
            assert "rename" not in checked.err + checked.out, words


@pytest.mark.parametrize("committed", [False, True])
def test_the_rename_is_refused(folder: Path, *, committed: bool) -> None:
    (folder / "experiments/first.yaml").unlink()
    build(folder)
    if committed:
        commit(folder)
    before = states(folder)
    answer = tjgen(folder, "runs", "rename", "vision/first", "vision/second")
    assert answer.code == 1
    name = runs(folder, "first")[0].name
    assert "error[TJ704] experiment vision/second is not a new name of vision/first" in answer.err
    assert f"hint: use tjgen runs prune, archive or keep {name}" in answer.err
    assert states(folder) == before
    assert tjgen(folder, "runs", "archive", name).code == 0
    commit(folder)
    assert verify(folder).code == 0


@pytest.mark.parametrize("commits", [0, 1, 2])
def test_a_new_name_is_suggested_and_accepted_after_the_commit_too(folder: Path, commits: int) -> None:
    (folder / "experiments/second.yaml").unlink()
    build(folder)
    name = runs(folder, "second")[0].name
    assert tjgen(folder, "runs", "prune", name).code == 0
    commit(folder)
    (folder / "experiments/first.yaml").unlink()
    plain(folder, "third")
    suggested = "tjgen runs rename vision/first vision/third"
    assert suggested in build(folder).err
    for number in range(commits):
        commit(folder)
        assert suggested in build(folder).err, number
    assert tjgen(folder, "runs", "rename", "vision/first", "vision/third").code == 0
    assert build(folder).code == 0


def test_an_experiment_that_gets_the_content_of_the_removed_one_is_suggested(folder: Path) -> None:
    plain(folder, "third", "3")
    plain(folder, "fourth", "4")
    build(folder)
    commit(folder)
    (folder / "experiments/third.yaml").unlink()
    plain(folder, "fourth", "3")
    suggested = "tjgen runs rename vision/third vision/fourth"
    assert suggested in build(folder).err, "its run of equal content is new"
    assert tjgen(folder, *suggested.split()[1:]).code == 0


def test_without_a_repository_the_locks_decide(folder: Path) -> None:
    shutil.rmtree(folder / ".git")
    (folder / "experiments/first.yaml").unlink()
    assert RENAME in build(folder).err
