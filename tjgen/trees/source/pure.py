"""PyYAML's scanner and parser, written in Python, as the source of events: slow, and the same events as libyaml's."""

from __future__ import annotations

from yaml.events import ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

from tjgen.trees.typing import Any


class PurePythonParser(Reader, Scanner, Parser):
    """The parser of one text."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def get_event(self) -> Any:
        """The next event. Escapes of half a character are refused, as libyaml does: no encoding can write them."""
        event: Any = super().get_event()  # type: ignore[no-untyped-call]  # so in the stubs
        if event.__class__ is ScalarEvent and any("\ud800" <= character <= "\udfff" for character in event.value):
            mark: Any = event.start_mark
            raise ScannerError("while parsing a quoted scalar", mark, "found invalid Unicode character escape code", mark)
        return event
