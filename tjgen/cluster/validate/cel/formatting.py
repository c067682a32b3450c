"""A format and its arguments -> the text: `'%s of %d'.format([a, b])`.

Mirrors github.com/google/cel-go `ext/formatting.go`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from tjgen.cluster.validate.cel import times
from tjgen.cluster.validate.cel.conversions import double_text, type_of
from tjgen.cluster.validate.cel.types import Duration, Timestamp, Type, Unsigned
from tjgen.cluster.validate.cel.values import CelError, CostLimitError, overload
from tjgen.trees.typing import Any

_CLAUSE = re.compile(r"%(?:%|(?:\.([0-9]+))?([a-zA-Z]))|%")
_INTEGERS = (int, Unsigned)
_DIGITS = 6
_MOST_DIGITS = 10_000
"""Digits after the point: the server has no limit, and writes as many as the expression requests."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_KEYS = (str, int, Unsigned, bool)
_ANY = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"


def formatted(text: Any, arguments: Any) -> str:
    """`text.format(arguments)`."""
    if text.__class__ is not str or arguments.__class__ is not list:
        raise overload()
    rest = list(arguments)

    def replaced(match: re.Match[str]) -> str:
        if match.group() == "%%":
            return "%"
        if match[2] is None:
            raise CelError("unexpected end of string")
        if not rest:
            raise CelError(f"index {len(arguments)} out of range")
        clause: Callable[[Any, str | None], str] | None = _CLAUSES.get(match[2])
        if clause is None:
            raise CelError(f'could not parse formatting clause: unrecognized formatting clause "{match[2]}"')
        if match[1] and (len(match[1]) > len(str(_MOST_DIGITS)) or int(match[1]) > _MOST_DIGITS):
            raise CostLimitError
        return clause(rest.pop(0), match[1])

    return _CLAUSE.sub(replaced, text)


def _text(value: Any, digits: str | None = None) -> str:
    kind = value.__class__
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if kind is float:
        return double_text(value)
    if kind is bytes:
        return bytes(value).decode(errors="replace")
    if kind in (Duration, Timestamp):
        return times.written(value)
    if kind is list:
        return f"[{', '.join(map(_quoted, value))}]"
    if kind is dict:
        for key in value:
            if key.__class__ not in _KEYS:
                raise CelError(f"error during formatting: no formatting function for map key of type {_name(key)}")
        pairs = sorted((_quoted(key), _quoted(item)) for key, item in value.items())
        return f"{{{', '.join(f'{key}:{item}' for key, item in pairs)}}}"
    if kind in (str, int, Unsigned, Type):
        return str(value)
    raise CelError(f"error during formatting: {_ANY}, was given {_name(value)}")


def _quoted(value: Any) -> str:
    """The text of an element of a list or map."""
    if value.__class__ is str:
        return f'"{value}"'
    if value.__class__ is float:
        return _rounded(value)
    if value.__class__ in (Duration, Timestamp):
        return f'{value.__class__.__name__.lower()}("{times.written(value)}")'
    return f'b"{_text(value)}"' if value.__class__ is bytes else _text(value)


def _decimal(value: Any, digits: str | None) -> str:
    if value.__class__ not in _INTEGERS:
        raise CelError(f"error during formatting: decimal clause can only be used on integers, was given {_name(value)}")
    return str(int(value))


def _fixed(value: Any, digits: str | None) -> str:
    number = _double(value, "fixed-point")
    return f"{number:,.{_DIGITS if digits is None else int(digits)}f}" if math.isfinite(number) else _not_finite(number)


def _rounded(number: float) -> str:
    """The text of a double in a list or map."""
    return f"{number:.{_DIGITS}f}" if math.isfinite(number) else f'"{double_text(number)}"'


def _scientific(value: Any, digits: str | None) -> str:
    # The server ignores the number of digits.
    number = _double(value, "scientific")
    if not math.isfinite(number):
        return _not_finite(number)
    fraction, _, power = f"{number:.{_DIGITS}e}".partition("e")
    return f"{fraction}\N{MULTIPLICATION SIGN}10{power.removeprefix('+').translate(_RAISED)}"


def _not_finite(number: float) -> str:
    return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"


def _double(value: Any, clause: str) -> float:
    if value.__class__ not in (float, int, Unsigned):
        raise CelError(f"error during formatting: {clause} clause can only be used on doubles, was given {_name(value)}")
    return float(value)


def _binary(value: Any, digits: str | None) -> str:
    if value.__class__ not in (*_INTEGERS, bool):
        raise CelError(f"error during formatting: only integers and bools can be formatted as binary, was given {_name(value)}")
    return f"{int(value):b}"


def _octal(value: Any, digits: str | None) -> str:
    if value.__class__ not in _INTEGERS:
        raise CelError(f"error during formatting: octal clause can only be used on integers, was given {_name(value)}")
    return f"{int(value):o}"


def _hexadecimal(value: Any, digits: str | None) -> str:
    if value.__class__ in (str, bytes):
        return (value.encode() if isinstance(value, str) else bytes(value)).hex()
    if value.__class__ not in _INTEGERS:
        raise CelError(
            f"error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given {_name(value)}"
        )
    return f"{int(value):x}"


def _name(value: Any) -> str:
    return str(type_of(value))


_CLAUSES: dict[str, Callable[[Any, str | None], str]] = {
    "s": _text,
    "d": _decimal,
    "f": _fixed,
    "e": _scientific,
    "b": _binary,
    "o": _octal,
    "x": _hexadecimal,
    "X": lambda value, digits: _hexadecimal(value, digits).upper(),
}
