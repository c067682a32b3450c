"""The text of a YAML stream -> its comments with their places; a `#` in a scalar is none."""

from __future__ import annotations

import re
from bisect import bisect_right

from tjgen.trees.source import libyaml
from tjgen.trees.typing import Any, NamedTuple


class Comment(NamedTuple):
    """A comment: its text behind the sign, and its place, counted from 1."""

    text: str
    line: int
    column: int
    alone: bool
    """Whether it is alone on its line."""


def comments(content: str) -> list[Comment]:
    """All comments of a stream. Of text that is not YAML, those before the place where reading ends."""
    starts, ends, limit = _scalars(content)
    parsed_comments: list[Comment] = []
    for number, (offset, line) in enumerate(_lines(content), 1):
        for sign in re.finditer(r"(?:^|(?<=\s))#", line):
            at = offset + sign.start()
            before = bisect_right(starts, at) - 1
            if at >= limit:
                return parsed_comments
            if before < 0 or at >= ends[before]:
                text = line[sign.end() :].strip()
                parsed_comments.append(Comment(text, number, sign.start() + 1, not line[: sign.start()].strip()))
                break
    return parsed_comments


def _lines(content: str) -> list[tuple[int, str]]:
    lines, offset = [], 0
    for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", content):
        lines.append((offset, line.rstrip("\r\n")))
        offset += len(line)
    return lines


def _scalars(content: str) -> tuple[list[int], list[int], int]:
    """Where scalars begin and end, in order, and how far the text could be read."""
    starts: list[int] = []
    ends: list[int] = []
    try:
        parser: Any = libyaml.parse(content)
        while True:
            event = parser.get_event()
            if event.__class__ is libyaml.StreamEndEvent:
                return starts, ends, len(content)
            if event.__class__ is libyaml.ScalarEvent:
                start, end = _range(event)
                if content[start : start + 1] in ("|", ">"):
                    start, end = _block(content, start, end)
                starts.append(start)
                ends.append(end)
    except libyaml.YAMLError:
        return starts, ends, ends[-1] if ends else 0


def _range(event: Any) -> tuple[int, int]:
    return event.start_mark.index, event.end_mark.index


def _block(content: str, start: int, end: int) -> tuple[int, int]:
    """The text of a block scalar: without its first line, and without the comments behind it, which its event counts in.

    Those differ from text by their smaller indentation.
    """
    first, *lines = content[start:end].splitlines(keepends=True)
    start += len(first)
    margins = [_margin(line) for line in lines if line.strip()]
    while lines and (not lines[-1].strip() or _margin(lines[-1]) < margins[0]):
        lines.pop()
    return start, start + len("".join(lines))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
