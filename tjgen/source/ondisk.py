"""The name of a file -> its text, for the excerpt of a diagnostic."""

from __future__ import annotations

from tjgen.diagnostics.model import Diagnostic
from tjgen.files.sandbox import around


def text_of(file: str) -> str | None:
    """The text of a file that may be read, however damaged; None for others, such as standard input."""
    content = around([file]).content(file)
    if isinstance(content, Diagnostic):
        return None
    return content.decode("utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace")
