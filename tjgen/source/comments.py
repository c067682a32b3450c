"""The text of a YAML stream -> its comments with their places; a `#` in a scalar is none."""

from __future__ import annotations

import re
from bisect import bisect_right

from tjgen.source import libyaml
from tjgen.typing import Any, NamedTuple


class Comment(NamedTuple):
    """A comment: its text behind the sign, and its place, counted from 1."""

    text: str
    line: int
    column: int
    alone: bool
    """Whether nothing else stands on its line."""


def comments(content: str) -> list[Comment]:
    """All comments of a stream. Of text that is not YAML, those before the place where reading ends."""
    starts, ends, limit = _scalars(content)
    found: list[Comment] = []
    for number, (offset, line) in enumerate(_lines(content), 1):
        for sign in re.finditer(r"(?:^|(?<=\s))#", line):
            at = offset + sign.start()
            before = bisect_right(starts, at) - 1
            if at >= limit:
                return found
            if before < 0 or at >= ends[before]:
                text = line[sign.end() :].strip()
                found.append(Comment(text, number, sign.start() + 1, not line[: sign.start()].strip()))
                break
    return found


def _lines(content: str) -> list[tuple[int, str]]:
    found, offset = [], 0
    for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", content):
        found.append((offset, line.rstrip("\r\n")))
        offset += len(line)
    return found


def _scalars(content: str) -> tuple[list[int], list[int], int]:
    """Where scalars begin and end, in order, and how far the text could be read."""
    starts: list[int] = []
    ends: list[int] = []
    try:
        parser = libyaml.parse(content)
        while True:
            event: Any = parser.get_event()
            if event.__class__ is libyaml.StreamEndEvent:
                return starts, ends, len(content)
            if event.__class__ is libyaml.ScalarEvent:
                start, end = event.start_mark.index, event.end_mark.index
                starts.append(start)
                # A block scalar's end is the next token's beginning: the comments between are counted as its text
                # where they are indented like it, and as comments else.
                ends.append(_end_of_block(content, start, end) if content[start : start + 1] in ("|", ">") else end)
    except libyaml.YAMLError:
        return starts, ends, ends[-1] if ends else 0


def _end_of_block(content: str, start: int, end: int) -> int:
    """The end of a block scalar without the comments and blank lines that follow it at a smaller indentation."""
    lines = content[start:end].splitlines(keepends=True)
    inner = [len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip()]
    if not inner:
        return start + len(lines[0]) if lines else end
    while len(lines) > 1 and (not lines[-1].strip() or len(lines[-1]) - len(lines[-1].lstrip(" ")) < inner[0]):
        lines.pop()
    return start + len("".join(lines))
