"""`git revert` of a commit that built: what verify reports, and the repair that it accepts."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, git, start, verify
from tests.gitops.verify.repository import runs as folders
from tests.program import tjgen

_COMMAND = re.compile(r"hint: use (git checkout .*), and then tjgen build;")


@pytest.fixture
def started(tmp_path: Path) -> Path:
    """A project with one run of the experiment `letters`."""
    folder = tmp_path / "project"
    start(folder)
    (folder / "catalog/.gitkeep").touch()  # Git does not keep an empty folder
    commit(folder)
    return folder


@pytest.fixture
def reverted(started: Path) -> Path:
    """The same; the last commit reverts a change of the experiment, with the run that it created."""
    experiment(started, "letters", "2")
    build(started)
    commit(started)
    git(started, "revert", "--no-edit", "HEAD")
    return started


def names(folder: Path) -> set[str]:
    return {path.name for path in folders(folder, "letters")}


def test_one_error_names_the_run_and_the_command(reverted: Path) -> None:
    answer = verify(reverted)
    (before,) = names(reverted)
    git(reverted, "checkout", "HEAD^", "--", "deploy")
    (removed,) = names(reverted) - {before}
    assert answer.code == 1
    assert answer.err.count("error[") == 1
    assert (
        f"error[TJ293] run {removed} of HEAD^ was removed without a command that records it, for example by git revert"
        in answer.err
    )


def test_verify_accepts_the_repair_before_and_after_its_commit(reverted: Path) -> None:
    (before,) = names(reverted)
    (command,) = _COMMAND.findall(verify(reverted).err)
    subprocess.run(shlex.split(command), cwd=reverted, check=True)
    build(reverted)
    git(reverted, "add", "-A")
    staged = verify(reverted, "--staged")
    assert (staged.code, "error[" in staged.err) == (0, False), staged.err
    commit(reverted)
    assert verify(reverted).code == 0
    listed = tjgen(reverted, "runs", "list").out
    assert re.search(f"{before} +current", listed)
    assert len(re.findall("letters-.*superseded", listed)) == 1


def test_several_removed_runs_give_one_error(started: Path) -> None:
    experiment(started, "letters", more="  sweep: {matrix: {env.SEED: ['1', '2', '3']}}\n")
    build(started)
    commit(started)
    git(started, "revert", "--no-edit", "HEAD")
    answer = verify(started)
    assert answer.err.count("error[") == 1
    assert "error[TJ293] 3 runs of HEAD^ (" in answer.err
    assert "git checkout HEAD^ -- deploy/runs/vision/letters tjgen.lock.d/default/vision/letters, and" in answer.err


def test_a_run_that_was_edited_in_history_is_not_accepted(started: Path) -> None:
    before = names(started)
    experiment(started, "letters", "2")
    build(started)
    (new,) = names(started) - before
    (manifest,) = (started / f"deploy/runs/vision/letters/{new}").glob("trainjob-*.yaml")
    manifest.write_text(manifest.read_text().replace("image: train:2", "image: evil:2"))
    commit(started)
    git(started, "revert", "--no-edit", "HEAD")
    git(started, "checkout", "HEAD^", "--", "deploy", "tjgen.lock.d")
    build(started)
    git(started, "add", "-A")
    answer = verify(started, "--staged")
    assert (answer.code, "error[TJ298]" in answer.err) == (1, True), answer.err


def test_a_pruned_run_is_not_accepted(started: Path) -> None:
    (old,) = names(started)
    experiment(started, "letters", "2")
    build(started)
    commit(started)
    tjgen(started, "runs", "prune", old)
    commit(started)
    git(started, "checkout", "HEAD^", "--", "deploy", "tjgen.lock.d")
    git(started, "add", "-A")
    assert verify(started, "--staged").code == 1
