"""Folders that a process opened, in a forked process: it closes what it inherits, and uses the numbers again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tjgen.trees import caches
from tjgen.trees.files.beneath import Beneath


def in_child(function: Callable[[], bool], other: Path) -> bool:
    """What a function returns in a process that has closed all descriptors, and opened another folder under each number."""
    process = os.fork()
    if not process:
        answer = False
        try:
            os.closerange(3, 64)
            for _ in range(3, 64):
                os.open(other, os.O_RDONLY)
            answer = function()
        finally:
            os._exit(0 if answer else 1)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


def test_a_child_reads_the_folder_and_not_another_one(tmp_path: Path) -> None:
    for name, text in (("own/in", "own"), ("other/in", "other")):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a").write_text(text)
    folder = Beneath(str(tmp_path / "own"))
    assert folder.text("in/a") == "own"
    assert in_child(lambda: folder.text("in/a") == "own", tmp_path / "other")
    assert in_child(lambda: folder.text("in/a") == "own", tmp_path / "other/in")


def test_a_child_reads_no_cache_of_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {}
    for name in ("own", "other"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
        monkeypatch.delenv("TJGEN_CACHE", raising=False)
        answers[name] = caches.open_folder()
    own, other = answers["own"], answers["other"]
    assert own is not None
    assert other is not None
    assert other.store("a", "planted")
    assert own.load("a") is None
    assert in_child(lambda: own.load("a") is None and not own.store("a", 1), tmp_path / "other/tjgen")
    assert other.load("a") == "planted"
