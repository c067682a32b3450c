"""The text of a CEL expression -> its tokens. Written out by hand: as one pattern it takes longer to compile than all rules."""

from __future__ import annotations

from collections.abc import Iterator

NAME = "name"
NUMBER = "number"
TEXT = "text"
OPERATOR = "operator"
END = "end"

Token = tuple[str, str, int]
"""Kind, spelling and the position of the first character."""

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_WORD = _LETTERS | _DIGITS
_SPACE = frozenset(" \t\n\r\f\v")
_PREFIXES = frozenset("rRbB")
_PAIRS = ("&&", "||", "==", "!=", "<=", ">=")
_SINGLE = frozenset("-+*/%!<>?:.,()[]{}")
_QUOTES = ("'''", '"""', "'", '"')


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text` and one for its end; raises SyntaxError at what is none."""
    position = 0
    while True:
        position = _after_space(text, position)
        if position == len(text):
            yield END, "", position
            return
        first = text[position]
        following = text[position + 1 : position + 2]
        if first in "'\"" or _prefix_end(text, position) > position:
            kind, end = TEXT, _text_end(text, position)
        elif first in _LETTERS:
            kind, end = NAME, _while_in(_WORD, text, position)
        elif first in _DIGITS or (first == "." and following in _DIGITS):
            kind, end = NUMBER, _number_end(text, position)
        elif text[position : position + 2] in _PAIRS:
            kind, end = OPERATOR, position + 2
        elif first in _SINGLE:
            kind, end = OPERATOR, position + 1
        else:
            raise SyntaxError(f"unexpected character {first!r} at position {position + 1}")
        yield kind, text[position:end], position
        position = end


def _after_space(text: str, position: int) -> int:
    while True:
        position = _while_in(_SPACE, text, position)
        if not text.startswith("//", position):
            return position
        line_end = text.find("\n", position)
        position = len(text) if line_end < 0 else line_end


def _while_in(characters: frozenset[str], text: str, position: int) -> int:
    while position < len(text) and text[position] in characters:
        position += 1
    return position


def _number_end(text: str, start: int) -> int:
    if text[start : start + 2] in ("0x", "0X"):
        end = _while_in(_WORD, text, start)
    else:
        end = _while_in(_DIGITS, text, start)
        if text[end : end + 1] == "." and text[end + 1 : end + 2] in _DIGITS:
            end = _while_in(_DIGITS, text, end + 1)
        if text[end : end + 1] in ("e", "E"):
            end = _while_in(_DIGITS, text, end + 2 if text[end + 1 : end + 2] in ("+", "-") else end + 1)
    if text[end : end + 1] in ("u", "U"):
        end += 1
    if text[end : end + 1] in _LETTERS:
        raise SyntaxError(f"the end is expected at character {end + 1}, not {text[end]}")
    return end


def _prefix_end(text: str, start: int) -> int:
    """The end of the letters before a quote: r for a raw string, b for bytes. `start` if there are none."""
    end = _while_in(_PREFIXES, text, start)
    return end if end - start <= len("br") and text[end : end + 1] in ("'", '"') and text[end : end + 1] else start


def _text_end(text: str, start: int) -> int:
    position = _prefix_end(text, start)
    quote = next(quote for quote in _QUOTES if text.startswith(quote, position))
    position += len(quote)
    while not text.startswith(quote, position):
        if position >= len(text) or (len(quote) == 1 and text[position] == "\n"):
            raise SyntaxError(f"a string is not closed: {text[start : start + 10]}")
        position += 2 if text[position] == "\\" else 1
    return position + len(quote)
