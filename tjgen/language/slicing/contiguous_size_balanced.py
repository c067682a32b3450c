"""Items in their order, with sizes -> runs of neighbours whose largest one has as few bytes as any such division."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = True


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[range]:
    """The smallest bound that `count` runs can keep, then each run as long as it allows; none is empty without need."""
    return runs(list(accumulate(items.sizes, initial=0)), max(items.sizes, default=0), count)


def runs(ends: Sequence[int], largest: int, count: int) -> list[range]:
    """The same for items of which only the sums are known: 0, then for each item the bytes of all items up to it."""
    low, high = largest, ends[len(ends) - 1]
    while low < high:
        bound = (low + high) // 2
        low, high = (low, bound) if _runs(ends, bound, count) <= count else (bound + 1, high)
    slices = []
    start = 0
    for number in range(count):
        # One item at least is left for each of the slices that follow.
        stop = min(bisect_right(ends, ends[start] + low) - 1, max(len(ends) - 1 - (count - number - 1), start + 1))
        stop = min(stop, len(ends) - 1)
        slices.append(range(start, stop))
        start = stop
    return slices


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """The mean and one item more: runs that are filled above the mean, one after the other, need no more."""
    return -(-sum(items.sizes) // count) + max(items.sizes, default=0)


def _runs(ends: Sequence[int], bound: int, most: int) -> int:
    """How many runs of at most `bound` bytes it takes; stops counting above `most`."""
    runs, start, last = 0, 0, len(ends) - 1
    while start < last and runs <= most:
        start = bisect_right(ends, ends[start] + bound) - 1
        runs += 1
    return runs
