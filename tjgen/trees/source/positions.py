"""The text of a document -> the place of each key and value, as a tree of places parallel to the tree of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Tree, get, index_of
from tjgen.trees.source import libyaml
from tjgen.trees.source.keys import read_key
from tjgen.trees.source.scalars import MERGE, Dialect, OddScalar
from tjgen.trees.typing import Any

Range = tuple[int, int]


class Extent:
    """The place of a value: indexes of its first character and of the one after its last. Small: a file may have a million."""

    __slots__ = ("end", "start")

    entries: Mapping[str, tuple[int, int, Extent]] = {}  # of a scalar; a container has its own
    """Of a mapping: key -> where the key begins and ends, and the place of its value."""
    items: Sequence[Extent] = ()
    """Of a sequence."""
    merged: Sequence[Extent] = ()
    """Of a mapping: the places that a merge key names."""

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class _Mapping(Extent):
    __slots__ = ("entries", "merged")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self.entries: dict[str, tuple[int, int, Extent]] = {}
        self.merged: list[Extent] = []


class _Sequence(Extent):
    __slots__ = ("items",)

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end)
        self.items: list[Extent] = []


def compose(content: str, start: int, end: int, *, dialect: Dialect) -> Extent:
    """Return the places of the document in `content` from `start` to before `end`, which is known to be YAML."""
    root = _Sequence(start, end)
    composer = _Composer(root, start, dialect)
    parser = libyaml.parse(content[start:end])
    while True:
        event = parser.get_event()
        if event.__class__ is libyaml.DocumentEndEvent or event.__class__ is libyaml.StreamEndEvent:
            return root.items[0] if root.items else root
        composer.take(event)


def find_scalar(content: str, start: int, end: int, path: FieldPath, *, dialect: Dialect) -> Range | None:
    """Return the range of the scalar at `path` of mappings, without reading further; None for another value.

    An entry of the mapping itself comes before merged ones, so nothing later in the document changes the range.
    """
    root = _Sequence(start, end)
    composer = _Composer(root, start, dialect)
    parser = libyaml.parse(content[start:end])
    while True:
        event = parser.get_event()
        kind = event.__class__
        if kind is libyaml.DocumentEndEvent or kind is libyaml.StreamEndEvent:
            return None
        composer.take(event)
        if kind is libyaml.ScalarEvent and composer.depth == len(path):
            place: Extent = root.items[0]
            for step in path:
                entry = place.entries.get(step) if isinstance(step, str) else None
                if entry is None:
                    break
                place = entry[2]
            else:
                return (place.start, place.end) if place.__class__ is Extent else None


_BEGINNING = r"(?:#[^\n]*\n|[A-Za-z]+: [A-Za-z0-9./_-]+\n)*metadata:\n  name: ([a-z][a-z0-9-]*)(?=\n(?:  )?[A-Za-z])"


def find_name(content: str, start: int) -> Range | None:
    """Return the range of `metadata.name` in a document that begins as most do; None for another one, which has to be read."""
    match = regex.compile(_BEGINNING).match(content, start)
    return None if match is None else match.span(1)


class _Composer:
    """Places under construction: the open containers with, in a mapping, the key that waits for its value."""

    def __init__(self, root: _Sequence, offset: int, dialect: Dialect) -> None:
        self._open: list[_Mapping | _Sequence] = [root]
        self._keys: list[tuple[Range, Any] | None] = [None]
        self._anchors: dict[str, tuple[Extent, Any]] = {}
        self._offset = offset
        self._dialect = dialect

    @property
    def depth(self) -> int:
        """The number of open containers of the document."""
        return len(self._open) - 1

    def take(self, event: Any) -> None:
        kind = event.__class__
        if kind is libyaml.AliasEvent:
            written = self._range(event)
            place, anchored = self._anchors.get(event.anchor, (None, event))
            if place is None or any(place is holder for holder in self._open):  # refused by the reader
                place = Extent(*written)
            self._add(place, anchored, written=written)
        elif kind is libyaml.ScalarEvent:
            place = Extent(*self._range(event))
            self._remember(event, place)
            self._add(place, event, written=(place.start, place.end))
        elif kind is libyaml.MappingStartEvent or kind is libyaml.SequenceStartEvent:
            place = (_Mapping if kind is libyaml.MappingStartEvent else _Sequence)(*self._range(event))
            self._remember(event, place)
            self._add(place, event, written=(place.start, place.end))
            self._open.append(place)
            self._keys.append(None)
        elif kind is libyaml.MappingEndEvent or kind is libyaml.SequenceEndEvent:
            place = self._open.pop()
            self._keys.pop()
            start, end = self._range(event)
            if end > start:
                place.end = end  # the closing bracket; libyaml ends a block collection only at the next token, too late
            holder = self._open[-1]
            holder.end = max(holder.end, place.end)

    def _range(self, event: Any) -> Range:
        return event.start_mark.index + self._offset, event.end_mark.index + self._offset

    def _remember(self, event: Any, place: Extent) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = (place, event)

    def _add(self, place: Extent, event: Any, *, written: Range) -> None:
        holder = self._open[-1]
        holder.end = max(holder.end, written[1])
        if isinstance(holder, _Sequence):
            holder.items.append(place)
            return
        waiting = self._keys[-1]
        if waiting is None:
            self._keys[-1] = (written, self._key(event))
            return
        self._keys[-1] = None
        where, key = waiting
        if key is MERGE:
            holder.merged.extend(place.items or [place])
        else:
            holder.entries[key] = (*where, place)

    def _key(self, event: Any) -> Any:
        if event.__class__ is not libyaml.ScalarEvent:
            return ""  # no string can be this key: the reader has refused it
        key = read_key(event, self._dialect)
        return key.value if key.__class__ is OddScalar else key


def find(place: Extent, value: Tree, path: FieldPath, *, key: bool) -> Range | None:
    """The range of the value at `path` below `place`, or of its key; of the nearest ancestor if it does not exist."""
    label: Range | None = None
    for step in path:
        plain: str | int = step if not isinstance(step, tuple) else index_of(value, step) if isinstance(value, list) else -1
        inside = _step(place, plain)
        if inside is None:
            return label or (place.start, place.end)
        label, place = inside
        value = get(value, (plain,))
    return label if key and label else (place.start, place.end)


def _step(place: Extent, step: str | int) -> tuple[Range | None, Extent] | None:
    if isinstance(step, str):
        return _entry(place, step)
    return (None, place.items[step]) if 0 <= step < len(place.items) else None


def _entry(place: Extent, key: str) -> tuple[Range, Extent] | None:
    """The entry of a mapping with its merged ones; each of these is looked at once, however often it is merged."""
    seen: set[int] = set()
    waiting = [place]
    while waiting:
        one = waiting.pop()
        if key in one.entries:
            start, end, child = one.entries[key]
            return (start, end), child
        if one.merged and id(one) not in seen:
            seen.add(id(one))
            waiting.extend(reversed(one.merged))
    return None
