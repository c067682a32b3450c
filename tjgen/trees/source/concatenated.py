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

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\]"]+')

_DEEPEST = 200
"""Levels of an object that is decoded to see whether it is JSON: the decoder uses the stack of Python."""


class _Mark:
    """A place in the text, as events have it."""

    __slots__ = ("column", "index")

    def __init__(self, index: int, column: int) -> None:
        self.index = index
        self.column = column


def objects(content: str) -> list[Range]:
    """Where each object stands; nothing where the text is not a sequence of at least two objects of JSON."""
    found: list[Range] = []
    depth = start = deepest = 0
    for token in _TOKEN.finditer(content):
        sign = token[0]
        if depth == 0:
            if sign != "{":
                return []
            start = token.start()
        depth += (sign in "{[") - (sign in "}]")
        deepest = max(deepest, depth)
        if depth == 0:
            found.append((start, token.end()))
    if depth != 0 or len(found) < 2:
        return []
    # Deeper objects are not decoded here: the reader reports their depth.
    return found if deepest > _DEEPEST or all(_is_json(content[start:end]) for start, end in found) else []


def _is_json(text: str) -> bool:
    try:
        _DECODER.decode(text)
    except ValueError:
        return False
    return True


def _refuse(constant: str) -> None:
    raise ValueError(constant)


# Numbers stay texts: long ones are the reader's to refuse.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)


class Parser:
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
