"""Text of an input -> text that a terminal, a log of continuous integration or a reader may see: the one function for all output.

Control characters could move the cursor or change colours, marks of direction show another text than there is, and a log of
GitHub Actions takes `::name::` at the begin of a line and `##[name]` anywhere for a command. All of them become escapes.
Private keys, tokens and passwords of URLs become asterisks.
"""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
from tjgen.trees.diagnostics.credentials import concealed

_UNSAFE = regex.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
    r"|(?<!\S):(?=:)|(?<=##)\["
)


def visible(text: str) -> str:
    """A text of one line with escapes for what is unsafe, line breaks included; tabs stay."""
    return _UNSAFE.sub(_escape, text)


def printable(text: str) -> str:
    """A text of several lines, with escapes for what is unsafe in each, and without secrets."""
    return "\n".join(map(visible, concealed(text).replace("\r\n", "\n").split("\n")))


def printable_json(text: str) -> str:
    """JSON that is ASCII, with the same meaning, and without what a log takes for a command."""
    return text.replace("##[", "##\\u005b")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
