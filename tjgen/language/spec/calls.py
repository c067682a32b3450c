"""The stack -> the place of a call in a Python file, and the places of the values that are written in that call."""

from __future__ import annotations

import ast
import linecache
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import islice

from tjgen.trees.diagnostics.model import Span
from tjgen.trees.typing import NamedTuple

Position = tuple[int, int, int, int]
"""First line, first byte in it, last line, byte after the last one: as in the nodes of `ast`, lines from 1."""


class Call(NamedTuple):
    """The place of a call."""

    file: str
    """The file, as the code object names it. A cell of a notebook has a name, too."""
    position: Position

    @property
    def shown(self) -> str:
        """The name of the file for people, relative to the working directory if it is below it."""
        if self.file.startswith("<"):
            return self.file
        if not os.path.isfile(self.file):
            return f"<{os.path.basename(self.file)}>"
        relative = os.path.relpath(self.file)
        return self.file if relative.startswith("..") else relative

    @property
    def node(self) -> ast.Call | None:
        """The call in the text of the file; None if the text is not available."""
        return _calls(self.file, text(self.file)).get(self.position)

    def span(self, node: ast.expr | ast.keyword | None = None, *, length: int | None = None) -> Span:
        """The place of a part of the call, or of its first `length` bytes. Without a part, the place of the call itself."""
        line, column, end_line, end_column = self.position if node is None else position_of(node)
        if length is not None:
            end_line, end_column = line, column + length
        lines = text(self.file).split("\n")
        return Span(self.shown, line, _characters(lines, line, column), end_line, _characters(lines, end_line, end_column))


def caller(is_inside: Callable[[str], bool]) -> Call:
    """Return the nearest call on the stack that is outside of the modules for which `is_inside` holds."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_inside(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    code = frame.f_code
    position = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = position
    if line is None or column is None or end_line is None or end_column is None:
        return Call(code.co_filename, (frame.f_lineno, 0, frame.f_lineno, 0))
    return Call(code.co_filename, (line, column, end_line, end_column))


def text(file: str) -> str:
    """The text of a Python file or of a cell of a notebook; empty if it is not available."""
    return "".join(linecache.getlines(file))


def position_of(node: ast.expr | ast.keyword) -> Position:
    """The place of a node. Every node that the parser returns has one."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


@lru_cache(maxsize=16)
def _calls(file: str, content: str) -> dict[Position, ast.Call]:
    del file  # part of the key of the cache
    try:
        tree = ast.parse(content)
    except SyntaxError:  # the file changed after it was loaded
        return {}
    return {position_of(node): node for node in ast.walk(tree) if isinstance(node, ast.Call)}


def _characters(lines: list[str], line: int, column: int) -> int:
    """The column in characters, from 1."""
    if line > len(lines):
        return column + 1
    return len(lines[line - 1].encode()[:column].decode(errors="ignore")) + 1
