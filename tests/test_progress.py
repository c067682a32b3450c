"""Progress on a terminal: after a while, on one line, gone at the end; and nowhere else."""

from __future__ import annotations

import io
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tjgen.cli import progress, watching
from tjgen.cli.program import run
from tjgen.cli.progress import Progress

CLEAR = "\r\x1b[2K"


class Screen(io.StringIO):
    """What a terminal gets."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Seconds that pass when somebody says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def shown(steps: list[tuple[float, int, int, str]], *, width: int = 40) -> list[str]:
    """What is written of steps, each begun at its second."""
    written: list[str] = []
    clock = Clock()
    one = Progress(written.append, width=width, now=clock)
    for seconds, done, whole, begins in steps:
        clock.seconds = seconds
        one.step(done, whole, begins)
    return written


def test_short_work_says_nothing() -> None:
    assert shown([(0.1, 0, 3, "a"), (0.2, 1, 3, "b"), (0.4, 2, 3, "c"), (0.45, 3, 3, "")]) == []


def test_long_work_says_how_far_it_is_and_takes_it_away() -> None:
    steps = [(0.1, 0, 3, "a"), (0.6, 1, 3, "b.yaml"), (0.9, 2, 3, "c.yaml"), (1.5, 3, 3, "")]
    assert shown(steps) == [f"{CLEAR}2/3 b.yaml", f"{CLEAR}3/3 c.yaml", CLEAR]


def test_a_line_is_not_written_for_every_step() -> None:
    assert shown([(1 + number / 100, number, 0, "x") for number in range(15)]) == [f"{CLEAR}1 x", f"{CLEAR}11 x"]


def test_a_long_name_is_cut_at_its_front() -> None:
    assert shown([(1, 0, 0, "experiments/" + "a" * 30 + "/b.yaml")], width=14) == [f"{CLEAR}1 …aaa/b.yaml"]


def test_a_name_moves_no_cursor() -> None:
    assert shown([(1, 0, 0, "a\x1b[2J\r\n.yaml")]) == [f"{CLEAR}1 a?[2J??.yaml"]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step is told, where anything is told at all."""
    monkeypatch.setattr(progress, "_AFTER", -1)
    monkeypatch.setattr(progress, "_EVERY", 0)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")


def screen(*words: str, folder: Path) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with chdir(folder), redirect_stderr(Screen()) as err, redirect_stdout(out):
        assert run(list(words)) == 0
    return err.getvalue()


@pytest.mark.parametrize(
    "words", [("build", "--summary"), ("build", "-o", "deploy"), ("report",), ("diff", "-o", "deploy")], ids=" ".join
)
def test_builds_tell_on_a_terminal(words: tuple[str, ...], at_once: None, tmp_path: Path) -> None:
    for name in ("a", "b"):
        text = (ROOT / "examples/smallest.yaml").read_text(encoding="utf-8")
        (tmp_path / f"{name}.yaml").write_text(text.replace("name: mnist,", f"name: {name},"), encoding="utf-8")
    project = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {experiments: [a.yaml, b.yaml]}\n"
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    told = screen(*words, folder=tmp_path)
    assert told.startswith(f"{CLEAR}1/2 a.yaml{CLEAR}2/2 b.yaml{CLEAR}")
    assert "yaml" not in told.rpartition(CLEAR)[2]


def test_a_check_tells_and_its_answer_is_stored_without_that(at_once: None) -> None:
    parts: list[tuple[bool, str]] = []
    with redirect_stderr(Screen()) as err, redirect_stderr(watching._Copy(err, parts, True, watching.Watch())):
        assert run(["check", str(ROOT / "tests/cases/plain-two-nodes/expected/applied.yaml")]) == 0
    assert err.getvalue().startswith(f"{CLEAR}1 ")
    assert err.getvalue().endswith(f"{CLEAR}2 objects, 0 problems\n")
    assert "".join(text for _, text in parts) == "2 objects, 0 problems\n"


@pytest.mark.parametrize(("name", "value"), [("CI", "true"), ("TERM", "dumb")])
def test_nobody_is_told_where_nobody_looks(
    name: str, value: str, at_once: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(name, value)
    assert screen("build", str(ROOT / "examples/smallest.yaml"), "--summary", folder=tmp_path) == ""


@pytest.mark.parametrize("words", [("--quiet",), ("--format", "json")], ids=" ".join)
def test_nor_where_nobody_wants_it(words: tuple[str, ...], at_once: None, tmp_path: Path) -> None:
    said = screen("build", str(ROOT / "examples/smallest.yaml"), "--summary", *words, folder=tmp_path)
    assert CLEAR not in said
