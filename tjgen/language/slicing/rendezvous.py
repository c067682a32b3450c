"""Items -> slices by rendezvous hashing: with one slice more or less only about 1/count of the items move.

Every slice has a score for every item, and the highest score takes it. The scores of an item are one stream
of bytes, so those of the first slices are the same however many slices there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import shake_128
from struct import Struct

from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = False
MOST_SCORES = 200_000_000
"""About half a minute of work."""


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
    """Scores are four bytes each, big end first, of SHAKE-128 of the path; equal scores go to the lowest slice.

    Raises ValueError if there are too many items times slices.
    """
    if len(items) * count > MOST_SCORES:
        raise ValueError(f"compares {len(items)} items with {count} slices, which takes too long: use hash")
    scores = Struct(f">{count}I")
    slices: list[list[int]] = [[] for _ in range(count)]
    for index, path in enumerate(items.paths):
        row = scores.unpack(shake_128(path.encode()).digest(scores.size))
        slices[row.index(max(row))].append(index)
    return slices
