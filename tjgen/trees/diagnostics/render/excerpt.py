"""A line of a file and the columns of a span -> what a terminal shows of it, and where the carets go."""

from __future__ import annotations

from tjgen.trees.diagnostics import suspected
from tjgen.trees.diagnostics.credentials import concealed
from tjgen.trees.diagnostics.printable import visible
from tjgen.trees.typing import lru_cache

MOST_COLUMNS = 120
"""Columns of a line that are shown; of a longer one, the part around the span."""
_BEFORE = 40
"""Columns shown before the span where the line is cut."""
_TAB = "    "
_CUT = "..."
_LONG = 10_000
"""Characters of a line of which only the part around the span is looked at."""
_NEAR = 1000
"""Characters of a long line that are looked at on each side: many times what is shown."""


def excerpt(line: str, column: int, end_column: int) -> tuple[str, int, int]:
    """The part of `line` to show, the columns before the first caret, and the number of carets (at least one).

    Columns of the line are characters counted from 1, the end exclusive; columns of the answer are those of a terminal,
    where a tab is four wide, a Chinese character two, and a combining mark none. Passwords in URLs become asterisks.
    """
    line = _concealed(line)
    start = min(max(column - 1, 0), len(line))
    end = min(max(end_column - 1, start), len(line))
    first, last = (0, len(line)) if len(line) <= _LONG else (max(0, start - _NEAR), start + _NEAR)
    parts = (line[first:start], line[start : min(end, last)], line[end : max(end, last)])
    before, marked, after = (visible(part).replace("\t", _TAB) for part in parts)
    if columns(before) + columns(marked) + columns(after) > MOST_COLUMNS:
        before, marked, after = _cut(before, marked, after)
    return (before + marked + after).rstrip(), columns(before), max(columns(marked), 1)


@lru_cache(maxsize=4)
def _concealed(line: str) -> str:
    """The line without passwords and suspected secrets. A long line may have many diagnostics."""
    return suspected.concealed(concealed(line))


def columns(text: str) -> int:
    """The columns that a terminal takes for the text."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _cut(before: str, marked: str, after: str) -> tuple[str, str, str]:
    if columns(before) > _BEFORE:
        before = _CUT + _last(before, _BEFORE - len(_CUT))
    columns_left = MOST_COLUMNS - columns(before)
    if columns(marked) > columns_left:
        return before, _first(marked, columns_left - len(_CUT)) + _CUT, ""
    columns_left -= columns(marked)
    if columns(after) > columns_left:
        after = _first(after, columns_left - len(_CUT)) + _CUT if columns_left > len(_CUT) else _CUT
    return before, marked, after


def _first(text: str, columns_left: int) -> str:
    kept = 0
    for position, character in enumerate(text):
        kept += _columns_of(character)
        if kept > columns_left:
            return text[:position]
    return text


def _last(text: str, columns_left: int) -> str:
    return _first(text[::-1], columns_left)[::-1]


def _columns_of(character: str) -> int:
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
