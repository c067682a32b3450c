"""Paths on one source -> the uses that meet: of the same path, of a folder that it is in, or of what is in it.

Parts of one division by number have nothing in common (slicing/ranges.py shows it), so they do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator

Share = tuple[str, int] | None
"""What is divided, and which part of it."""

_Uses = dict[str, dict[int, list[int]]]
"""Division, part of it -> uses. Uses that are not part of a division are parts of one of their own."""


class UsesByPath:
    """An index of uses, which have numbers."""

    __slots__ = ("_at", "_below")

    def __init__(self) -> None:
        self._at: dict[str, _Uses] = {}
        self._below: dict[str, _Uses] = {}

    def add(self, path: str, share: Share, number: int) -> None:
        """Take the use of a path."""
        _put(self._at, path, share, number)
        for folder in _above(path):
            _put(self._below, folder, share, number)

    def meeting(self, path: str, share: Share) -> Iterator[int]:
        """The uses that meet a use of a path. One that meets it in several ways comes several times."""
        for place in (path, *_above(path)):
            yield from _others(self._at.get(place, {}), share)
        yield from _others(self._below.get(path, {}), share)


def _put(index: dict[str, _Uses], path: str, share: Share, number: int) -> None:
    division, part = share or ("", 0)
    index.setdefault(path, {}).setdefault(division, {}).setdefault(part, []).append(number)


def _others(uses: _Uses, share: Share) -> Iterator[int]:
    for division, parts in uses.items():
        if share is not None and division == share[0]:
            yield from parts.get(share[1], ())
        else:
            for numbers in parts.values():
                yield from numbers


def _above(path: str) -> Iterator[str]:
    """The folders that a path is in, the root "" last."""
    while path:
        path = path.rpartition("/")[0]
        yield path
