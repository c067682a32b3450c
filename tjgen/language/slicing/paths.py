"""The paths of items, in one buffer: a million paths take little more memory than their text."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from operator import lt
from typing import overload

_BLOCK = 4096
"""The number of paths that iteration decodes at once."""


class Paths(Sequence[str]):
    """Paths without line ends, in their order: their UTF-8, each with a line end, and where each begins."""

    __slots__ = ("_added", "_last", "_size", "_starts", "_text", "ascending")

    def __init__(self) -> None:
        self._text = b""
        self._added: list[bytes] = []  # joined when a path is read: a buffer that grows is copied each time
        self._size = 0
        self._starts = array("Q", [0])
        self._last = b""
        self.ascending = True
        """Whether each path is greater than the one before it: then no path repeats."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return self._joined()[self._starts[position] : self._starts[position + 1] - 1].decode()

    def __iter__(self) -> Iterator[str]:
        text, starts, count = self._joined(), self._starts, len(self)
        for first in range(0, count, _BLOCK):
            end = starts[min(first + _BLOCK, count)]
            yield from text[starts[first] : end - 1].decode().split("\n")

    def append(self, path: str) -> None:
        """Add one path."""
        self.extend([path.encode()])

    def extend(self, paths: Sequence[bytes]) -> None:
        """Add the UTF-8 of many paths."""
        if not paths:
            return
        if self.ascending:
            # UTF-8 sorts as the characters do. The first path has no path before it.
            self.ascending = (not len(self) or self._last < paths[0]) and all(map(lt, paths, islice(paths, 1, None)))
            self._last = paths[-1]
        self._added.append(b"\n".join((*paths, b"")))
        ends = accumulate(map(len, paths))
        self._starts.extend([end + place for place, end in enumerate(ends, self._size + 1)])
        self._size += len(self._added[-1])

    def lines(self, indexes: Sequence[int]) -> bytes:
        """Return the paths of these indexes, none of them negative, each with a line end."""
        text, starts = self._joined(), self._starts
        return b"".join([text[starts[index] : starts[index + 1]] for index in indexes])

    def _joined(self) -> bytes:
        if self._added:
            self._text = b"".join([self._text, *self._added])
            self._added = []
        return self._text
