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
    order = _largest_first(items)
    shift = count.bit_length()
    last = (1 << shift) - 1
    loads = list(range(count))  # bytes, and behind them in each number the slice: one number that sorts by both
    sizes = items.sizes
    owners = array("I", bytes(4 * len(order)))
    for index in order:
        owners[index] = heapreplace(loads, loads[0] + (sizes[index] << shift)) & last
    del order  # it takes more memory than all that is left to do
    slices: list[list[int]] = [[] for _ in range(count)]
    take = [one.append for one in slices]
    for index, owner in enumerate(owners):
        take[owner](index)
    return slices


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """Bytes: the slice that ends as the largest had no more than its share of all others when it got its last item."""
    largest = max(items.sizes, default=0)
    return (sum(items.sizes) + (count - 1) * largest) // count


def _largest_first(items: DataItems) -> array[int]:
    """The indexes of the items, the largest first; equal sizes by path."""
    shift = len(items).bit_length()
    last = (1 << shift) - 1
    # One number for each item sorts by both, in half the memory of a list of indexes and a list of keys.
    keys = [(-size << shift) + index for index, size in enumerate(items.sizes)]
    keys.sort()
    order = array("I", [key & last for key in keys])
    del keys
    if not in_order(items.paths):
        _settle_ties(order, items)
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


def _sort(order: array[int], start: int, end: int, paths: list[str]) -> None:
    if end - start > 1:
        order[start:end] = array("I", sorted(order[start:end], key=paths.__getitem__))
