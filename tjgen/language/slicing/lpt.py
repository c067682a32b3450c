"""Items with sizes -> slices of nearly equal bytes: the largest first, each to the slice that has least so far.

Longest processing time first: the largest slice is at most 4/3 - 1/(3 count) of the best possible one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapreplace

from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.paths import Paths
from tjgen.language.slicing.proof import Plan
from tjgen.trees.typing import Any

NEEDS_SIZES = True
_RUN = 1 << 18
"""The number of items that are sorted at once: sorting needs 70 bytes for each, and the order only 4."""
_EXACT = 2**53
"""Up to this number, a float is equal to its integer, and sorts in a third of the time."""


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> Plan:
    """Equal sizes go by path, equal loads to the lowest slice; within a slice items keep their order."""
    order = _largest_first(items)
    owners = owners_of(zip(order, map(items.sizes.__getitem__, order), strict=True), len(items), count)
    slices = [array("I") for _ in range(count)]
    take = [one.append for one in slices]
    for index, owner in enumerate(owners):
        take[owner](index)
    return slices


def owners_of(largest_first: Iterable[tuple[int, int]], total: int, count: int) -> array[int]:
    """The slice of each of `total` items, which arrive with their indexes and sizes, the largest first."""
    shift = count.bit_length()
    last = (1 << shift) - 1
    loads = list(range(count))  # bytes, and behind them in each number the slice: one number that sorts by both
    owners = array("I", bytes(4 * total))
    for index, size in largest_first:
        owners[index] = heapreplace(loads, loads[0] + (size << shift)) & last
    return owners


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """Bytes: the slice that ends as the largest had no more than its share of all others when it got its last item."""
    largest = max(items.sizes, default=0)
    return (sum(items.sizes) + (count - 1) * largest) // count


def _largest_first(items: DataItems) -> array[int]:
    """The indexes of the items, the largest first; equal sizes by path."""
    is_exact = max(items.sizes, default=0) <= _EXACT
    sizes: Sequence[float] = array("d", items.sizes) if is_exact else items.sizes
    runs = [
        _by_size(range(start, min(start + _RUN, len(items))), sizes)  # equal sizes stay in the order of their indexes
        for start in range(0, len(items), _RUN)
    ]
    order = runs[0] if len(runs) == 1 else _merged(runs, sizes)
    if not items.paths.ascending:
        _settle_ties(order, items)
    return order


def _by_size(indexes: Sequence[int], sizes: Sequence[float]) -> array[int]:
    return array("I", sorted(indexes, key=sizes.__getitem__, reverse=True))


def _merged(runs: Sequence[array[int]], sizes: Sequence[float]) -> array[int]:
    """Sorts one range of sizes after the other, with the items of all runs that have these sizes."""
    order = array("I")
    limits = sorted([sizes[run[place]] for run in runs for place in range(0, len(run), _RUN // 8)], reverse=True)
    starts = [0] * len(runs)
    for limit in dict.fromkeys([*limits[::8], -1]):
        larger, equal = array("I"), array("I")
        for number, run in enumerate(runs):
            start = starts[number]
            middle = bisect_left(run, -limit, start, key=lambda index: -sizes[index])
            starts[number] = bisect_right(run, -limit, middle, key=lambda index: -sizes[index])
            larger += run[start:middle]
            equal += run[middle : starts[number]]
        order += _by_size(larger, sizes)
        order += equal
    return order


def _settle_ties(order: array[int], items: DataItems) -> None:
    """Sorts each run of equal sizes by path: far cheaper than to sort all by path before, and seldom needed."""
    start, current = 0, None
    for position, index in enumerate(order):
        size = items.sizes[index]
        if size != current:
            _sort(order, start, position, items.paths)
            start, current = position, size
    _sort(order, start, len(order), items.paths)


def _sort(order: array[int], start: int, end: int, paths: Paths) -> None:
    if end - start > 1:
        order[start:end] = array("I", sorted(order[start:end], key=paths.__getitem__))
