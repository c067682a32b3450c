"""Items with sizes -> slices of nearly equal bytes: the largest first, each to the slice that has least so far.

Longest processing time first: the largest slice is at most 4/3 - 1/(3 count) of the best possible one.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from heapq import heapreplace

from tjgen.language.slicing.items import DataItems, in_order
from tjgen.trees.typing import Any

NEEDS_SIZES = True


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
    """Equal sizes go by path, equal loads to the lowest slice; within a slice items keep their order."""
    known = items.sizes.tolist()
    order = sorted(range(len(known)), key=known.__getitem__, reverse=True)
    sizes = array("q", map(known.__getitem__, order))  # contiguous in memory, as they are read later
    _settle_ties(order, sizes, items.paths)
    shift = count.bit_length()
    last = (1 << shift) - 1
    loads = list(range(count))  # bytes, and behind them in each number the slice: one number that sorts by both
    taken = [heapreplace(loads, loads[0] + (size << shift)) & last for size in sizes]
    owners = array("I", bytes(4 * len(order)))
    for index, owner in zip(order, taken, strict=True):
        owners[index] = owner
    slices: list[list[int]] = [[] for _ in range(count)]
    take = [one.append for one in slices]
    for index, owner in enumerate(owners):
        take[owner](index)
    return slices


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """Bytes: the slice that ends as the largest had no more than its share of all others when it got its last item."""
    largest = max(items.sizes, default=0)
    return (sum(items.sizes) + (count - 1) * largest) // count


def _settle_ties(order: list[int], sizes: array[int], paths: list[str]) -> None:
    """Sorts each run of equal sizes by path: far cheaper than to sort all by path before, and seldom needed."""
    if in_order(paths):
        return
    start, current = 0, None
    for position, size in enumerate(sizes):
        if size != current:
            if position - start > 1:
                order[start:position] = sorted(order[start:position], key=paths.__getitem__)
            start, current = position, size
    order[start:] = sorted(order[start:], key=paths.__getitem__)
