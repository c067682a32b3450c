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


def new_runs(folder: Path) -> list[str]:
    """The runs that HEAD does not have."""
    files = git(folder, "ls-files", "--others", "tjgen.lock.d").splitlines()
    return [Path(file).stem for file in sorted(files)]


def summary(names: list[str]) -> str:
    return f"runs: {len(names)} discarded; build again with tjgen build\ndiscarded: {', '.join(names)}\n"


def test_discard_and_a_build_give_what_one_build_gives(project: Path) -> None:
    answer = verify(project)
    assert (answer.code, "tjgen runs discard" in answer.err) == (1, True), answer.err
    news = new_runs(project)
    assert len(news) == 4
    answer = tjgen(project, "runs", "discard")
    assert (answer.code, answer.err) == (0, summary(news))
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
    news = new_runs(project)
    commit(project)
    answer = verify(project, "--base", base)
    assert (answer.code, f"use tjgen runs discard --base {base[:12]}, and build again" in answer.err) == (1, True), answer.err
    answer = tjgen(project, "runs", "discard", "--base", base)
    assert (answer.code, answer.err) == (0, summary(news))
    build(project)
    commit(project)
    assert verify(project, "--base", base).code == 0


def test_runs_of_the_branch_of_the_remote_stay(project: Path) -> None:
    commit(project)
    git(project, "update-ref", "refs/remotes/origin/main", "HEAD")
    before = state(project)
    answer = tjgen(project, "runs", "discard", "--base", "HEAD^")
    assert (answer.code, answer.err) == (0, "runs: 0 discarded; HEAD^ or origin/main has all of them\n")
    assert state(project) == before


def test_runs_of_the_last_commit_of_the_default_branch_are_discarded_or_pruned(project: Path) -> None:
    news = new_runs(project)
    commit(project)
    answer = verify(project)
    discard = "use tjgen runs discard --base 'HEAD^', build again, and use git commit --amend"
    prunes = [f"{discard}; if the commit is pushed, use tjgen runs prune {run}, and build\n" for run in news]
    assert sum(prune in answer.err for prune in prunes) == 2, answer.err
    assert tjgen(project, "runs", "discard", "--base", "HEAD^").code == 0
    build(project)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--amend", "--no-edit")
    answer = verify(project)
    assert answer.code == 0, answer.err


def test_a_run_can_be_named(project: Path) -> None:
    first, last = (run.name for run in runs(project, "glyphs"))
    answer = tjgen(project, "runs", "discard", first)
    assert (answer.code, answer.err) == (0, summary([first]))
    assert [run.name for run in runs(project, "glyphs")] == [last]


def test_a_name_of_no_run_is_an_error(project: Path) -> None:
    before = state(project)
    answer = tjgen(project, "runs", "discard", "glyphz")
    assert (answer.code, state(project)) == (1, before)
    assert 'error[TJ080] no run matches "glyphz"' in answer.err


def test_a_base_is_for_discard_only(project: Path) -> None:
    answer = tjgen(project, "runs", "prune", "--base", "HEAD")
    assert (answer.code, "--base goes with discard" in answer.err) == (2, True)


def renamed(folder: Path, old: str, new: str) -> None:
    """Give the runs of an experiment to another name, as the guide describes it."""
    text = (folder / f"experiments/{old}.yaml").read_text(encoding="utf-8").replace(f"name: {old}", f"name: {new}")
    (folder / f"experiments/{old}.yaml").unlink()
    (folder / f"experiments/{new}.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "runs", "rename", old, new)
    assert answer.code == 0, answer.err


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which everything is committed."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    start(tmp_path / "project")
    return tmp_path / "project"


def refuses(folder: Path, *words: str) -> None:
    """`discard` changes nothing."""
    before = state(folder)
    answer = tjgen(folder, "runs", "discard", *words)
    assert (answer.code, "runs: 0 discarded" in answer.err) == (0, True), answer.err
    assert state(folder) == before


def test_runs_that_were_renamed_stay(started: Path) -> None:
    renamed(started, "digits", "numbers")
    build(started)
    refuses(started)
    renamed(started, "numbers", "figures")
    build(started)
    refuses(started)


def test_runs_of_a_committed_rename_stay(started: Path) -> None:
    renamed(started, "digits", "numbers")
    build(started)
    commit(started)
    refuses(started, "--base", "base")
    experiment(started, "numbers", "3")
    build(started)
    news = new_runs(started)
    commit(started)
    answer = tjgen(started, "runs", "discard", "--base", "base")
    assert (answer.code, answer.err) == (0, summary(news))


def test_runs_of_a_renamed_namespace_stay(started: Path) -> None:
    for name in ("digits", "letters"):
        path = started / f"experiments/{name}.yaml"
        path.write_text(path.read_text(encoding="utf-8").replace("namespace: vision", "namespace: sight"), encoding="utf-8")
    assert tjgen(started, "runs", "rename", "--namespace", "vision", "sight").code == 0
    build(started)
    refuses(started)


def test_runs_that_moved_to_an_environment_stay(started: Path) -> None:
    text = (started / "tjgen.yaml").read_text(encoding="utf-8")
    text = text.replace("spec:\n", "spec:\n  environments: {dev: {cluster: a}, prod: {cluster: b}}\n")
    (started / "tjgen.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(started, "migrate", "--environment", "dev", "--write")
    assert answer.code == 0, answer.err
    before = {path: content for path, content in state(started).items() if "/prod/" not in path}
    assert len(list((started / "deploy/prod/runs").glob("vision/*/*"))) == 2
    answer = tjgen(started, "runs", "discard")
    assert (answer.code, "runs: 2 discarded" in answer.err) == (0, True), answer.err
    assert not list((started / "deploy/prod/runs").glob("vision/*/*"))
    after = {path: content for path, content in state(started).items() if "/prod/" not in path}
    assert {path for path in before if path not in after} == set()


def test_a_new_run_is_discarded_with_its_renames(started: Path) -> None:
    experiment(started, "glyphs", "1")
    build(started)
    (new,) = (run.name for run in runs(started, "glyphs"))
    renamed(started, "glyphs", "signs")
    renamed(started, "signs", "marks")
    answer = tjgen(started, "runs", "discard")
    assert (answer.code, answer.err) == (0, summary([new]))
    assert not any("glyphs" in path or "signs" in path or "marks" in path for path in state(started))


def test_a_rebased_branch_is_written_again(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    start(folder)
    (folder / "catalog/.gitkeep").touch()  # Git does not keep an empty folder
    commit(folder)
    git(folder, "checkout", "--quiet", "-b", "feature")
    experiment(folder, "letters", "2")
    build(folder)
    commit(folder)
    git(folder, "checkout", "--quiet", "main")
    experiment(folder, "letters", "3")
    build(folder)
    commit(folder)
    git(folder, "checkout", "--quiet", "feature")
    git(folder, "rebase", "--quiet", "-X", "theirs", "main")
    build(folder)
    commit(folder)
    answer = verify(folder, "--base", "main")
    assert answer.code == 1
    assert 'the line is "number: 2", but should be "number: 3"' in answer.err
    assert "hint: if you rebased the branch, use tjgen runs discard --base main, and build again" in answer.err
    assert tjgen(folder, "runs", "discard", "--base", "main").code == 0
    build(folder)
    commit(folder)
    assert verify(folder, "--base", "main").code == 0
