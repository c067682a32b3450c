"""PyYAML's binding of libyaml -> a parser of events; without the binding, PyYAML's own parser of the same events."""

from __future__ import annotations

from typing import Any, Protocol

import yaml
from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

__all__ = [
    "AliasEvent",
    "DocumentEndEvent",
    "DocumentStartEvent",
    "MappingEndEvent",
    "MappingStartEvent",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamEndEvent",
    "StreamStartEvent",
    "YAMLError",
    "parser",
]

YAMLError = yaml.YAMLError


class Parser(Protocol):
    """What is used of a parser: one event after the other; raises YAMLError where the text is not YAML."""

    def get_event(self) -> Any: ...


def parser(text: str) -> Parser:
    """The parser of one stream."""
    return CParser(text)
