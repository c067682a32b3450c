"""Paths and sizes from a list, a directory or a manifest file -> the items of a data set, in a fixed order."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tjgen.language.slicing import problems
from tjgen.language.slicing.paths import Paths
from tjgen.trees.diagnostics.model import WARNING, Diagnostic, Note, Span
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import NamedTuple

LARGEST = 2**63 - 1
"""Bytes of an item: what fits the sizes of files everywhere."""

_MOST_REPORTED = 20
_PARTS = 16
"""The number of parts in which paths are compared with each other."""
_PRINTABLE = bytes(range(0x20, 0x7F))
_WARNED = (
    (re.compile(r"\A#|\s#\s"), "looks like a comment, but a list has no comments", "remove the comment"),
    (
        re.compile(r"\A[a-z][a-z0-9+.-]*://"),
        "is a URL, but an item is a path below the folder of the data",
        "write its path in the volume; prefetch copies data from a store to a volume",
    ),
)
"""Paths that may be meant as something else: their form, what is wrong, and a hint."""
_UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class DataItem(NamedTuple):
    """One file or folder of the data."""

    path: str
    """Under the folder of the data."""
    size: int | None = None
    """Bytes, where they are known."""


UNKNOWN = -1
"""The size of an item, in the column of sizes, where it is not known."""


class DataItems(Sequence[DataItem]):
    """Many items, stored as columns, so that a million of them fit in memory."""

    __slots__ = ("paths", "sizes")

    def __init__(self) -> None:
        self.paths = Paths()
        self.sizes: array[int] = array("q")

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> DataItem:  # type: ignore[override]  # items are read by index only
        size = self.sizes[index]
        return DataItem(self.paths[index], None if size == UNKNOWN else size)

    def taken(self, indexes: Sequence[int]) -> DataItems:
        """These of the items, in this order."""
        some = DataItems()
        some.paths.extend(self.paths.lines(indexes).split(b"\n")[:-1])
        some.sizes = array("q", map(self.sizes.__getitem__, indexes))
        return some

    @property
    def unsized(self) -> int | None:
        """The index of the first item whose size is not known."""
        return self.sizes.index(UNKNOWN) if UNKNOWN in self.sizes else None


class Collector:
    """Takes items, each with its place, and reports those that cannot be used."""

    __slots__ = ("_places", "_warned", "_within", "diagnostics", "file", "items")

    def __init__(self, file: str = "", within: FieldPath | None = None) -> None:
        """The place of an item is a line of `file`, or an index below the field path `within`."""
        self.file = file
        self.items = DataItems()
        self.diagnostics: list[Diagnostic] = []
        self._warned: list[list[int]] = [[] for _ in _WARNED]
        self._places: array[int] = array("I")
        self._within = within

    def extend(self, paths: Sequence[bytes], sizes: Iterable[int], places: Iterable[int]) -> None:
        """Add many items at once, their paths as UTF-8."""
        if _all_fine(paths):
            self.items.paths.extend(paths)
            self.items.sizes.extend(sizes)
            self._places.extend(places)
        else:
            for path, size, place in zip(paths, sizes, places, strict=True):
                self.add(path.decode(), size, place)

    def add(self, path: str, size: int, place: int) -> None:
        """An item at `place`."""
        fault = fault_of(path)
        if fault is not None:
            self.refuse(problems.ITEM, f"the path {path!r} {fault}", place, hint="write it relative to the folder of the data")
            return
        for (form, _, _), matches in zip(_WARNED, self._warned, strict=True):
            if form.search(path):
                matches.append(len(self.items.paths))
        self.items.paths.append(path)
        self.items.sizes.append(size)
        self._places.append(place)

    def refuse(
        self,
        code: str,
        message: str,
        place: int,
        *,
        related: tuple[Note, ...] = (),
        hint: str | None = None,
    ) -> None:
        """An item that cannot be used."""
        path = None if self._within is None else (*self._within, place)
        self.diagnostics.append(Diagnostic(code, message, path=path, span=self._span(place), related=related, hint=hint))

    def done(self) -> tuple[DataItems, list[Diagnostic]]:
        """The items, and what is wrong with them; of many faults the first ones and their number."""
        for path, first, again in _duplicates(self.items.paths):
            places = self._places[first], self._places[again]
            note = Note("first listed here", self._span(places[0]))
            self.refuse(problems.DUPLICATE, f"{path!r} is listed twice", places[1], related=(note,), hint="remove one of them")
        diagnostics = self.diagnostics
        if len(diagnostics) > _MOST_REPORTED:
            more = f"{len(diagnostics) - _MOST_REPORTED} more items cannot be used"
            diagnostics = [*diagnostics[:_MOST_REPORTED], Diagnostic(problems.ITEM, more, path=self._within)]
        return self.items, [*diagnostics, *self._warnings()]

    def _warnings(self) -> Iterator[Diagnostic]:
        """A warning for each form of paths that are probably not meant as paths, at the first of them."""
        for (_, reason, hint), matches in zip(_WARNED, self._warned, strict=True):
            if matches:
                place, more = self._places[matches[0]], f", and {len(matches) - 1} more like it" * (len(matches) > 1)
                path = None if self._within is None else (*self._within, place)
                message = f"the path {self.items.paths[matches[0]]!r} {reason}{more}"
                yield Diagnostic(problems.ITEM, message, path=path, span=self._span(place), hint=hint, severity=WARNING)

    def _span(self, place: int) -> Span | None:
        return Span(self.file, place, 1, place, 1) if self.file else None


def listed(entries: Sequence[tuple[str, str | int | float | None]], because: FieldPath) -> tuple[DataItems, list[Diagnostic]]:
    """Items that the experiment lists at `because`."""
    collector = Collector(within=because)
    for position, (path, written) in enumerate(entries):
        try:
            size = UNKNOWN if written is None else size_of(written)
        except ValueError as problem:
            collector.refuse(
                problems.SIZE, f"the size of {path!r} {problem}", position, hint="write bytes, or a quantity such as 2Gi"
            )
        else:
            collector.add(path, size, position)
    return collector.done()


def size_of(written: str | int | float) -> int:
    """Bytes of a size as it is written; raises ValueError with words that go on after "the size ..."."""
    try:
        size = quantity.parse(written).value
    except ValueError:
        size = -1
    if not 0 <= size <= LARGEST:
        raise ValueError(f"is {written!r}")
    return size


def _all_fine(paths: Sequence[bytes]) -> bool:
    """Return whether none of the paths has a fault; may return False too often: `fault_of` decides."""
    joined = b"\n".join((b"", *paths, b""))
    suspicious = any(map(joined.__contains__, (b"\n\n", b"\n/", b"\n ", b" \n", b"..", b"\n#", b" # ", b"://")))
    if suspicious:
        return False
    if joined.isascii():
        return joined.translate(None, _PRINTABLE) == b"\n" * (len(paths) + 1)
    return b"".join(paths).decode().isprintable()


def fault_of(path: str) -> str | None:
    if not path:
        return "is empty"
    if path.startswith("/"):
        return "is absolute"
    if ".." in path.split("/"):
        return "points outside the folder"
    if path != path.strip():
        return "begins or ends with a space"
    if _UNFIT.search(path):
        return "contains a control character, or bytes that are not valid UTF-8"
    return None


def _duplicates(paths: Paths) -> Iterator[tuple[str, int, int]]:
    if paths.ascending:
        return
    # A set of all paths would take several times their memory.
    parts: list[array[int]] = [array("q") for _ in range(_PARTS)]
    for number in map(hash, paths):
        parts[number % _PARTS].append(number)
    repeated = {number for part in parts if len(set(part)) < len(part) for number, times in Counter(part).items() if times > 1}
    if not repeated:
        return
    first: dict[str, int] = {}
    for index, path in enumerate(paths):
        if hash(path) in repeated:
            before = first.setdefault(path, index)
            if before != index:
                yield path, before, index
