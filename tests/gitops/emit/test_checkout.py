"""The commit that is checked out, read from the files of real repositories, and what recovery does when it is another one."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.gitops.emit.crash import KILLED, run
from tests.gitops.emit.folders import build, files, output
from tests.kill.repository import IDENTITY, git
from tjgen.gitops.emit import checkout
from tjgen.gitops.emit.recovery import History
from tjgen.gitops.emit.tree import OutputTree
from tjgen.gitops.output.interrupted import still_wanted
from tjgen.trees.diagnostics.model import CompileError


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit."""
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=one")
    (folder / "deploy").mkdir()
    return folder


def head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([["branch", "x"]], id="a branch"),
        pytest.param([["checkout", "--quiet", "--detach"]], id="no branch"),
        pytest.param([["pack-refs", "--all"]], id="packed references"),
        pytest.param([["checkout", "-q", "-b", "a/b"], ["commit", "-q", "--allow-empty", "-m", "two"]], id="a name with a slash"),
    ],
)  # fmt: skip
def test_the_commit_is_the_one_that_git_says(repository: Path, words: list[list[str]]) -> None:
    for command in words:
        git(repository, *command)
    assert checkout.commit(str(repository / "deploy")) == head(repository)


def test_the_commit_of_a_linked_working_tree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    git(tmp_path / "linked", "commit", "--quiet", "--allow-empty", "--message=two")
    assert checkout.commit(str(tmp_path / "linked")) == head(tmp_path / "linked") != head(repository)


def test_there_may_be_no_commit(tmp_path: Path) -> None:
    assert checkout.commit(str(tmp_path)) == ""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    assert checkout.commit(str(tmp_path)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "ref: ../../etc/passwd\n",
        "ref: refs/heads/../../../x\n",
        "ref: refs/heads/a\tb\n",
        "words\tand more\nlines\n",
        "\xff" * 90_000,
    ],
)
def test_a_damaged_head_gives_one_opaque_word(repository: Path, text: str) -> None:
    (repository / ".git/HEAD").write_text(text, encoding="latin-1")
    answer = checkout.commit(str(repository))
    assert answer.startswith("?")
    assert len(answer) == 65
    assert not checkout.is_known(answer)


def test_references_in_tables_change_with_each_change(repository: Path) -> None:
    (repository / ".git/HEAD").write_text("ref: refs/heads/.invalid\n", encoding="utf-8")
    (repository / ".git/reftable").mkdir()
    answers = set()
    for number in range(2):
        (repository / ".git/reftable/tables.list").write_text(f"0x{number}.ref\n", encoding="utf-8")
        answers.add(checkout.commit(str(repository)))
    assert len(answers) == 2


def interrupted(folder: Path) -> None:
    """Commit a file, begin a build that removes it and one that Git does not have, and kill that build when both are gone."""
    build(folder / "deploy", [output("old.yaml"), output("untracked.yaml")])
    git(folder, "add", "deploy/old.yaml")
    git(folder, "commit", "--quiet", "--message=built")
    rename = os.rename

    def stop(source: str, target: str) -> None:
        rename(source, target)
        if "/.tjgen/" not in source and not list((folder / "deploy").glob("*.yaml")):
            os.kill(os.getpid(), signal.SIGKILL)

    def act() -> None:
        os.rename = stop  # type: ignore[assignment]  # the same signature for our use
        build(folder / "deploy", [], claims=[""])

    assert run(act, folder, happens=lambda _: None) == KILLED
    assert not list((folder / "deploy").glob("*.yaml"))


def recover(folder: Path, history: History | None) -> list[str]:
    with OutputTree(str(folder / "deploy"), history=history) as tree:
        return [note.code for note in tree.notes]


def test_removed_files_come_back_at_the_same_commit(repository: Path) -> None:
    interrupted(repository)
    assert recover(repository, None) == ["TJ058"]
    assert sorted(files(repository / "deploy")) == ["old.yaml", "untracked.yaml"]


def test_at_another_commit_files_come_back_that_it_has_or_that_git_never_had(repository: Path) -> None:
    interrupted(repository)
    git(repository, "commit", "--quiet", "--allow-empty", "--message=more")
    assert recover(repository, still_wanted) == ["TJ058"]
    assert sorted(files(repository / "deploy")) == ["old.yaml", "untracked.yaml"]


def test_at_another_commit_files_stay_removed_that_only_the_former_has(repository: Path) -> None:
    git(repository, "branch", "other")
    interrupted(repository)
    git(repository, "checkout", "--quiet", "other")
    assert recover(repository, still_wanted) == ["TJ068", "TJ058"]
    assert sorted(files(repository / "deploy")) == ["untracked.yaml"]


def test_nothing_is_guessed_where_git_cannot_answer(repository: Path) -> None:
    git(repository, "branch", "other")
    interrupted(repository)
    built = head(repository)
    git(repository, "checkout", "--quiet", "other")
    with pytest.raises(CompileError) as error:
        recover(repository, None)
    (found,) = error.value.diagnostics
    assert found.code == "TJ066"
    assert f"check out commit {built[:12]}" in (found.hint or "")
    git(repository, "checkout", "--quiet", "--force", "main")
    (repository / "deploy/old.yaml").unlink()
    assert recover(repository, None) == ["TJ058"]
    assert sorted(files(repository / "deploy")) == ["old.yaml", "untracked.yaml"]
