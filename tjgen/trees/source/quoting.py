"""A string -> how it is written on one line so that every reader of YAML sees this string.

Quoting does not depend on a list of dangerous words: the resolvers of the dialects decide. Forms that they do
not support (YAML 1.1's base 60, dates, digit groups, as PyYAML and others read them) match one pattern.
"""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.source import core, kubernetes
from tjgen.trees.source.scalars import FIRST_OF_NUMBER, IN_NUMBER, Memo
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_WORD = regex.compile(r"[A-Za-z_/][A-Za-z0-9_/.-]*\Z").match
# Valid without quotes in block context: begins with no indicator (a dash is none before a letter, digit or dash), has no
# "word: word" and no "word #word", and neither begins nor ends with a space.
_UNQUOTED = regex.compile(
    r"""(?!---|\.\.\.)(?:-(?=[A-Za-z0-9-])|[^\x00-\x20\x7f\-?:,\[\]{}#&*!|>'"%@`])"""
    r"""(?:[^\x00-\x20\x7f:]|:(?![\x20]|\Z)|[\x20](?![\x20]*(?:\#|\Z)))*\Z"""
).match
_YAML11 = (
    r"[-+]?[0-9][0-9_,]*(?::[0-5]?[0-9])*(?:\.[0-9_,]*)?(?:[eE][-+]?[0-9_]+)?\Z"
    r"|[-+]?\.[0-9_,]+(?:[eE][-+]?[0-9_]+)?\Z"
    r"|[-+]?0[xXoObB][-+]?[0-9a-fA-F_,]+\Z"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\x20].*)?\Z"
    r"|[-+][-+_.,:0-9]*\Z"
)
_IN_YAML11 = IN_NUMBER | {",", ":"}
_CONTROL = r"[\x00-\x1f\x7f]"
# Characters that are invisible, or look like a space, or that change the order of what is seen. Patterns with them are built
# only for a text that is not ASCII: it takes as long as all else here.
_HIDDEN = "\x80-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff"
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quote(text: str) -> str:
    """The one-line form: unquoted where no reader would see anything else, in the quotes that kubectl uses otherwise."""
    if has_hidden(text):
        return double_quoted(text)
    if _WORD(text):
        # No reader takes a word with a dash or a slash within for anything else, if it begins with a letter.
        is_text = text[0].isalpha() and ("-" in text or "/" in text)
        return text if is_text or not _is_taken_for_another(text) else double_quoted(text)
    if _UNQUOTED(text):
        return double_quoted(text) if _is_taken_for_another(text) else text
    if not text or regex.search(_CONTROL, text) or ("'" in text and '"' not in text and "\\" not in text):
        return double_quoted(text)
    return "'" + text.replace("'", "''") + "'"


def double_quoted(text: str) -> str:
    """The text in double quotes, with escapes that YAML 1.1 and 1.2 and JSON share where they can."""
    escaped = r'["\\\x00-\x1f\x7f]' if text.isascii() else rf'["\\\x00-\x1f\x7f{_HIDDEN}]'
    return '"' + regex.sub(escaped, _escape, text) + '"'


def has_hidden(text: str) -> bool:
    """Whether the text holds a character beyond ASCII that is better seen escaped."""
    return not text.isascii() and regex.search(f"[{_HIDDEN}]", text) is not None


def _is_taken_for_another(text: str) -> bool:
    """Whether some reader sees a boolean, null, number, date or merge key where the string is meant."""
    return kubernetes.resolve(text).__class__ is not str or core.resolve(text).__class__ is not str or _is_yaml11(text)


def _is_yaml11(text: str) -> bool:
    """Whether YAML 1.1 has a number, a date, a default key or a merge key there that the dialects do not know."""
    if text[0] not in FIRST_OF_NUMBER:
        return text in ("=", "<<")
    # Any text may follow the time of a date; every other form has few characters.
    return (_IN_YAML11.issuperset(text) or text[4:5] == "-") and regex.match(_YAML11, text) is not None


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


QUOTED = Memo(quote)
"""Text -> its one-line form; each distinct text is decided once."""
