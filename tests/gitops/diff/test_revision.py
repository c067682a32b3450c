"""The repository around a folder: its default branch, and what is reported where there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tjgen.gitops.diff.revision import Repository
from tjgen.trees.diagnostics.model import CompileError


def git(folder: Path, *words: str) -> None:
    command = ["git", "-C", str(folder), "-c", "user.name=tests", "-c", "user.email=tests@example.com", *words]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with one commit."""
    git(tmp_path, "init", "--quiet", "--initial-branch=work")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=one")
    return tmp_path


@pytest.mark.parametrize(
    ("remotes", "branches", "expected"),
    [
        pytest.param([], [], None, id="no remote"),
        pytest.param(["origin"], ["origin/main"], "refs/remotes/origin/main", id="the main branch of origin"),
        pytest.param(["origin"], ["origin/master"], "refs/remotes/origin/master", id="an older name"),
        pytest.param(["origin"], ["origin/main", "origin/HEAD"], "refs/remotes/origin/HEAD", id="what the remote names"),
        pytest.param(["origin"], ["origin/trunk"], None, id="no branch that is known as the default"),
        pytest.param(["fork", "origin"], ["fork/main", "origin/main"], "refs/remotes/origin/main", id="origin before a fork"),
        pytest.param(["upstream"], ["upstream/main"], "refs/remotes/upstream/main", id="a remote of another name"),
    ],
)
def test_the_default_branch_is_that_of_the_remote(
    clone: Path, remotes: list[str], branches: list[str], expected: str | None
) -> None:
    for name in remotes:
        git(clone, "remote", "add", name, "https://git.example.com/x.git")
    for branch in branches:
        git(clone, "update-ref", f"refs/remotes/{branch}", "HEAD")
    assert Repository.around(str(clone)).default_branch() == expected


@pytest.mark.parametrize(("folder", "named"), [("", "."), ("a/../b", "b")])
def test_a_folder_outside_of_any_repository_is_named(
    folder: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CompileError) as raised:
        Repository.around(folder)
    (problem,) = raised.value.diagnostics
    assert problem.message.startswith(f"{named} ")
