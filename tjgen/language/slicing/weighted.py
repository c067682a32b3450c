"""Items in their order, and `weights` -> runs of neighbours with lengths in that proportion: for readers of unequal speed."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = False


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[range]:
    """Runs with the lengths that the weights give; raises ValueError as `lengths` does."""
    shares = lengths(len(items), count, options)
    starts = accumulate(shares, initial=0)
    return [range(start, start + length) for start, length in zip(starts, shares, strict=False)]


def bound(items: DataItems, count: int, options: Mapping[str, Any]) -> int:
    """The largest share, rounded up."""
    weights: list[int] = options["weights"]
    return -(-len(items) * max(weights) // sum(weights))


def lengths(items: int, count: int, options: Mapping[str, Any]) -> list[int]:
    """Each slice has its share rounded down; what is left goes to the largest remainders, of equal ones to the first.

    Raises ValueError if there is not one weight for each slice, or all are 0.
    """
    weights: list[int] = options.get("weights") or []
    if len(weights) != count:
        raise ValueError(f"has {len(weights)} weights for {count} slices")
    total = sum(weights)
    if total == 0:
        raise ValueError("has no weight above 0")
    shares = [divmod(items * weight, total) for weight in weights]
    counts = [share for share, _ in shares]
    left = items - sum(counts)
    for number in sorted(range(count), key=lambda number: -shares[number][1])[:left]:
        counts[number] += 1
    return counts
