"""`tjgen runs discard`: runs that no commit has go, and a build makes those that the sources request."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, git, runs, start, verify
from tests.program import tjgen


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which two experiments were built twice without a commit, one of them new."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    folder = tmp_path / "project"
    start(folder)
    experiment(folder, "letters", "8")
    experiment(folder, "glyphs", "8")
    build(folder)
    experiment(folder, "letters", "9")
    text = (folder / "experiments/glyphs.yaml").read_text(encoding="utf-8").replace("results:", "weights:")
    (folder / "experiments/glyphs.yaml").write_text(text, encoding="utf-8")
    build(folder)
    return folder


def state(folder: Path) -> dict[str, bytes]:
    """The output tree and the locks."""
    files = [path for top in ("deploy", "tjgen.lock.d") for path in sorted((folder / top).rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if ".tjgen" not in path.parts}


def test_discard_and_a_build_give_what_one_build_gives(project: Path) -> None:
    answer = verify(project)
    assert (answer.code, "tjgen runs discard" in answer.err) == (1, True), answer.err
    answer = tjgen(project, "runs", "discard")
    assert (answer.code, answer.err) == (0, "runs: 4 discarded; build again with tjgen build\n")
    build(project)
    assert verify(project).code == 0
    found = state(project)
    git(project, "restore", "--source=HEAD", "--staged", "--worktree", "deploy", "tjgen.lock.d")
    git(project, "clean", "-d", "--force", "--quiet", "deploy", "tjgen.lock.d")
    build(project)
    assert state(project) == found


def test_runs_of_commits_and_of_other_experiments_stay(project: Path) -> None:
    committed = git(project, "ls-tree", "-r", "--name-only", "HEAD", "--", "deploy", "tjgen.lock.d").split()
    before = state(project)
    assert tjgen(project, "runs", "discard", "vision/letters").code == 0
    after = state(project)
    gone = {path for path in before if path not in after}
    assert gone
    assert not gone & set(committed)
    assert all("letters" in path for path in gone)
    assert len(runs(project, "glyphs")) == 2


def test_a_discarded_run_has_no_tombstone(project: Path) -> None:
    """Also if it was pruned."""
    names = [run.name for run in runs(project, "glyphs")]
    assert sum(tjgen(project, "runs", "prune", name).code == 0 for name in names) == 1
    assert tjgen(project, "runs", "discard").code == 0
    assert not any(name in path for path in state(project) for name in names)


def test_nothing_is_discarded_after_a_commit(project: Path) -> None:
    commit(project)
    before = state(project)
    answer = tjgen(project, "runs", "discard")
    assert (answer.code, answer.err) == (0, "runs: 0 discarded; HEAD has all of them\n")
    assert state(project) == before


def test_runs_of_a_branch_are_discarded_against_its_base(project: Path) -> None:
    base = git(project, "rev-parse", "HEAD")
    commit(project)
    answer = verify(project, "--base", base)
    assert (answer.code, f"use tjgen runs discard --base {base[:12]}, and build again" in answer.err) == (1, True), answer.err
    answer = tjgen(project, "runs", "discard", "--base", base)
    assert (answer.code, answer.err) == (0, "runs: 4 discarded; build again with tjgen build\n")
    build(project)
    commit(project)
    assert verify(project, "--base", base).code == 0


def test_a_run_can_be_named(project: Path) -> None:
    first, last = (run.name for run in runs(project, "glyphs"))
    answer = tjgen(project, "runs", "discard", first)
    assert (answer.code, answer.err) == (0, "runs: 1 discarded; build again with tjgen build\n")
    assert [run.name for run in runs(project, "glyphs")] == [last]


def test_a_name_of_no_run_is_an_error(project: Path) -> None:
    before = state(project)
    answer = tjgen(project, "runs", "discard", "glyphz")
    assert (answer.code, state(project)) == (1, before)
    assert 'error[TJ080] no run matches "glyphz"' in answer.err


def test_a_base_is_for_discard_only(project: Path) -> None:
    answer = tjgen(project, "runs", "prune", "--base", "HEAD")
    assert (answer.code, "--base goes with discard" in answer.err) == (2, True)
