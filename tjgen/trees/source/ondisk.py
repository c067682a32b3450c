"""The name of a file -> its text, for the excerpt of a diagnostic."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.sandbox import around
from tjgen.trees.source.encoding import decode


def text_of(file: str) -> str | None:
    """The text of a file that may be read; None for others, such as standard input, and for what is not text."""
    content = around([file]).content(file)
    return None if isinstance(content, Diagnostic) else decode(content, file)[0] or None
