"""The folder of a project is renamed: `verify` and `diff` compare it with its former folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.gitops.verify.test_removed_project import commit
from tests.program import tjgen
from tests.test_workspaces import codes, committed, edit, git, lab  # noqa: F401  # fixtures


@pytest.fixture
def renamed(committed: Path) -> Path:  # noqa: F811
    """A workspace in which a branch renames the folder of a project with two runs, and keeps the name of the project."""
    edit(committed / "teams/b/experiments/run.yaml", "train:1", "train:2")
    edit(committed / "teams/b/tjgen.yaml", "kind: Project\n", "kind: Project\nmetadata: {name: teams-b}\n")
    assert tjgen(committed, "build").code == 0
    commit(committed)
    git(committed, "checkout", "-q", "-b", "change")
    git(committed, "mv", "teams/b", "teams/c")
    assert tjgen(committed, "build").code == 0
    return committed


def test_the_runs_of_a_renamed_folder_do_not_start_again(renamed: Path) -> None:
    commit(renamed)
    for folder in (renamed, renamed / "teams/c"):
        answer = tjgen(folder, "verify", "--base", "main")
        assert (answer.code, "error" in answer.err, "starts:" in answer.out) == (0, False, False), answer.err + answer.out
        assert "info[TJ299] compared with teams/b of main" in answer.err
    shown = tjgen(renamed / "teams/c", "diff", "main")
    assert (shown.code, "new" in shown.out) == (0, False), shown.out


def test_a_rename_is_staged(renamed: Path) -> None:
    git(renamed, "add", "--all")
    answer = tjgen(renamed, "verify", "--staged", "-C", "teams/c")
    assert answer.code == 0, answer.err


def test_an_edit_in_a_renamed_folder_is_reported(renamed: Path) -> None:
    for number, file in enumerate(sorted((renamed / "teams/c/deploy/prod/runs").rglob("trainjob-*.yaml"))):
        file.write_text(file.read_text().replace("registry.example.com", f"miner{number}"))
    commit(renamed)
    answer = tjgen(renamed, "verify", "--base", "main")
    assert answer.code == 1
    assert answer.err.count("error[TJ292] teams/c/deploy/prod/runs/b/b/") == 2, answer.err
    assert "discard --base" not in answer.err


def test_a_run_that_the_rename_loses_is_reported(renamed: Path) -> None:
    run = sorted((renamed / "teams/c/deploy/prod/runs/b/b").iterdir())[0]
    shutil.rmtree(run)
    (renamed / f"teams/c/tjgen.lock.d/prod/b/b/{run.name}.yaml").unlink()
    commit(renamed)
    answer = tjgen(renamed, "verify", "--base", "main")
    assert answer.code == 1
    assert f"run {run.name} of main was removed without a command that records it" in answer.err


def test_new_runs_and_the_rename_are_one_change(renamed: Path) -> None:
    for tag in "34":
        edit(renamed / "teams/c/experiments/run.yaml", f"train:{int(tag) - 1}", f"train:{tag}")
        assert tjgen(renamed, "build").code == 0
        commit(renamed)
    answer = tjgen(renamed, "verify", "--base", "main")
    assert codes(answer) == ["info[TJ299] compared", "error[TJ698] merging"], answer.err
    assert tjgen(renamed, "verify", "--base", "HEAD^").code == 0


def test_discard_keeps_the_runs_of_a_renamed_folder(renamed: Path) -> None:
    commit(renamed)
    before = sorted((renamed / "teams/c/tjgen.lock.d").rglob("*.yaml"))
    answer = tjgen(renamed, "runs", "discard", "--base", "main", "-C", "teams/c")
    assert "runs: 0 discarded; main has all of them" in answer.err
    assert sorted((renamed / "teams/c/tjgen.lock.d").rglob("*.yaml")) == before


def test_what_stays_in_the_former_folder_is_reported(renamed: Path) -> None:
    left = renamed / "teams/b/deploy/prod/data/b/left.yaml"
    left.parent.mkdir(parents=True)
    left.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: left, namespace: b}\nspec: {containers: []}\n")
    commit(renamed)
    answer = tjgen(renamed, "verify", "--base", "main")
    assert answer.code == 1
    assert "error[TJ295] teams/b/deploy has output or locks of an earlier folder" in answer.err
    assert "TJ293" not in answer.err
