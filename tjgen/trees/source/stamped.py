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

    __slots__ = ("_leaves", "_order", "_pieces", "_stamp")

    def __init__(self, stamp: Any) -> None:
        self._stamp = stamp
        leaves: list[Any] = []
        lines = dump(with_words(stamp, _word, leaves))
        # The writer keeps the order of keys, so each word is found once and in turn, unless the tree itself has such a word.
        is_each_matched = _WORD.findall(lines) == [*map(_word, range(len(leaves)))]
        self._pieces = _pieces(lines) if is_each_matched else []
        """Text, and a place for each leaf between two of them."""
        distinct: dict[Any, int] = {}
        self._order = [distinct.setdefault(leaf.key(), len(distinct)) for leaf in leaves]
        """The number of the text at each place."""
        by_number = dict(zip(self._order, leaves, strict=True))
        self._leaves = [by_number[number] for number in range(len(distinct))]

    def of(self, texts: Sequence[str]) -> str:
        """The YAML with these texts."""
        values = [stamped(leaf, texts) for leaf in self._leaves]
        if not self._pieces or any("\n" in value for value in values):
            return dump(stamped(self._stamp, texts))
        quoted = [QUOTED[value] for value in values]
        parts = self._pieces.copy()
        parts[1::2] = [quoted[number] for number in self._order]
        return "".join(parts)


def _pieces(lines: str) -> list[str]:
    first, *rest = _WORD.split(lines)
    return [first, *[part for piece in rest for part in ("", piece)]]


def _word(number: int) -> str:
    """A word that the writer does not quote."""
    return f"mqleaf{number}z"
