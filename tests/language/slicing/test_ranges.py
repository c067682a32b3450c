"""Divisions of numbers: the same as those of listed items, proven without a list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tjgen.language.slicing import ranges, strategies
from tjgen.language.slicing.items import UNKNOWN, DataItems


@pytest.mark.parametrize("by", ranges.STRATEGIES)
@given(total=st.integers(0, 60), count=st.integers(1, 9))
def test_they_are_those_of_listed_items(by: str, total: int, count: int) -> None:
    items = DataItems()
    items.paths.extend([str(number).encode() for number in range(total)])
    items.sizes.extend([UNKNOWN] * total)
    options = {"weights": [number % 3 + 1 for number in range(count)]}
    strategy = strategies.load(by)
    assert strategy is not None
    plan = ranges.divided(by, total, count, options)
    assert plan == strategy.plan(items, count, options)
    assert list(ranges.faults(plan, total, count)) == []


def test_the_number_of_items_plays_no_part() -> None:
    plan = ranges.divided("round-robin", 10**15, 1000, {})
    assert list(ranges.faults(plan, 10**15, 1000)) == []
    assert {len(part) for part in ranges.cut(plan, 7)} == {10**12 // 7 * 7}


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        pytest.param([range(5), range(4, 10)], "item 4 is in two slices", id="neighbours that meet"),
        pytest.param([range(0, 10, 2), range(0, 10, 2)], "item 0 is in two slices", id="the same step twice"),
        pytest.param([range(5), range(6, 10)], "it contains 9 of 10 items", id="a gap"),
        pytest.param([range(5), range(5, 11)], "slice 1 contains numbers outside 0 to 9", id="beyond the end"),
        pytest.param([range(10)], "it has 1 slices, not 2", id="a slice too few"),
        pytest.param([range(0, 10, 2), range(1, 10, 3)], "its slices have different steps", id="two steps"),
    ],
)
def test_what_is_no_division_is_noticed(plan: list[range], fault: str) -> None:
    assert fault in list(ranges.faults(plan, 10, 2))
