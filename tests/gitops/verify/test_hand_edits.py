"""A manifest that was edited by hand and merged: each hint is applied as it is printed, and `verify` accepts the repair."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, git, lock_of, runs, start, verify
from tests.program import tjgen

_COMMAND = re.compile(r"to discard the edit, use (git checkout [^;]+|tjgen build --force)")
IMAGE = ("image: train:1", "image: train:7")
SUSPEND = ("  runtimeRef:", "  suspend: true\n  runtimeRef:")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    start(folder)
    (folder / "catalog/.gitkeep").touch()  # Git does not keep an empty folder
    commit(folder)
    return folder


def manifest(folder: Path) -> Path:
    (run,) = runs(folder, "letters")
    (file,) = run.glob("trainjob-*.yaml")
    return file


def edit(file: Path, change: tuple[str, str]) -> None:
    text = file.read_text(encoding="utf-8")
    assert change[0] in text
    file.write_text(text.replace(*change), encoding="utf-8")


def merged(folder: Path, file: Path, change: tuple[str, str]) -> None:
    """Merge a branch that edits a file by hand, and check out a branch for the repair."""
    git(folder, "switch", "--quiet", "--create", "hand")
    edit(file, change)
    commit(folder)
    git(folder, "switch", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-ff", "-m", "Merge", "hand")
    git(folder, "switch", "--quiet", "--create", "repair")


def discard(folder: Path, *command: str) -> None:
    """Run the command of the hint that discards the edit."""
    answer = tjgen(folder, *command)
    assert answer.code == 1, answer.err
    ((found),) = set(_COMMAND.findall(answer.err))
    subprocess.run(shlex.split(found), cwd=folder, check=True, capture_output=True)


def accepted(folder: Path) -> str:
    """What verify prints about the repair: without errors, before and after its commit, and `build --check` is clean."""
    for base in ((), ("--base", "main")):
        git(folder, "add", "--all")
        staged = verify(folder, "--staged", *base)
        assert (staged.code, "error[" in staged.err, "warning[" in staged.err) == (0, False, False), staged.err
    commit(folder)
    answer = verify(folder, "--base", "main")
    assert (answer.code, "error[" in answer.err) == (0, False), answer.err
    checked = tjgen(folder, "build", "--check")
    assert checked.code == 0, checked.err
    return answer.err


@pytest.mark.parametrize("command", [("build",), ("build", "--check"), ("diff",), ("verify",)], ids=" ".join)
@pytest.mark.parametrize("change", [IMAGE, SUSPEND], ids=["image", "suspend"])
def test_the_command_of_each_hint_discards_the_edit(folder: Path, command: tuple[str, ...], change: tuple[str, str]) -> None:
    file = manifest(folder)
    before = file.read_bytes()
    merged(folder, file, change)
    discard(folder, *command)
    assert file.read_bytes() == before
    assert tjgen(folder, *command).code == 0 or command == ("verify",)
    assert ("info[TJ289]" in accepted(folder)) == (change is IMAGE)


def test_the_edit_of_a_run_is_kept_as_a_new_run(folder: Path) -> None:
    file = manifest(folder)
    merged(folder, file, IMAGE)
    discard(folder, "build")
    experiment(folder, "letters", "7")
    build(folder)
    assert "info[TJ289]" in accepted(folder)
    assert len(runs(folder, "letters")) == 2
    assert "state: superseded" in lock_of(folder, file.parent).read_text(encoding="utf-8")


@pytest.mark.parametrize("discarded", [True, False])
def test_a_stop_by_hand_is_kept_by_the_state_of_the_experiment(folder: Path, discarded: bool) -> None:
    file = manifest(folder)
    merged(folder, file, SUSPEND)
    if discarded:
        discard(folder, "build")
    experiment(folder, "letters", "1", "  state: suspended\n")
    build(folder)
    assert "suspend: true\n" in file.read_text(encoding="utf-8")
    accepted(folder)
    assert runs(folder, "letters") == [file.parent]


def test_an_edit_that_is_discarded_after_its_source_has_changed(folder: Path) -> None:
    """The edited run is superseded then, so that no build writes it again."""
    file = manifest(folder)
    merged(folder, file, IMAGE)
    experiment(folder, "letters", "7")
    answer = build(folder)
    assert "warning[TJ697]" in answer.err
    (command,) = re.findall("hint: restore them with (git checkout [^;\n]+)", answer.err)
    subprocess.run(shlex.split(command), cwd=folder, check=True)
    accepted(folder)


def test_an_edited_run_that_no_source_requests_is_pruned_by_the_command_of_the_hint(folder: Path) -> None:
    file = manifest(folder)
    merged(folder, file, IMAGE)
    experiment(folder, "letters", "7")
    build(folder)
    (command,) = re.findall("to remove the run, use (tjgen [^;\n]+)", tjgen(folder, "build").err)
    assert tjgen(folder, *shlex.split(command)[1:]).code == 0
    assert not file.exists()
    checked = tjgen(folder, "build", "--check")
    assert checked.code == 0, checked.err


def test_a_run_that_was_edited_before_its_first_commit_runs_again_under_another_name(folder: Path) -> None:
    experiment(folder, "letters", "2")
    build(folder)
    (new,) = [run for run in runs(folder, "letters") if "superseded" not in lock_of(folder, run).read_text(encoding="utf-8")]
    (file,) = new.glob("trainjob-*.yaml")
    edit(file, ("image: train:2", "image: train:7"))
    commit(folder)
    (commands,) = re.findall("use (tjgen runs rerun .*); otherwise", tjgen(folder, "build").err)
    for command in commands.split(" && "):
        assert tjgen(folder, *shlex.split(command)[1:]).code == 0
    assert not new.exists()
    checked = tjgen(folder, "build", "--check")
    assert checked.code == 0, checked.err


def test_an_edit_on_a_branch_is_one_error_and_the_hint_restores_the_base(folder: Path) -> None:
    file = manifest(folder)
    before = file.read_bytes()
    git(folder, "switch", "--quiet", "--create", "hand")
    edit(file, IMAGE)
    commit(folder)
    answer = verify(folder, "--base", "main")
    assert (answer.code, answer.err.count("error[")) == (1, 1), answer.err
    discard(folder, "verify", "--base", "main")
    assert file.read_bytes() == before


def test_an_edit_that_the_server_accepted_is_compared_as_it_is(folder: Path) -> None:
    (claim,) = (folder / "deploy/data/vision").glob("persistentvolumeclaim-letters-*.yaml")
    merged(folder, claim, ("storage: 10Gi", "storage: 20Gi"))
    discard(folder, "build")
    answer = verify(folder, "--base", "main")
    assert (answer.code, answer.err.count("error["), "error[TJ621]" in answer.err) == (1, 1, True), answer.err
    git(folder, "reset", "--quiet", "--hard")
    text = (folder / "experiments/letters.yaml").read_text(encoding="utf-8")
    (folder / "experiments/letters.yaml").write_text(text.replace("10Gi", "20Gi"), encoding="utf-8")
    build(folder)
    accepted(folder)


def test_a_repair_with_another_edit_is_refused(folder: Path) -> None:
    file = manifest(folder)
    merged(folder, file, IMAGE)
    edit(file, ("image: train:7", "image: train:8"))
    answer = verify(folder, "--base", "main")
    assert (answer.code, "error[TJ292]" in answer.err) == (1, True), answer.err
    discard(folder, "verify", "--base", "main")
    accepted(folder)


def test_a_comparison_with_an_edited_revision_uses_what_the_server_accepted(folder: Path) -> None:
    file = manifest(folder)
    merged(folder, file, IMAGE)
    discard(folder, "build")
    answer = tjgen(folder, "diff", "main")
    assert (answer.code, "info[TJ289]" in answer.err, "refused" in answer.out) == (0, True, False), answer.err
