"""The folder of locks was removed and merged: what restores it, with its pins, and that `verify` accepts the repair."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, git, start, verify
from tests.program import tjgen
from tjgen.language.runs.pins import path_of, write

IMAGE = "docker.io/library/train:1"
PIN = f"tjgen.lock.d/_images/{path_of(IMAGE)}"
_LOCKS = re.compile(r"hint: restore all locks and pins with (git checkout [^;]+);")
_LOCK = re.compile(r"hint: restore the lock with (git checkout [^;]+);")
_PIN = re.compile(r"hint: restore the digest with (git checkout [^;]+);")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    start(folder)
    (folder / "catalog/.gitkeep").touch()  # Git does not keep an empty folder
    (folder / PIN).parent.mkdir(parents=True)
    (folder / PIN).write_text(write(IMAGE, "sha256:" + "1" * 64), encoding="utf-8")
    build(folder, "--renew", "letters-*")
    commit(folder)
    return folder


def lose(folder: Path, path: str) -> None:
    shutil.rmtree(folder / path)
    commit(folder)


def paste(folder: Path, commands: set[str]) -> None:
    for command in commands:
        subprocess.run(shlex.split(command), cwd=folder, check=True, capture_output=True)


def test_one_command_restores_the_locks_and_the_pins(folder: Path) -> None:
    lose(folder, "tjgen.lock.d")
    answer = tjgen(folder, "build")
    assert (answer.code, "error[TJ740]" in answer.err) == (1, True)
    (command,) = commands = set(_LOCKS.findall(answer.err))
    assert command.endswith("-- tjgen.lock.d")
    paste(folder, commands)
    assert (folder / PIN).is_file()
    assert git(folder, "diff", "HEAD^", "--", "tjgen.lock.d") == ""
    build(folder)
    assert verify(folder).code == 0
    commit(folder)
    repaired = verify(folder)
    assert (repaired.code, "error[" in repaired.err) == (0, False), repaired.err


def test_verify_accepts_locks_that_are_restored_one_by_one(folder: Path) -> None:
    lose(folder, "tjgen.lock.d/default")
    paste(folder, set(_LOCK.findall(tjgen(folder, "build").err)))
    build(folder)
    git(folder, "add", "--all")
    commit(folder)
    assert verify(folder).code == 0


def test_verify_does_not_accept_another_lock_instead(folder: Path) -> None:
    lose(folder, "tjgen.lock.d/default")
    git(folder, "checkout", "--quiet", "HEAD^", "--", "tjgen.lock.d")
    lock = next(path for path in sorted((folder / "tjgen.lock.d/default").rglob("*.yaml")) if "superseded" in path.read_text())
    lock.write_text(lock.read_text().replace("state: superseded", "state: active"), encoding="utf-8")
    git(folder, "add", "--all")
    assert verify(folder).code == 1


def test_a_removed_pin_of_an_image_that_is_requested_is_an_error(folder: Path) -> None:
    lose(folder, "tjgen.lock.d/_images")
    answer = verify(folder)
    assert (answer.code, answer.err.count("error[TJ293]")) == (1, 1), answer.err
    assert f"the pin of an image ({PIN}) of HEAD^ was removed" in answer.err
    paste(folder, set(_PIN.findall(answer.err)))
    assert verify(folder).code == 0


def test_a_removed_pin_of_an_unused_image_is_none(folder: Path) -> None:
    for name in ("digits", "letters"):
        experiment(folder, name, "3")
    build(folder)
    commit(folder)
    lose(folder, "tjgen.lock.d/_images")
    answer = verify(folder)
    assert (answer.code, "TJ293" in answer.err) == (0, False), answer.err
