"""The time of a command grows with its input at most as n log n, whichever list a user makes long.

Lines of Python are counted instead of seconds, so that a busy machine changes nothing. What a single line does in C, such as
a copy of a list, is not seen: `python -m tests.scaling` measures the CPU time of larger inputs.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.scaling import experiments, manifests, projects, texts
from tests.scaling.case import Case
from tests.scaling.measure import MOST_GROWTH, counts_of, growth, lines_of
from tjgen.trees.fields import positions
from tjgen.trees.fields.path import FieldPath, Selector, Tree

CASES = (*experiments.CASES, *projects.CASES, *manifests.CASES, *texts.CASES)


def test_names_are_different() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.fixture(autouse=True)
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_work_grows_with_the_input(case: Case, tmp_path: Path) -> None:
    counts = counts_of(case, tmp_path)
    assert growth(counts) <= MOST_GROWTH, counts


def linear(size: int) -> None:
    for number in range(size):
        len(str(number))


def halving(size: int) -> None:
    for _ in range(size):
        rest = size
        while rest:
            rest //= 2


def quadratic(size: int) -> None:
    """Much linear work, and a search of all earlier elements."""
    seen: list[int] = []
    for number in range(size):
        linear(10)
        any(other == -number - 1 for other in seen)
        seen.append(number)


@pytest.mark.parametrize(("work", "is_fine"), [(linear, True), (halving, True), (quadratic, False)])
def test_the_bound_tells_quadratic_work_from_other_work(work: object, is_fine: bool) -> None:  # a table
    assert callable(work)
    counts = [lines_of(partial(work, size)) for size in (64, 128, 256)]
    assert (growth(counts) <= MOST_GROWTH) is is_fine


def test_a_search_of_every_list_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def search(_: object, path: FieldPath, items: list[Tree], wanted: Selector) -> int:
        del path
        for position, item in enumerate(items):
            if all(item.get(key) == value for key, value in wanted):
                return position
        return -1

    monkeypatch.setattr(positions.Positions, "find", search)
    case = next(case for case in CASES if case.name == "env")
    assert growth(counts_of(case, tmp_path)) > MOST_GROWTH
