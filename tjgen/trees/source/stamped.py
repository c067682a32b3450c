"""The stamp of a tree -> its YAML for any texts, without a walk through the tree for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tjgen.trees.fields.stamp import stamped, with_words
from tjgen.trees.source.quoting import QUOTED
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import Any

_WORD = re.compile("mqleaf[0-9]+z")


class StampedText:
    """What the writer writes for a stamp. Texts of one line are quoted as the writer quotes them."""

    __slots__ = ("_leaves", "_pieces", "_stamp")

    def __init__(self, stamp: Any) -> None:
        self._stamp = stamp
        self._leaves: list[Any] = []
        lines = dump(with_words(stamp, _word, self._leaves))
        # The writer keeps the order of keys, so each word is found once and in turn, unless the tree itself has such a word.
        is_each_matched = _WORD.findall(lines) == [*map(_word, range(len(self._leaves)))]
        self._pieces = _WORD.split(lines) if is_each_matched else []

    def of(self, texts: Sequence[str]) -> str:
        """The YAML with these texts."""
        values = [stamped(leaf, texts) for leaf in self._leaves]
        if not self._pieces or any("\n" in value for value in values):
            return dump(stamped(self._stamp, texts))
        parts = [self._pieces[0]]
        for value, piece in zip(values, self._pieces[1:], strict=True):
            parts += (QUOTED[value], piece)
        return "".join(parts)


def _word(number: int) -> str:
    """A word that the writer does not quote."""
    return f"mqleaf{number}z"
