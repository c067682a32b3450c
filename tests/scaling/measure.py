"""A command line, or a function -> how many lines of Python it runs: a count that is the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from tests.program import tjgen
from tests.scaling.case import Case

MOST_GROWTH = 2.3
"""The second doubling may add so many times what the first one added: 2 where the work is linear, at most 2.25 from 64
elements on where it is n log n, and 4 where it is quadratic."""


def lines_of(run: Callable[[], Any]) -> int:
    """The lines of Python that `run` runs, those of other threads left out."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


_CONSTANT_PART = 0.01
"""Two runs of the same work differ by less than this part of it: a set of strings has another order in each process."""


def growth(counts: Sequence[int]) -> float:
    """What the second doubling of an input adds, in units of what the first one adds."""
    first, second, third = counts
    return (third - second) / max(second - first, first * _CONSTANT_PART, 1)


def counts_of(case: Case, folder: Path) -> list[int]:
    """The lines that the command line of a case runs for n, 2n and 4n elements."""
    _run(case, case.size, folder / "first")  # what is imported or compiled once is not counted
    return [_run(case, case.size * times, folder / str(times)) for times in (1, 2, 4)]


def _run(case: Case, size: int, folder: Path) -> int:
    stdin = write(case, size, folder)
    return lines_of(lambda: tjgen(folder, *case.words, stdin=stdin))


def write(case: Case, size: int, folder: Path) -> str:
    """Write the files of a case and run what comes before; the text of its standard input."""
    for name, text in case.files(size).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for words in case.before:
        tjgen(folder, *words)
    return (folder / case.stdin).read_text(encoding="utf-8") if case.stdin else ""
