"""Values in order -> the first position of each, without a search."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any


class Ordinals:
    """The positions of the values of a list that grows. Values are equal as in Python."""

    __slots__ = ("_count", "_first", "_unhashable")

    def __init__(self, values: Iterable[Tree]) -> None:
        self._first: dict[Any, int] = {}
        self._unhashable: list[tuple[Tree, int]] = []
        self._count = 0
        for value in values:
            self.append(value)

    def append(self, value: Tree) -> None:
        """Take one more value, at the end."""
        try:
            self._first.setdefault(value, self._count)
        except TypeError:  # a list or a map
            self._unhashable.append((value, self._count))
        self._count += 1

    def of(self, value: Tree) -> int:
        """The position of the first value that is equal, or -1."""
        try:
            return self._first.get(value, -1)
        except TypeError:
            return next((position for known, position in self._unhashable if known == value), -1)
