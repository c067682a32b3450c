"""Projects that leave a workspace with their runs: what `verify` and a build report of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, start
from tests.program import tjgen
from tests.test_workspaces import codes, committed, edit, git, lab  # noqa: F401  # fixtures

_LEAVING = (
    "to remove the project, first remove experiments and overlays from its tjgen.yaml, build, "
    "and use tjgen runs prune -C teams/b '*'"
)
_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: planted, namespace: b}\nspec: {containers: []}\n"


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "Change")


def unlist(folder: Path) -> None:
    edit(folder / "tjgen.yaml", "projects: [teams/*]", "projects: [teams/a]")


def remove_file(folder: Path) -> None:
    (folder / "teams/b/tjgen.yaml").unlink()


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder / "teams/b")


def close_workspace(folder: Path) -> None:
    edit(folder / "tjgen.yaml", "  projects: [teams/*]\n", "")


HINTS = {
    unlist: "list teams/b in projects of tjgen.yaml again",
    remove_file: "git checkout main -- teams/b/tjgen.yaml",
    remove_folder: "git checkout main -- teams/b",
    close_workspace: "list teams/b in projects of tjgen.yaml again",
}


@pytest.mark.parametrize("leave", HINTS, ids=lambda leave: leave.__name__)
def test_a_project_with_runs_does_not_leave_its_workspace(leave, committed: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    git(committed, "checkout", "-q", "-b", "change")
    leave(committed)
    commit(committed)
    answer = tjgen(committed, "verify", "--base", "main")
    assert answer.code == 1, answer.err
    (found,) = [line for line in answer.err.splitlines() if "[TJ293]" in line and "teams/b" in line]
    assert re.search(r"run b-[a-z0-9]{8} of main has no project any more: the workspace does not have teams/b", found)
    assert f"{HINTS[leave]}; {_LEAVING}" in answer.err


def test_the_hint_restores_the_project(committed: Path) -> None:  # noqa: F811
    git(committed, "checkout", "-q", "-b", "change")
    remove_folder(committed)
    commit(committed)
    git(committed, "checkout", "main", "--", "teams/b")
    assert tjgen(committed, "verify", "--base", "main").code == 0


def test_the_removal_of_runs_is_shown(committed: Path) -> None:  # noqa: F811
    git(committed, "checkout", "-q", "-b", "change")
    remove_folder(committed)
    commit(committed)
    answer = tjgen(committed, "verify", "--base", "main")
    assert "project teams/b:" in answer.err
    assert re.search(r"Environment prod\n  stops( when you confirm it)?: 1 \(b-", answer.out), answer.out


@pytest.mark.parametrize("leave", [unlist, remove_file], ids=lambda leave: leave.__name__)
def test_edits_and_new_files_in_the_output_of_a_former_project_are_reported(leave, committed: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    git(committed, "checkout", "-q", "-b", "change")
    leave(committed)
    (file,) = (committed / "teams/b/deploy/prod/runs").rglob("trainjob-*.yaml")
    edit(file, "train:1", "miner:1")
    planted = committed / "teams/b/deploy/prod/data/b/planted.yaml"
    planted.parent.mkdir(parents=True)
    planted.write_text(_POD)
    commit(committed)
    answer = tjgen(committed, "verify", "--base", "main")
    found = codes(answer)
    assert f"error[TJ292] {file.relative_to(committed)}:" in " ".join(found), answer.err
    assert "error[TJ295] teams/b/deploy/prod/data/b/planted.yaml:1:1" in found


def test_a_project_leaves_after_its_runs(committed: Path) -> None:  # noqa: F811
    (committed / "teams/b/experiments/run.yaml").unlink()
    edit(committed / "teams/b/tjgen.yaml", "  experiments: [experiments]\n", "")
    edit(committed / "overlays/debug.yaml", "names: [b]", "names: [a]")
    assert tjgen(committed, "build").code == 0
    assert tjgen(committed, "runs", "prune", "-C", "teams/b", "*").code == 0
    assert tjgen(committed, "build").code == 0
    commit(committed)
    verified = tjgen(committed, "verify", "--base", "HEAD^")
    assert verified.code == 0, verified.err
    assert "warning[TJ746] run" in verified.err
    remove_file(committed)
    commit(committed)
    kept = tjgen(committed, "verify", "--base", "HEAD^")
    assert kept.code == 1
    assert "error[TJ295]" in kept.err
    assert "hint: use rm -r teams/b/deploy; to keep the project, use git checkout HEAD^ -- teams/b/tjgen.yaml" in kept.err
    git(committed, "rm", "-q", "-r", "teams/b")
    git(committed, "commit", "-q", "--amend", "-m", "Remove the project")
    answer = tjgen(committed, "verify", "--base", "HEAD^")
    assert answer.code == 0, answer.err


@pytest.mark.parametrize(("leave", "code"), [(unlist, "TJ560"), (remove_file, "TJ273")], ids=["unlist", "remove_file"])
def test_a_build_reports_runs_of_a_project_that_the_workspace_does_not_list(leave, code, committed: Path) -> None:  # type: ignore[no-untyped-def]  # noqa: F811
    edit(committed / "overlays/debug.yaml", "names: [b]", "names: [a]")
    edit(committed / "tjgen.yaml", "policy: {strict: true}", "policy: {strict: false}")
    leave(committed)
    answer = tjgen(committed, "build")
    assert (answer.code, codes(answer)) == (
        0,
        ["info[TJ076] teams/a/experiments/run.yaml:3:18", f"warning[{code}] tjgen.yaml:5:3"],
    )
    assert re.search("TJ273.*1 run of teams/b belongs to no project|TJ560.*project teams/b, which has 1 run", answer.err)
    assert tjgen(committed, "build", "--check").code == (code == "TJ273")


def test_an_earlier_output_folder_does_not_stay(committed: Path) -> None:  # noqa: F811
    git(committed, "checkout", "-q", "-b", "change")
    edit(committed / "teams/b/tjgen.yaml", "spec:\n", "spec:\n  output: {directory: other}\n")
    shutil.copytree(committed / "teams/b/deploy", committed / "teams/b/other")
    assert tjgen(committed, "build").code == 0
    (file,) = (committed / "teams/b/deploy/prod/runs").rglob("trainjob-*.yaml")
    edit(file, "train:1", "miner:1")
    commit(committed)
    answer = tjgen(committed, "verify", "--base", "main")
    assert (answer.code, codes(answer)) == (1, ["error[TJ295] teams/b/deploy"])
    assert "hint: use rm -r teams/b/deploy\n" in answer.err
    shutil.rmtree(committed / "teams/b/deploy")
    commit(committed)
    moved = tjgen(committed, "verify", "--base", "main")
    assert moved.code == 0, moved.err


def test_an_earlier_output_folder_of_a_project_alone_does_not_stay(tmp_path: Path) -> None:
    start(tmp_path)
    edit(tmp_path / "tjgen.yaml", "output: {directory: deploy}", "output: {directory: other}")
    edit(tmp_path / "tjgen.yaml", "path: deploy", "path: other")
    shutil.copytree(tmp_path / "deploy", tmp_path / "other")
    build(tmp_path)
    assert codes(tjgen(tmp_path, "verify", "--base", "main"))[-1] == "error[TJ295] deploy"
