"""The clone around an experiment, and the script that fetches a commit: both with repositories of Git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tjgen.language.codebase.clone import CloneError, resolved, uncommitted

SCRIPT = ROOT / "scripts/clone.sh"
SHELLS = [shell for shell in ("dash", "busybox", "bash") if shutil.which(shell)]


def git(folder: Path, *words: str) -> str:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_{what}": "x@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    words = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *words)
    return subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True, env=environment
    ).stdout.strip()


def commit(folder: Path, path: str, text: str) -> str:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", path)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def test_a_name_is_the_last_commit_that_changed_the_code(repository: Path) -> None:
    first = commit(repository, "src/train.py", "1")
    second = commit(repository, "deploy/out.yaml", "built")
    assert resolved(str(repository), "HEAD", None) == second
    assert resolved(str(repository / "deploy"), "main", "src") == first
    git(repository, "tag", "-a", "v1", "-m", "v1")
    assert resolved(str(repository), "v1", "src") == first


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("nowhere", None, "does not contain commit"),
        ("--all", None, "does not contain commit"),
        ("HEAD", "nowhere", "contains folder nowhere"),
    ],
)
def test_what_the_clone_does_not_know_is_refused(repository: Path, name: str, path: str | None, message: str) -> None:
    commit(repository, "src/train.py", "1")
    with pytest.raises(CloneError, match=message):
        resolved(str(repository), name, path)


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CloneError, match="not in a Git clone"):
        resolved(str(tmp_path), "HEAD", None)


def test_a_shallow_clone_does_not_know_who_changed_the_code_last(repository: Path, tmp_path: Path) -> None:
    commit(repository, "src/train.py", "1")
    commit(repository, "other", "1")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    with pytest.raises(CloneError, match="shallow"):
        resolved(str(tmp_path / "shallow"), "HEAD", "src")


def test_files_that_are_not_committed_are_counted(repository: Path) -> None:
    commit(repository, "src/train.py", "1")
    assert uncommitted(str(repository), "src") == 0
    (repository / "src/train.py").write_text("2")
    (repository / "src/new.py").write_text("2")
    (repository / "beside.txt").write_text("2")
    assert (uncommitted(str(repository), "src"), uncommitted(str(repository), None)) == (2, 3)


def fetch(shell: str, target: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    target.mkdir(exist_ok=True)
    program = [shell, "sh"] if shell == "busybox" else [shell]
    environment = {
        "PATH": os.environ["PATH"],
        "TARGET": str(target),
        "DEPTH": "1",
        "TRIES": "1",
        "PAUSE": "0",
        "GIT_ALLOW_PROTOCOL": "file:https:ssh",
        **variables,
    }
    return subprocess.run([*program, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_fetches_the_commit_and_again_over_what_it_left(shell: str, repository: Path, tmp_path: Path) -> None:
    first = commit(repository, "src/train.py", "1")
    commit(repository, "src/train.py", "2")
    target = tmp_path / "two words"
    for _ in range(2):
        answer = fetch(shell, target, REPOSITORY=f"file://{repository}", COMMIT=first, FOLDER="src")
        assert answer.returncode == 0, answer.stderr
        assert (target / "src/train.py").read_text() == "1"
        (target / "rest").write_text("half")
    assert fetch(shell, target, REPOSITORY=f"file://{repository}", COMMIT=first, FOLDER="lib").returncode == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_a_commit_that_is_not_there_fails(shell: str, repository: Path, tmp_path: Path) -> None:
    commit(repository, "a", "1")
    assert fetch(shell, tmp_path / "target", REPOSITORY=f"file://{repository}", COMMIT="0" * 40).returncode != 0


@pytest.mark.parametrize("shell", SHELLS)
def test_submodules_come_along_where_they_are_asked_for(shell: str, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(other, "lib.py", "1")
    git(repository, "submodule", "--quiet", "add", f"file://{other}", "lib")
    whole = commit(repository, "a", "1")
    target = tmp_path / "target"
    assert fetch(shell, target, REPOSITORY=f"file://{repository}", COMMIT=whole).returncode == 0
    assert not (target / "lib/lib.py").exists()
    answer = fetch(shell, target, REPOSITORY=f"file://{repository}", COMMIT=whole, SUBMODULES="true")
    assert answer.returncode == 0, answer.stderr
    assert (target / "lib/lib.py").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_secret_without_known_hosts_or_without_a_key_is_refused(shell: str, repository: Path, tmp_path: Path) -> None:
    made = commit(repository, "a", "1")
    secret = tmp_path / "secret"
    secret.mkdir()
    wanted = {"REPOSITORY": f"file://{repository}", "COMMIT": made, "CREDENTIALS": str(secret), "ORIGIN": "https://git.example"}
    assert "neither" in fetch(shell, tmp_path / "target", **wanted).stderr
    (secret / "ssh-privatekey").write_text("key")
    assert "known_hosts" in fetch(shell, tmp_path / "target", **wanted).stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_a_password_is_told_to_the_origin_alone(shell: str, repository: Path, tmp_path: Path) -> None:
    """Git is asked in place of a server: a wrapper that stands for `git fetch` prints what Git would send to two hosts."""
    made = commit(repository, "a", "1")
    secret, tools = tmp_path / "secret", tmp_path / "tools"
    for folder in (secret, tools):
        folder.mkdir()
    (secret / "username").write_text("robot")
    (secret / "password").write_text("s3cret")
    real = shutil.which("git")
    (tools / "git").write_text(
        "#!/bin/sh\n"
        'if [ "$1" = fetch ]; then for host in git.example elsewhere.example; do\n'
        f'printf "protocol=https\\nhost=$host\\n\\n" | GIT_ASKPASS=true {real} credential fill || true; done >"$ANSWERS"; fi\n'
        f'exec {real} "$@"\n'
    )
    (tools / "git").chmod(0o755)
    answers = tmp_path / "answers"
    answer = fetch(
        shell, tmp_path / "target", REPOSITORY=f"file://{repository}", COMMIT=made, CREDENTIALS=str(secret),
        ORIGIN="https://git.example", ANSWERS=str(answers), PATH=f"{tools}:{os.environ['PATH']}",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    told = answers.read_text()
    assert "host=git.example\nusername=robot\npassword=s3cret\n" in told
    assert told.count("s3cret") == 1
