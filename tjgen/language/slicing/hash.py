"""Items -> slices by a hash of each path: where an item goes depends on nothing but its path and the number of slices.

An item that is added or removed moves no other, so caches and splits stay as they are; sizes differ by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from tjgen.language.slicing.items import DataItems
from tjgen.trees.typing import Any

NEEDS_SIZES = False


def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
    """The first eight bytes of the SHA-256 of the path, big end first, modulo `count`."""
    slices: list[list[int]] = [[] for _ in range(count)]
    for index, path in enumerate(items.paths):
        slices[int.from_bytes(sha256(path.encode()).digest()[:8]) % count].append(index)
    return slices
