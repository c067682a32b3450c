"""The stamp of a tree -> its canonical JSON for any texts, without a walk through the tree for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tjgen.trees.canonical import json_text
from tjgen.trees.fields.stamp import stamped, with_words
from tjgen.trees.typing import Any

_WORD = re.compile('"mqleaf([0-9]+)z"')


class StampedJson:
    """What `json_text` writes for the tree of a stamp."""

    __slots__ = ("_leaves", "_parts", "_stamp")

    def __init__(self, stamp: Any) -> None:
        self._stamp = stamp
        leaves: list[Any] = []
        parts = _WORD.split(json_text(with_words(stamp, "mqleaf{}z".format, leaves)))
        numbers = [int(number) for number in parts[1::2]]
        # JSON has its keys in order, which depends on texts in them.
        is_fixed = sorted(numbers) == [*range(len(leaves))] and not any(part.startswith(":") for part in parts[2::2])
        self._parts = parts if is_fixed else []
        """Text, and a place for each leaf between two of them."""
        self._leaves = [leaves[number] for number in numbers] if is_fixed else []

    def of(self, texts: Sequence[str]) -> str:
        """The JSON with these texts."""
        if not self._parts:
            return json_text(stamped(self._stamp, texts))
        parts = self._parts.copy()
        parts[1::2] = [json_text(stamped(leaf, texts)) for leaf in self._leaves]
        return "".join(parts)
