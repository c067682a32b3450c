"""Items in their order -> runs of neighbours whose lengths differ by one at most: sequential reading, no sizes needed."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = False


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[range]:
    """The first slices take one item more where the items do not divide evenly."""
    each, more = divmod(len(items), count)
    starts = [index * each + min(index, more) for index in range(count + 1)]
    return [range(starts[index], starts[index + 1]) for index in range(count)]


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """The mean, rounded up."""
    return -(-len(items) // count)
