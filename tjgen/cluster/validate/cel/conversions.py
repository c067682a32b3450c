"""Conversions of values to another type, and the types of values.

Mirrors github.com/google/cel-go `common/stdlib` and `common/types`.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address

from tjgen.cluster.validate.cel import times
from tjgen.cluster.validate.cel.types import Duration, Timestamp, Type, Unsigned
from tjgen.cluster.validate.cel.values import NO_OVERLOAD, CelError, overload
from tjgen.trees.typing import Any

_LONGEST_NUMBER = 1_000
"""Digits of a number in a text, zeros in front among them."""
_PLAIN_DIGITS = 6
"""Doubles with more digits before the point are written with an exponent."""
_TYPES: dict[type, str] = {
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    Type: "type",
    Unsigned: "uint",
    bool: "bool",
    bytes: "bytes",
    dict: "map",
    float: "double",
    int: "int",
    list: "list",
    str: "string",
    type(None): "null_type",
}
TYPE_NAMES = {name: Type(name) for name in _TYPES.values()}
"""The types that an expression can name."""


def type_of(value: Any) -> Type:
    """`type(value)`."""
    if value.__class__ not in _TYPES:
        raise overload()
    return TYPE_NAMES[_TYPES[value.__class__]]


def to_bytes(value: Any) -> bytes:
    """`bytes(value)`."""
    if value.__class__ not in (str, bytes):
        raise overload()
    return value.encode() if isinstance(value, str) else bytes(value)


def to_uint(value: Any) -> Unsigned:
    """`uint(value)`."""
    number = _whole(value, "uint")
    if number is None or not 0 <= number < 2**64:
        raise CelError("unsigned integer overflow")
    return Unsigned(number)


def to_int(value: Any) -> int:
    """`int(value)`."""
    number = int(value) // 10**9 if value.__class__ is Timestamp else _whole(value, "int")
    if number is None or not -(2**63) <= number < 2**63:
        raise CelError("integer overflow")
    return number


def _whole(value: Any, to: str) -> int | None:
    """The number without its fraction; None for one that is not finite."""
    if value.__class__ is str:
        if len(value) > _LONGEST_NUMBER or not re.fullmatch(r"[-+]?[0-9]+" if to == "int" else r"[0-9]+", value):
            raise _unconverted(to)
        least, most = (-(2**63), 2**63) if to == "int" else (0, 2**64)
        if not least <= int(value) < most:
            raise _unconverted(to)
        return int(value)
    if value.__class__ not in (int, float, Unsigned):
        raise overload()
    return int(value) if math.isfinite(value) else None


def to_double(value: Any) -> float:
    """`double(value)`."""
    if value.__class__ is str:
        try:
            return float(value)
        except ValueError:
            raise _unconverted("double") from None
    if value.__class__ not in (int, float, Unsigned):
        raise overload()
    return float(value)


def to_string(value: Any) -> str:
    """`string(value)`."""
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is float:
        return double_text(value)
    if value.__class__ is bytes:
        return bytes(value).decode(errors="replace")
    if value.__class__ in (Duration, Timestamp):
        return times.written(value)
    if value.__class__ not in (str, int, Unsigned, IPv4Address, IPv6Address):
        # Functions with overloads name the types of their arguments, operators do not.
        raise CelError(f"{NO_OVERLOAD}: string({_TYPES[value.__class__]})") if value.__class__ in _TYPES else overload()
    return str(value)


def double_text(value: float) -> str:
    """Return the shortest text of a double, as Go's strconv.FormatFloat(value, 'g', -1, 64) writes it."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    power = len(digits) + exponent - 1 if any(digits) else 0
    if -4 <= power < _PLAIN_DIGITS:
        return f"{Decimal(repr(value)).normalize():f}"
    fraction = "".join(map(str, digits[1:]))
    return f"{'-' * sign}{digits[0]}{'.' * bool(fraction)}{fraction}e{power:+03}"


def _unconverted(to: str) -> CelError:
    return CelError(f"type conversion error from 'string' to '{to}'")


def to_bool(value: Any) -> bool:
    """`bool(value)`."""
    if value in ("true", "false", "True", "False", "TRUE", "FALSE", "t", "f", "T", "F", "1", "0"):
        return value[0] in "tT1"
    if value.__class__ is str:
        raise _unconverted("bool")
    if value.__class__ is not bool:
        raise overload()
    return bool(value)
