"""A place in a pattern -> the set of characters of the escape or the class that is written there, and the place after it.

Mirrors Go 1.26 `regexp/syntax`: parseEscape, parseClass and the functions of parse.go that they call.
"""

from __future__ import annotations

from tjgen.cluster.schema.pattern_sets import NAMED, PERL, CharacterSet, ClassPart, single, unicode_part

_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_OCTAL, _HEXADECIMAL = frozenset("01234567"), frozenset("0123456789abcdefABCDEF")
_LAST = 0x10FFFF
_LONGEST_CATEGORY = 2
"""Characters in the name of a category. Longer names are those of scripts, such as Greek, and other names of categories."""


class PatternError(ValueError):
    """A text is not a pattern, in Go's words, or the pattern is not available here."""


class UnavailableError(PatternError):
    """A pattern has a class that Go may have, but tjgen does not: a limit of tjgen, not of the server."""


def escape(text: str, start: int, *, is_folded: bool) -> tuple[CharacterSet, int]:
    """The characters of the escape at a backslash; raises PatternError."""
    part, end = _class_part(text, start, is_folded=is_folded)
    if part is not None:
        return CharacterSet((part,)), end
    character, end = _escaped(text, start)
    return single(character, is_folded=is_folded), end


def character_class(text: str, start: int, *, is_folded: bool) -> tuple[CharacterSet, int]:
    """The characters of the class at a bracket; raises PatternError."""
    is_negated = text.startswith("^", start + 1)
    first = position = start + 1 + is_negated
    parts: list[ClassPart] = []
    ranges: list[tuple[int, int]] = []
    while position == first or not text.startswith("]", position):
        part, end = _posix_part(text, position, is_folded=is_folded)
        if part is None and text.startswith("\\", position):
            part, end = _class_part(text, position, is_folded=is_folded)
        if part is not None:
            parts.append(part)
        else:
            bounds, end = _range(text, position, start)
            ranges.append(bounds)
        position = end
    if ranges:
        parts.append(ClassPart(tuple(ranges), "", is_folded))
    return CharacterSet(tuple(parts), is_negated), position + 1


def _range(text: str, begin: int, start: int) -> tuple[tuple[int, int], int]:
    low, position = _class_character(text, begin, start)
    if not text.startswith("-", position) or text[position + 1 : position + 2] in ("", "]"):
        return (ord(low), ord(low)), position
    high, position = _class_character(text, position + 1, start)
    if high < low:
        raise PatternError(f"invalid character class range: `{text[begin:position]}`")
    return (ord(low), ord(high)), position


def _class_character(text: str, position: int, start: int) -> tuple[str, int]:
    if position >= len(text):
        raise PatternError(f"missing closing ]: `{text[start:]}`")
    return _escaped(text, position) if text[position] == "\\" else (text[position], position + 1)


def _posix_part(text: str, start: int, *, is_folded: bool) -> tuple[ClassPart | None, int]:
    end = text.find(":]", start + 2) if text.startswith("[:", start) else -1
    if end < 0:
        return None, start
    name = text[start + 2 : end]
    ranges = NAMED.get(name.removeprefix("^"))
    if ranges is None:
        raise PatternError(f"invalid character class range: `{text[start : end + 2]}`")
    return ClassPart(ranges, "", is_folded, is_negated=name.startswith("^")), end + 2


def _class_part(text: str, start: int, *, is_folded: bool) -> tuple[ClassPart | None, int]:
    r"""The part of a class such as \d or \pL; None for the escape of one character."""
    letter = text[start + 1 : start + 2]
    if letter.lower() in PERL:
        return ClassPart(PERL[letter.lower()], "", is_folded, is_negated=letter.isupper()), start + 2
    if letter not in ("p", "P"):
        return None, start
    end = start + 3
    name = text[start + 2 : end]
    if name == "{":
        end = text.find("}", start) + 1
        if not end:
            raise PatternError(f"invalid character class range: `{text[start:]}`")
        name = text[start + 3 : end - 1]
    is_negated = (letter == "P") is not name.startswith("^")
    part = unicode_part(name.removeprefix("^"), is_folded=is_folded, is_negated=is_negated)
    if part is None and len(name) > _LONGEST_CATEGORY and name.removeprefix("^").replace("_", "").isalpha():
        raise UnavailableError(f"the Unicode class {text[start:end]}, which tjgen does not have")
    if part is None:
        raise PatternError(f"invalid character class range: `{text[start:end]}`")
    return part, end


def _escaped(text: str, start: int) -> tuple[str, int]:
    """The character of an escape."""
    letter, end = text[start + 1 : start + 2], start + 2
    if not letter:
        raise PatternError("trailing backslash at end of expression: ``")
    if letter in _OCTAL and (letter == "0" or text[end : end + 1] in _OCTAL):
        while end < start + 4 and text[end : end + 1] in _OCTAL:
            end += 1
        return chr(int(text[start + 1 : end], 8)), end
    if letter == "x":
        code, end = _hexadecimal(text, end)
        if code >= 0:
            return chr(code), end
    elif letter in _CONTROL or (letter.isascii() and not letter.isalnum()):
        return _CONTROL.get(letter, letter), end
    raise PatternError(f"invalid escape sequence: `{text[start:end]}`")


def _hexadecimal(text: str, start: int) -> tuple[int, int]:
    """The code of the digits and the place after them; a negative code if they are wrong."""
    if not text.startswith("{", start):
        digits = text[start : start + 2]
        return int(digits, 16) if len(digits) == 2 and _HEXADECIMAL.issuperset(digits) else -1, start + 2
    code, position = 0, start + 1
    while position < len(text):
        digit = text[position]
        position += 1
        if digit == "}" and position > start + 2:
            return code, position
        code = code * 16 + int(digit, 16) if digit in _HEXADECIMAL else _LAST + 1
        if code > _LAST:
            break
    return -1, position
