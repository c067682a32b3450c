"""A plan of slices -> what keeps it from being a division of the items, and how even it is. No strategy is believed."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from tjgen.language.slicing.items import DataItems
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple

Plan = Sequence[Sequence[int]]


class Balance(NamedTuple):
    """How even the slices are. `ratio` is the largest slice over the mean: 1.0 is even."""

    fewest: int
    most: int
    """Items of a slice."""
    smallest: int | None
    largest: int | None
    """Bytes of a slice; None where sizes are not known."""
    ratio: float


def faults(plan: Plan, items: int, count: int, *, covering: bool = True) -> Iterator[str]:
    """What is wrong with a plan for `items` items in `count` slices: one sentence each, nothing for a division.

    Where it need not be `covering`, an item may be in no slice.
    """
    if len(plan) != count:
        yield f"it has {len(plan)} slices, not {count}"
    total = sum(map(len, plan))
    if (total == items or not covering) and _divides(plan, items, total):
        return
    holders: dict[int, int] = {}
    for number, part in enumerate(plan):
        for index in part:
            if index.__class__ is not int:
                yield f"slice {number} contains {index!r}, which is not an index"
            elif not 0 <= index < items:
                yield f"slice {number} contains item {index}, but the items are 0 to {items - 1}"
            elif index in holders:
                yield f"item {index} is in slice {holders[index]} and in slice {number}"
            else:
                holders[index] = number
    missing = [index for index in range(items) if index not in holders] if covering else []
    if missing:
        others = f" and {len(missing) - 1} others are" if len(missing) > 1 else " is"
        yield f"item {missing[0]}{others} in no slice"


def _divides(plan: Plan, items: int, count: int) -> bool:
    """Whether the indexes, `count` in all, are all different and in range."""
    seen = bytearray(items)
    try:
        for part in plan:
            for index in array("I", part):  # takes no negative number, and nothing but numbers
                seen[index] = 1
    except (TypeError, OverflowError, IndexError):
        return False
    return seen.count(1) == count


def heaviest(plan: Plan, items: DataItems | None, session: Session | None = None) -> tuple[int, int]:
    """The number of the slice that has most, and what it has: bytes of `items`, or where they are None its length."""
    loads = [len(part) for part in plan] if items is None else _bytes(plan, items, session or Session())
    most = max(loads, default=0)
    return (loads.index(most) if loads else 0), most


def balance(plan: Plan, items: DataItems | None, session: Session | None = None) -> Balance:
    """How even a proven plan is, by bytes where all sizes are known, else by items; None where these have numbers alone."""
    numbers = [len(part) for part in plan]
    if items is None or items.unsized is not None:
        return Balance(min(numbers), max(numbers), None, None, _ratio(numbers))
    loads = _bytes(plan, items, session or Session())
    return Balance(min(numbers), max(numbers), min(loads), max(loads), _ratio(loads))


def _bytes(plan: Plan, items: DataItems, session: Session) -> list[int]:
    """The bytes of each slice; a plan is judged, and then described."""
    size = items.sizes.__getitem__
    return session.latest("bytes of slices", (plan, items), lambda: [sum(map(size, part)) for part in plan])


def _ratio(loads: list[int]) -> float:
    total = sum(loads)
    return max(loads) * len(loads) / total if total else 1.0
