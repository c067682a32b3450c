"""A text of several JSON objects, one after the other -> their events, as those of one stream.

kubectl reads such a text (k8s.io/apimachinery, pkg/util/yaml/decoder.go:YAMLOrJSONDecoder); to YAML it is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from tjgen.trees.source import libyaml
from tjgen.trees.source.findings import Range
from tjgen.trees.typing import Any


class _Mark:
    """A place in the text, as events have it."""

    __slots__ = ("column", "index")

    def __init__(self, index: int, column: int) -> None:
        self.index = index
        self.column = column


def objects(content: str) -> list[Range]:
    """The range of each object; an empty list for a text that is not a sequence of at least two objects of JSON."""
    ranges: list[Range] = []
    start = _start_after(content, 0)
    while start < len(content):
        try:
            value, end = _DECODER.raw_decode(content, start)
        except RecursionError:
            # The reader reports the depth of such an object before it reads to its end.
            value, end = {}, len(content)
        except ValueError:
            return []
        if value.__class__ is not dict:
            return []
        ranges.append((start, end))
        start = _start_after(content, end)
    return ranges if len(ranges) > 1 else []


def _start_after(content: str, position: int) -> int:
    """The position of the next character that is not white space; the length of the text if there is none."""
    match = _VISIBLE.search(content, position)
    return match.start() if match is not None else len(content)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


# Numbers stay texts: the reader refuses long ones.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)
_VISIBLE = re.compile(r"\S")


class PartsParser:
    """The events of all parts of a text, each with its place in the text."""

    def __init__(self, content: str, parts: Sequence[Range]) -> None:
        self._events = _events(content, parts)

    def get_event(self) -> Any:
        """The next event. Raises YAMLError where a part is not YAML."""
        return next(self._events)


def _events(content: str, parts: Sequence[Range]) -> Iterator[Any]:
    for number, (start, end) in enumerate(parts):
        parser = libyaml.parse(content[start:end])
        begin = parser.get_event()
        if number == 0:
            yield begin
        while (event := parser.get_event()).__class__ is not libyaml.StreamEndEvent:
            event.start_mark = _Mark(start + event.start_mark.index, event.start_mark.column)
            event.end_mark = _Mark(start + event.end_mark.index, event.end_mark.column)
            yield event
    yield event
