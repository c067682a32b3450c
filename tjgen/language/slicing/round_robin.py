"""Items in their order -> dealt out one by one: neighbours go to different slices, no sizes needed."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = False


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[range]:
    """Item j goes to slice j modulo `count`."""
    return [range(index, len(items), count) for index in range(count)]


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """The mean, rounded up."""
    return -(-len(items) // count)
