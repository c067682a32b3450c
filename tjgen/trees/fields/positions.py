"""Keyed lists that grow -> the position of an element, without a look at all others."""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath, Selector, Tree, index_by, index_of, note_position

_FEW = 16
"""Up to so many elements a look at each is cheaper than an index."""


class Positions:
    """Indexes of long lists by their paths. The owner of the lists reports each change."""

    __slots__ = ("_indexes",)

    def __init__(self) -> None:
        self._indexes: dict[FieldPath, dict[tuple[str, ...], dict[Selector, int]]] = {}

    def find(self, path: FieldPath, items: list[Tree], wanted: Selector) -> int:
        """The position of the first element of the list at `path` that has all fields of `wanted`, or -1."""
        if len(items) <= _FEW:
            return index_of(items, wanted)
        names = tuple([name for name, _ in wanted])
        indexes = self._indexes.setdefault(path, {})
        index = indexes.get(names)
        if index is None:
            index = indexes[names] = index_by(items, names)
        try:
            return index.get(wanted, -1)
        except TypeError:  # a list or a map is the key
            return index_of(items, wanted)

    def appended(self, path: FieldPath, items: list[Tree]) -> None:
        """The list at `path` has one more element, its last one."""
        for names, index in self._indexes.get(path, {}).items():
            note_position(index, names, items[-1], len(items) - 1)

    def changed(self, path: FieldPath) -> None:
        """Elements of the list at `path` have other keys or other positions, or the value differs."""
        self._indexes.pop(path, None)

    def written(self, path: FieldPath, field: str) -> None:
        """A field of an element of the list at `path` is written."""
        indexes = self._indexes.get(path)
        if indexes and any(field in names for names in indexes):
            del self._indexes[path]
