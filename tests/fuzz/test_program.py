"""The fuzz program itself: the same number gives the same input, each kind of finding is found, and inputs do no harm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.fuzz import corpus, library
from tests.fuzz.corpus import Corpus
from tests.fuzz.inputs import FULL, PROGRAM, File, Folder, Input, Link, from_json, to_json
from tests.fuzz.judge import EXIT_CODE, HANG, MEMORY, TRACEBACK, UNREADABLE, Finding, judged
from tests.fuzz.runner import Result
from tests.fuzz.scenes import SCENES, make, scene_of
from tests.fuzz.shrink import shrunk
from tests.fuzz.workers import alone, explore
from tjgen.cli.program import COMMANDS


@pytest.fixture(scope="module")
def seeds() -> Corpus:
    return corpus.load()


@contextmanager
def planted(call: Callable[[bytes], None]) -> Iterator[Input]:
    """An input of a library function that misbehaves."""
    with patch.dict(library.CALLS, {"planted": call}):
        yield Input("planted", stdin=b"x")


def hangs(content: bytes) -> None:
    while True:
        pass


def grows(content: bytes) -> None:
    bytearray(400 << 20)


def raises(content: bytes) -> None:
    raise KeyError(content)


def writes(content: bytes) -> None:
    Path("/tmp/tjgen-fuzz-must-not-write").touch()


@pytest.mark.parametrize(("call", "kind"), [(hangs, HANG), (grows, MEMORY), (raises, TRACEBACK), (writes, TRACEBACK)])
def test_a_planted_fault_is_found(call: Callable[[bytes], None], kind: str) -> None:
    with planted(call) as one:
        # A busy machine may take seconds to hand out the memory.
        found = alone(one, seconds=60.0) if call is grows else alone(one)
    assert found is not None
    assert found.kind == kind


def test_an_input_cannot_write_outside_of_its_folder() -> None:
    with planted(writes) as one:
        found = alone(one)
    assert found is not None
    assert "Read-only file system" in found.detail
    assert not Path("/tmp/tjgen-fuzz-must-not-write").exists()


@pytest.mark.parametrize(
    ("words", "code", "out", "err", "kind"),
    [
        (("build",), 3, b"", "error[TJ900] internal error of tjgen", TRACEBACK),
        (("build",), 0, b"", "error[TJ101] a.yaml:1:1: unknown field\n", EXIT_CODE),
        (("build", "--format=json"), 0, b"", '[{"severity": "error"}]', EXIT_CODE),
        (("build",), 1, b"", "", EXIT_CODE),
        (("build",), 2, b"", "", EXIT_CODE),
        (("build",), 7, b"", "", EXIT_CODE),
        (("build",), 0, b"a: [", "", UNREADABLE),
        (("explain", "--format", "json"), 0, b"{", "", UNREADABLE),
    ],
)
def test_what_a_command_line_must_not_do(words: tuple[str, ...], code: int, out: bytes, err: str, kind: str) -> None:
    found = judged(Input(PROGRAM, words), Result(code, out, err, 0.1, 0))
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        (("build",), 0, b"a: 1\n", "warning[TJ001] a.yaml:1:1: something\n"),
        (("build",), 1, b"", "error[TJ101] a.yaml:1:1: unknown field\n"),
        (("build", "--check"), 1, b"", ""),
        (("build", "--x"), 2, b"", "Usage: tjgen build [OPTIONS]\n"),
    ],
)
def test_what_a_command_line_may_do(words: tuple[str, ...], code: int, out: bytes, err: str) -> None:
    assert judged(Input(PROGRAM, words), Result(code, out, err, 0.1, 0)) is None


def test_a_number_gives_one_input(seeds: Corpus) -> None:
    again = corpus.load()
    assert [make(7, number, seeds) for number in range(200)] == [make(7, number, again) for number in range(200)]
    assert make(7, 1, seeds) != make(8, 1, seeds)


def test_every_command_and_scene_is_drawn(seeds: Corpus) -> None:
    numbers = range(20_000)
    assert {scene_of(1, number)[0].name for number in numbers} == {scene.name for scene in SCENES}
    lines = [make(1, number, seeds) for number in numbers if scene_of(1, number)[0].name not in ("admit", "read", "texts")]
    assert set(COMMANDS) <= {one.words[0] for one in lines if one.words}


def test_an_input_reads_back() -> None:
    files: dict[str, File] = {"a": b"\xff", "b": Link("a"), "c": Folder(), "\udcff": b"x"}
    one = Input(PROGRAM, ("check", "\udcff"), files, b"\x00", {"A": "b"}, ((200, "A", "b", b"\xfe"),), FULL)
    assert from_json(to_json(one)) == one


def test_an_input_is_made_smaller() -> None:
    tree = {"document": {"kind": "a" * 50, "spec": {"bad": [1, 2, 3], "good": {}}}, "old": None}
    one = Input("admit", stdin=json.dumps(tree).encode())
    assert json.loads(shrunk(one, lambda smaller: b'"bad"' in smaller.stdin).stdin) == {"document": {"spec": {"bad": []}}}


def test_a_worker_that_dies_does_not_end_the_run(seeds: Corpus) -> None:
    blocks = (range(start, start + 20) for start in (0, 20))
    with patch("tests.fuzz.workers.judged", dying_at(25)):
        reports = list(islice(explore(1, blocks, seeds, 1), 10))
    assert sum(report.done for report in reports) == 35
    assert [number for report in reports for number, _ in report.findings] == [25]


def dying_at(number: int) -> Callable[[Input, Result], Finding | None]:
    """A judge whose process is killed at one input."""
    import os
    import signal

    calls = iter(range(1000))

    def judge(one: Input, result: Result) -> Finding | None:
        # A process that is started again counts anew, and is not killed again.
        if next(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return None

    return judge
