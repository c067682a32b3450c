"""A tree with marks in its texts -> a stamp, which yields the same tree with other texts instead of the marks.

What has no mark is shared by all trees of a stamp.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tjgen.trees.fields.managed import Managed
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any


class Marks:
    """Placeholders for texts. A mark of digits is not found within a longer number.

    With `integers`, an integer that equals a mark of digits is a mark, too. Such a stamp has no YAML (`with_words`).
    """

    __slots__ = ("_integers", "_numbers", "_pattern")

    def __init__(self, marks: Sequence[str], *, integers: bool = False) -> None:
        longest_first = "|".join([re.escape(mark) for mark in sorted(marks, key=len, reverse=True)])
        self._pattern = re.compile(f"((?<![0-9])(?:{longest_first})(?![0-9]))")
        self._numbers = {mark: number for number, mark in enumerate(marks)}
        self._integers = {int(mark): number for mark, number in self._numbers.items() if integers and mark.isdigit()}

    def stamp(self, tree: Any) -> Any:
        """The stamp of a tree, or of lists and tuples of trees; the value itself if it has no mark."""
        kind = tree.__class__
        if kind is str:
            pieces = self._pattern.split(tree)
            return tree if len(pieces) == 1 else _Text(pieces, [self._numbers[mark] for mark in pieces[1::2]])
        if kind is int:
            return _Integer(self._integers[tree]) if tree in self._integers else tree
        if kind is dict:
            stamps = {key: self.stamp(value) for key, value in tree.items()}
            keys = {key: self.stamp(key) for key in tree}
            if any(stamp is not key for key, stamp in keys.items()):
                return _KeyedStamps([(keys[key], stamp) for key, stamp in stamps.items()])
            changed = [(key, stamp) for key, stamp in stamps.items() if stamp is not tree[key]]
            return _Map(tree, changed) if changed else tree
        if isinstance(tree, list | tuple):
            stamps_of_items = [self.stamp(item) for item in tree]
            changed_items = [(place, stamp) for place, stamp in enumerate(stamps_of_items) if stamp is not tree[place]]
            if not changed_items:
                return tree
            return _List(list(tree), changed_items) if kind is list else _Tuple(kind, list(tree), changed_items)
        return tree


def stamped(stamp: Any, texts: Sequence[str]) -> Any:
    """The tree of a stamp with `texts` instead of the marks."""
    kind = stamp.__class__
    if kind is _Text:
        pieces = stamp.pieces.copy()
        pieces[1::2] = [texts[number] for number in stamp.numbers]
        return "".join(pieces)
    if kind is _Map:
        tree = stamp.tree.copy()
        for key, inner in stamp.changed:
            tree[key] = stamped(inner, texts)
        return tree
    if kind is _List:
        items = stamp.items.copy()
        for place, inner in stamp.changed:
            items[place] = stamped(inner, texts)
        return items
    if kind is _Tuple:
        items = stamp.items.copy()
        for place, inner in stamp.changed:
            items[place] = stamped(inner, texts)
        return tuple(items) if stamp.kind is tuple else stamp.kind(*items)
    if kind is _KeyedStamps:
        return {stamped(key, texts): stamped(inner, texts) for key, inner in stamp.entries}
    return int(texts[stamp.number]) if kind is _Integer else stamp


def with_words(stamp: Any, word: Callable[[int], str], leaves: list[Any]) -> Any:
    """The tree of a stamp with a word instead of each text or integer that has a mark; adds their stamps to `leaves`."""
    kind = stamp.__class__
    if kind is _Text or kind is _Integer:
        leaves.append(stamp)
        return word(len(leaves) - 1)
    if kind is _Map:
        return {**stamp.tree, **{key: with_words(inner, word, leaves) for key, inner in stamp.changed}}
    if kind is _List:
        changed = {place: with_words(inner, word, leaves) for place, inner in stamp.changed}
        return [changed.get(place, item) for place, item in enumerate(stamp.items)]
    if kind is _KeyedStamps:
        return {with_words(key, word, leaves): with_words(inner, word, leaves) for key, inner in stamp.entries}
    return stamp


class StampedTree(Managed):
    """A managed tree that is computed when it is read: few readers of a run look at it."""

    __slots__ = ("_stamp", "_texts")

    def __init__(self, stamp: tuple[Any, Any], texts: Sequence[str]) -> None:
        self._stamp = stamp
        self._texts = texts

    def __getattr__(self, name: str) -> Any:
        if name not in Managed.__slots__:
            raise AttributeError(name)
        value, owners = self._stamp
        super().__init__(stamped(value, self._texts), stamped(owners, self._texts))
        return getattr(self, name)


class _Text:
    __slots__ = ("numbers", "pieces")

    def __init__(self, pieces: list[str], numbers: list[int]) -> None:
        self.pieces = pieces
        self.numbers = numbers

    def key(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Equal for stamps of the same text."""
        return tuple(self.pieces), tuple(self.numbers)


class _Integer:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class _Map:
    __slots__ = ("changed", "tree")

    def __init__(self, tree: dict[str, Tree], changed: list[tuple[str, Any]]) -> None:
        self.tree = tree
        self.changed = changed


class _List:
    __slots__ = ("changed", "items")

    def __init__(self, items: list[Tree], changed: list[tuple[int, Any]]) -> None:
        self.items = items
        self.changed = changed


class _Tuple:
    __slots__ = ("changed", "items", "kind")

    def __init__(self, kind: type, items: list[Any], changed: list[tuple[int, Any]]) -> None:
        self.kind = kind
        self.items = items
        self.changed = changed


class _KeyedStamps:
    __slots__ = ("entries",)

    def __init__(self, entries: list[tuple[Any, Any]]) -> None:
        self.entries = entries
