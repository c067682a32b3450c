"""A text -> the events of its YAML, one by one: from libyaml, or where PyYAML was built without it, from PyYAML's parser."""

from __future__ import annotations

from tjgen.trees.source import binding
from tjgen.trees.typing import Any, Protocol

try:
    _parser: Any = binding.load().CParser
except ImportError:
    from tjgen.trees.source.pure import PurePythonParser

    _parser = PurePythonParser

# Known to sys.modules by now, after either import of PyYAML.
from yaml.error import YAMLError
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
)

__all__ = [
    "AliasEvent",
    "DocumentEndEvent",
    "DocumentStartEvent",
    "MappingEndEvent",
    "MappingStartEvent",
    "Parser",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamEndEvent",
    "YAMLError",
    "parse",
]


class Parser(Protocol):
    """What is used of a parser: it answers one event after the other and raises YAMLError where the text is not YAML."""

    def get_event(self) -> Any: ...


def parse(text: str) -> Parser:
    """The parser of one stream. `text` has no lone surrogates; YAMLError is raised by `get_event`, or here already."""
    parser: Parser = _parser(text)
    return parser
