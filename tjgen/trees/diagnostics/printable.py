"""Text of an input -> text that a terminal, a log of continuous integration or a reader may see: the one function for all output.

Control characters could move the cursor or change colours, marks of direction show another text than there is, characters without
a width make two texts look equal, and a log of GitHub Actions takes `::name::` at the begin of a line and `##[name]` anywhere
as a command. All of them become escapes.
Private keys, tokens and passwords of URLs become asterisks.
"""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
from tjgen.trees.diagnostics.credentials import concealed

IGNORABLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""The characters that a reader cannot see: `Default_Ignorable_Code_Point` of Unicode 16, and marks of annotations."""
HIDDEN = f"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff{IGNORABLE}"
"""These, controls except tabs and line feeds, separators of lines, marks of direction, and noncharacters: the
inside of a class of a regular expression."""
_UNSAFE = regex.compile(rf"[\n{HIDDEN}]|(?<!\S):(?=:)|(?<=##)\[")


def visible(text: str) -> str:
    """A text of one line with escapes for what is unsafe, line breaks included; tabs stay."""
    return _UNSAFE.sub(escaped, text)


def printable(text: str) -> str:
    """A text of several lines, with escapes for what is unsafe in each, and without secrets."""
    return "\n".join(map(visible, concealed(text).replace("\r\n", "\n").split("\n")))


def printable_json(text: str) -> str:
    """JSON that is ASCII, with the same meaning, and without what a log takes for a command."""
    return text.replace("##[", "##\\u005b")


def escaped(match: re.Match[str]) -> str:
    """The character as Python writes it in a text."""
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
