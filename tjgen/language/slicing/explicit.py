"""Items, and `lists` of paths and patterns, one for each slice -> the slices of these lists."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate

from tjgen.language.slicing import braces
from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = False
_PATTERN = re.compile(r"[*?\[]")


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
    """A path, a pattern in which `*` matches any characters, `?` one and `[ab]` one of several, or braces.

    Raises ValueError where the lists are not one for each slice, where an item is in none of them (unless `covering`
    is false) or in two, and where an entry is not an item.
    """
    lists: list[list[str]] = options.get("lists") or []
    if len(lists) != count:
        raise ValueError(f"has {len(lists)} lists for {count} slices")
    index_of = {path: index for index, path in enumerate(items.paths)}
    in_order = sorted(index_of)
    holder: dict[int, int] = {}
    for number, entries in enumerate(lists):
        for entry in entries:
            for index in _matched(entry, index_of, in_order, number):
                other = holder.setdefault(index, number)
                if other != number:
                    raise ValueError(f"has {items.paths[index]!r} in list {other} and in list {number}")
    if len(holder) != len(items) and options.get("covering", True):
        missing = next(index for index in range(len(items)) if index not in holder)
        raise ValueError(f"has {items.paths[missing]!r} in none of its lists")
    slices: list[list[int]] = [[] for _ in lists]
    for index in sorted(holder):
        slices[holder[index]].append(index)
    return slices


def _matched(entry: str, index_of: Mapping[str, int], in_order: Sequence[str], number: int) -> list[int]:
    if entry in index_of:
        return [index_of[entry]]
    if "{" in entry:
        return [index for path in braces.expanded(entry) for index in _matched(path, index_of, in_order, number)]
    sign = _PATTERN.search(entry)
    if sign is not None:
        matches = re.compile(translate(entry)).match
        indexes = sorted([index_of[path] for path in _beginning(in_order, entry[: sign.start()]) if matches(path)])
        if indexes:
            return indexes
    raise ValueError(f"has {entry!r} in list {number}, which is not an item")


def _beginning(in_order: Sequence[str], prefix: str) -> Iterator[str]:
    """The paths that begin with `prefix`."""
    for position in range(bisect_left(in_order, prefix), len(in_order)):
        if not in_order[position].startswith(prefix):
            return
        yield in_order[position]
