"""The program of the page on checkpoints, killed before each of its steps in real processes."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.compiler.programs.keeping.cleaning import RUN, clean_twice, cleaner, pythons, save, tree

STEPS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate")
VARIABLES = {"TJGEN_CHECKPOINT_NAME": "step-", "TJGEN_CHECKPOINT_MARKER": "_SUCCESS", "TJGEN_CHECKPOINT_OWNER": RUN}

Program = Callable[[Path], Any]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program for a folder."""

    def load(folder: Path) -> ModuleType:
        for name, value in {**VARIABLES, "TJGEN_CHECKPOINT_PATH": str(folder)}.items():
            monkeypatch.setenv(name, value)
        spec = importlib.util.spec_from_file_location("checkpoint", ROOT / "examples/checkpoint.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def writing(text: str) -> Callable[[Path], None]:
    """What fills a checkpoint with two files of one text."""

    def write(folder: Path) -> None:
        (folder / "shard").mkdir()
        (folder / "shard" / "weights").write_text(text)
        (folder / "weights").write_text(text)

    return write


def is_killed(checkpoint: Any, step: int, text: str, at: int) -> bool:
    """Save in a process that is killed before its step number `at`; False if saving has fewer steps."""
    child = os.fork()
    if child == 0:
        count = 0

        def watch(event: str, _: Any) -> None:
            nonlocal count
            if event in STEPS:
                count += 1
                if count == at:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        checkpoint.save(step, writing(text))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status != 0


def newest(checkpoint: Any) -> tuple[str, str] | None:
    """Name and text of the checkpoint to resume from; both of its files must be of one save."""
    path = checkpoint.newest()
    if path is None:
        return None
    texts = {(path / "weights").read_text(), (path / "shard/weights").read_text()}
    assert len(texts) == 1
    return path.name, texts.pop()


@pytest.mark.parametrize("step", [3, 2], ids=["the next step", "a step that was saved before"])
def test_a_kill_at_any_step_loses_no_checkpoint(tmp_path: Path, step: int, program: Program) -> None:
    kills, is_over = 0, False
    while not is_over:
        kills += 1
        folder = tmp_path / str(kills)
        checkpoint = program(folder)
        for earlier in (1, 2):
            checkpoint.save(earlier, writing(f"first {earlier}"))
        is_over = not is_killed(checkpoint, step, "second", kills)
        found = newest(checkpoint)
        assert found is not None
        assert found[1] in ("first 2", "second"), kills
        # The next process resumes, and saves the same step and another one.
        for number in (step, 4):
            checkpoint.save(number, writing(f"third {number}"))
        assert newest(checkpoint) == ("step-4", "third 4")
        assert {path.name for path in folder.iterdir()} == {".tjgen-run", *(f"step-{number}" for number in {1, 2, step, 4})}
        assert (folder / f"step-{step}/weights").read_text() == f"third {step}"
    assert kills > 12


def test_the_first_save_is_killed_at_any_step(tmp_path: Path, program: Program) -> None:
    kills, is_over = 0, False
    while not is_over:
        kills += 1
        checkpoint = program(tmp_path / str(kills))
        is_over = not is_killed(checkpoint, 1, "first", kills)
        assert newest(checkpoint) in (None, ("step-1", "first"), (".half-1", "first"))
        checkpoint.save(1, writing("second"))
        assert newest(checkpoint) == ("step-1", "second")
        assert (tmp_path / str(kills) / ".tjgen-run").read_text() == RUN
    assert kills > 8


def test_a_restart_that_is_killed_too_loses_no_checkpoint(tmp_path: Path, program: Program) -> None:
    for first in range(1, 22, 2):
        for second in range(1, 34, 5):
            checkpoint = program(tmp_path / f"{first}-{second}")
            checkpoint.save(1, writing("first"))
            is_killed(checkpoint, 1, "second", first)
            is_killed(checkpoint, 1, "third", second)
            found = newest(checkpoint)
            assert found is not None, (first, second)
            checkpoint.save(1, writing("fourth"))
            assert newest(checkpoint) == ("step-1", "fourth")


def test_a_folder_without_a_marker_makes_way(tmp_path: Path, program: Program) -> None:
    save(tmp_path, 3, marker=None)
    program(tmp_path).save(3, writing("now"))
    assert newest(program(tmp_path)) == ("step-3", "now")


def test_a_run_without_checkpoints_begins_with_those_that_it_resumes(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "source").save(7, writing("theirs"))
    monkeypatch.setenv("TJGEN_RESUME_FROM", str(tmp_path / "source"))
    before = tree(tmp_path / "source")
    checkpoint = program(tmp_path / "own")
    assert newest(checkpoint) == ("step-7", "theirs")
    checkpoint.save(1, writing("ours"))
    assert newest(checkpoint) == ("step-1", "ours")
    assert tree(tmp_path / "source") == before


@pytest.mark.parametrize("release", pythons())
def test_it_runs_on_each_python(tmp_path: Path, release: str) -> None:
    text = f"import sys; sys.path.insert(0, {str(ROOT / 'examples')!r}); import checkpoint\n"
    text += "write = lambda folder: (folder / 'weights').write_text('w')\n"
    text += "checkpoint.save(1, write); checkpoint.save(1, write); print(checkpoint.newest())"
    environment = {**VARIABLES, "TJGEN_CHECKPOINT_PATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    answer = subprocess.run([pythons()[release], "-c", text], env=environment, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == str(tmp_path / "step-1")


def test_the_cleaner_and_the_program_agree(tmp_path: Path, program: Program) -> None:
    folder = tmp_path / "volume" / RUN
    checkpoint = program(folder)
    for step in (9, 10, 100, 101):
        checkpoint.save(step, writing(str(step)))
    save(folder, 900, marker=None)
    save(folder, 901, files={"weights": ""})
    save(folder, "902 copy")
    (folder / "step-903").symlink_to("step-9")
    before = newest(checkpoint)
    answer = clean_twice(cleaner(), tmp_path / "volume")
    assert "step-901/weights is empty" in answer.message
    assert before == newest(checkpoint) == ("step-101", "101")
    assert {"step-100/weights", "step-9/weights"} < tree(folder)
    assert "step-10" not in {path.name for path in folder.iterdir()}
