"""Sources that changed without a build: one message of `tjgen verify`, which names the command that helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, git, runs, start, verify


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose last commit is a build."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    folder = tmp_path / "project"
    start(folder)
    build(folder)
    commit(folder)
    return folder


def test_a_source_without_a_build_is_one_message_and_its_command_helps(project: Path) -> None:
    experiment(project, "letters", "2")
    answer = verify(project, "--base", "HEAD")
    assert (answer.code, answer.err.count("error[")) == (1, 1), answer.err
    assert "error[TJ699] the output is out of date: a build from the current sources adds " in answer.err
    assert "hint: use tjgen build, and commit the result; or restore the sources" in answer.err
    assert answer.out.startswith("Nothing changes: no run starts, stops or changes, until the output is built")
    build(project)
    commit(project)
    assert "TJ699" not in verify(project, "--base", "HEAD^").err


def test_an_edit_is_reported_next_to_it(project: Path) -> None:
    experiment(project, "letters", "2")
    (run,) = [run for run in runs(project, "digits") if git(project, "ls-files", str(run))][:1]
    (file,) = run.glob("trainjob-*.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace("name: digits", "name: mine", 1), encoding="utf-8")
    answer = verify(project, "--base", "HEAD")
    assert ("error[TJ699]" in answer.err, "error[TJ292]" in answer.err) == (True, True), answer.err


def test_a_new_run_that_lost_a_file_is_not_out_of_date(project: Path) -> None:
    experiment(project, "letters", "2")
    build(project)
    (run,) = runs(project, "letters")[-1:]
    (file,) = run.glob("trainjob-*.yaml")
    file.unlink()
    answer = verify(project, "--base", "HEAD")
    assert ("error[TJ294]" in answer.err, "TJ699" in answer.err) == (True, False), answer.err
