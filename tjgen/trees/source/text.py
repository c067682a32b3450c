"""A file's text -> lines and columns of its characters."""

from __future__ import annotations

from bisect import bisect_right

from tjgen.trees.diagnostics.model import Span

_NEAR = 512
"""Characters before a place whose line is counted without the starts of all lines."""


class Text:
    """The text of one file, shared by its documents. Line starts are computed on first use: most files never need them."""

    __slots__ = ("_line_starts", "content", "file")

    def __init__(self, content: str, file: str) -> None:
        self.content = content
        self.file = file
        self._line_starts: list[int] | None = None

    def span(self, start: int, end: int) -> Span:
        """The place of the characters from `start` to before `end`; both are moved into the text."""
        last = len(self.content)
        start = min(start, last)
        line, column = self.position(start)
        end_line, end_column = self.position(min(max(start, end), last))
        return Span(self.file, line, column, end_line, end_column)

    def position(self, index: int) -> tuple[int, int]:
        """Line and column of the character at `index`, counted from 1."""
        starts = self._line_starts
        if starts is None and index < _NEAR and "\r" not in (before := self.content[:index]):
            return before.count("\n") + 1, index - before.rfind("\n")
        if starts is None:
            starts = self._line_starts = _line_starts(self.content)
        line = bisect_right(starts, index)
        return line, index - starts[line - 1] + 1


def _line_starts(content: str) -> list[int]:
    # Lines as editors count them: YAML 1.1's further breaks (NEL, LS, PS) end no line here.
    starts = [0]
    position = 0
    for line in content.splitlines(keepends=True):
        position += len(line)
        if line[-1] in "\r\n":
            starts.append(position)
    return starts
