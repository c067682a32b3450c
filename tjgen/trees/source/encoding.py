"""Bytes or a string -> text that may be YAML, or the diagnostic with the place of the error."""

from __future__ import annotations

from tjgen.trees import regex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.source.problems import ENCODING, diagnostic
from tjgen.trees.source.text import Text

_BYTE_ORDER_MARK = "\ufeff"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_BINARY_SAMPLE = 8_192


def decode(text: str | bytes, file: str) -> tuple[str, Diagnostic | None]:
    """The text without its byte order mark (UTF-8, or UTF-16 with such a mark), or what is wrong with its encoding."""
    if isinstance(text, str):
        if not _is_encodable(text):
            return "", first_unprintable(Text(text, file))
        return _without_mark(text, file)
    is_utf16 = text.startswith(_UTF16)
    if not is_utf16 and b"\0" in text[:_BINARY_SAMPLE]:
        return "", _unreadable(Text("", file), 0, "the file is binary, not text", "name a YAML file, saved as UTF-8")
    name = "UTF-16" if is_utf16 else "UTF-8"
    try:
        return _without_mark(text.decode(name), file)
    except UnicodeDecodeError as error:
        before = text[: error.start].decode(name, "replace").removeprefix(_BYTE_ORDER_MARK)
        message = f"the byte 0x{text[error.start]:02x} is not {name}"
        return "", _unreadable(Text(before + " ", file), len(before), message, "save the file as UTF-8")


def first_unprintable(source: Text) -> Diagnostic:
    """The diagnostic for the first character that YAML does not allow."""
    match = regex.search(_UNPRINTABLE, source.content)
    if match is None:
        return _unreadable(
            source, 0, "the text contains a character that YAML does not allow", "save the file as plain UTF-8 text"
        )
    code = ord(match.group())
    kind = "the control character" if code < 0xA0 else "the character"
    hint = f'remove it, or write it as "\\x{code:02x}" in double quotes' if code < 0xA0 else "remove it"
    return _unreadable(source, match.start(), f"the text contains {kind} U+{code:04X}", hint)


def _without_mark(text: str, file: str) -> tuple[str, Diagnostic | None]:
    content = text.removeprefix(_BYTE_ORDER_MARK)
    # At the beginning of a later line libyaml passes over the mark, and go-yaml makes it part of the key.
    inner = -1 if content.isascii() else f"\n{content}".find("\n" + _BYTE_ORDER_MARK)
    if inner < 0:
        return content, None
    message = "a byte order mark (U+FEFF) is inside the text, as in joined files"
    return "", _unreadable(Text(content, file), inner, message, "remove it")


def _is_encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _unreadable(source: Text, index: int, message: str, hint: str) -> Diagnostic:
    return diagnostic(ENCODING, message, span=source.span(index, index + 1), hint=hint)
