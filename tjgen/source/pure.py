"""PyYAML's scanner and parser, written in Python, as the source of events: slow, and the same events as libyaml's."""

from __future__ import annotations

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner


class PurePythonParser(Reader, Scanner, Parser):
    """The parser of one text."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
