"""Items that have numbers alone, however many -> for each slice a first number, an end and a step. No item is listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from tjgen.language.slicing import weighted
from tjgen.trees.typing import Any

STRATEGIES = ("contiguous", "round-robin", "weighted")
"""Those whose slices are ranges of numbers, for any items."""


def divided(by: str, items: int, count: int, options: Mapping[str, Any]) -> list[range]:
    """Return the slices that the strategy `by` would create from listed items. Raises ValueError as it does."""
    if by == "round-robin":
        return [range(index, items, count) for index in range(count)]
    if by == "weighted":
        lengths = weighted.lengths(items, count, options)
    else:
        each, more = divmod(items, count)
        lengths = [each + (index < more) for index in range(count)]
    starts = [0]
    for length in lengths:
        starts.append(starts[-1] + length)
    return [range(start, start + length) for start, length in zip(starts, lengths, strict=False)]


def faults(plan: Sequence[range], items: int, count: int) -> Iterator[str]:
    """What is wrong with a plan for numbers from 0 to `items`, by arithmetic on its ends alone."""
    if len(plan) != count:
        yield f"it has {len(plan)} slices, not {count}"
    for number, part in enumerate(plan):
        if part and not (part.step > 0 and part[0] >= 0 and part[-1] < items):
            yield f"slice {number} contains numbers outside 0 to {items - 1}"
    if len({part.step for part in plan if len(part) > 1}) > 1:
        yield "its slices have different steps"
        return
    step = max([part.step for part in plan if len(part) > 1], default=1)
    # Of numbers of one residue each slice holds a run of neighbours: runs that do not meet have nothing in common.
    runs = sorted((part[0] % step, part[0], part[-1]) for part in plan if part)
    for before, after in pairwise(runs):
        if before[0] == after[0] and after[1] <= before[2]:
            yield f"item {after[1]} is in two slices"
    total = sum(map(len, plan))
    if total != items:
        yield f"it contains {total} of {items} items"


def cut(plan: Sequence[range], readers: int) -> list[range]:
    """Slices of one length, that of the shortest, which divides by `readers`."""
    length = min(map(len, plan)) // readers * readers
    return [part[:length] for part in plan]
