"""Quantity text -> an exact number with its format, and back as the API server prints it.

Mirrors k8s.io/apimachinery v0.36 `resource.Quantity`: three formats (decimal, binary, exponent),
values rounded up to a billionth, binary values capped at 2^63-1 outside the short path, and the
text kept as written where upstream takes it for canonical (`1.500`, `01Gi` and `+5` stay).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tjgen.trees import regex
from tjgen.trees.typing import Any, NamedTuple

DECIMAL = "DecimalSI"
BINARY = "BinarySI"
EXPONENT = "DecimalExponent"

_NANO = 10**9
_MOST = (2**63 - 1) * _NANO
_SHORT_DIGITS = 18
_WIDEST_EXPONENT = 999  # ours: upstream computes with any, and so would we, for hours
_MOST_DIGITS = 1_000  # ours, too: Python refuses to print numbers of more than 4300 digits

_SHAPE = regex.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)\Z")
_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_TEXTS = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_TEXTS = {exponent: suffix for suffix, exponent in _BINARY_SUFFIXES.items()}

_FIRST = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".")

WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
WRONG_NUMBER = "unable to parse numeric part of quantity"
WRONG_SUFFIX = "unable to parse quantity's suffix"


class QuantityError(ValueError):
    """A value that is not a quantity, in the API server's words."""


class Quantity(NamedTuple):
    """An amount in billionths, the format that it prints in, and its text ("" until it is first used)."""

    nanos: int
    format: str
    text: str = ""

    @property
    def value(self) -> int:
        """The amount in whole units, fractions rounded away from zero."""
        return -(-self.nanos // _NANO) if self.nanos >= 0 else self.nanos // _NANO

    def __str__(self) -> str:
        return self.text or _text(self.nanos, self.format)


ZERO = Quantity(0, DECIMAL, "0")

_parsed: dict[str, Quantity] = {"0": ZERO}
_printed: dict[str, str] = {"0": "0"}
_texts: dict[tuple[int, str], str] = {}
_MEMO = 4096


def parse(text: str | int | float) -> Quantity:
    """Return the quantity of a YAML value; raise QuantityError with the API server's words.

    Upstream: `resource.ParseQuantity`.
    """
    known = _parsed.get(text)  # type: ignore[arg-type]  # a number is never a key
    if known is None:
        text = str(text).strip()
        known = _parse(text)
        if len(_parsed) >= _MEMO:
            _parsed.clear()
        _parsed[text] = known
    return known


def is_amount(value: Any) -> bool:
    """Return whether a value of YAML is a quantity without a sign."""
    if value.__class__ in (int, float):
        return 0 <= value < 2**63
    if value.__class__ is not str or value[:1] not in _FIRST or value[-1:].isspace():
        return False
    try:
        parse(value)
    except QuantityError:
        return False
    return True


def canonical(text: str | int | float) -> str:
    """The text that the API server's types print for a value; raises ValueError for none."""
    text = str(text)
    known = _printed.get(text)
    if known is None:
        known = str(parse(text))
        if len(_printed) >= _MEMO:
            _printed.clear()
        _printed[text] = known
    return known


def add(left: Quantity, right: Quantity) -> Quantity:
    """The sum; a zero on the left takes the format of the right (`Quantity.Add`)."""
    return Quantity(left.nanos + right.nanos, left.format if left.nanos else right.format)


def multiply(quantity: Quantity, factor: int) -> Quantity:
    """The product, in the same format (`Quantity.Mul`)."""
    return Quantity(quantity.nanos * factor, quantity.format)


def compare(left: Quantity, right: Quantity) -> int:
    """-1, 0 or 1; the formats may differ."""
    return (left.nanos > right.nanos) - (left.nanos < right.nanos)


def total(lists: Iterable[Mapping[str, Any]]) -> dict[str, Quantity]:
    """The sum of resource lists, of texts or quantities, resource by resource; the first one's format is kept."""
    sums: dict[str, Quantity] = {}
    for resources in lists:
        for name, amount in resources.items():
            quantity = amount if amount.__class__ is Quantity else parse(amount)
            sums[name] = add(sums[name], quantity) if name in sums else quantity
    return sums


def _parse(text: str) -> Quantity:
    match = _SHAPE.match(text)
    if match is None or not text:
        raise QuantityError(WRONG_FORMAT)
    sign, whole, fraction, suffix = match.group(1), match.group(2).lstrip("0"), match.group(3) or "", match.group(4)
    numeric = bool(match.group(2) or fraction)
    if len(whole) + len(fraction) > _MOST_DIGITS:
        raise QuantityError(WRONG_NUMBER)
    whole = whole or "0"  # a missing number ("m", ".", "+") is zero, except on the long path
    exponent, suffix_format = _suffix(suffix)
    if suffix_format == BINARY:
        if not fraction:
            # The short path has space for 15 digits, less those of the suffix.
            digits_left = 15 - len(whole) - int(exponent * 3 / 10) - 1
            amount = int(whole) << exponent
            if digits_left >= 0:
                kept = exponent % 10 == 0 and int(whole) & 7 != 0
                return _signed(sign, amount * _NANO, suffix_format, text if kept else "")
        return _long(sign, numeric, (int(whole + fraction) << exponent) * _NANO, 10 ** len(fraction), suffix_format)
    digits = whole + fraction
    scale = exponent - len(fraction)
    if len(digits) <= _SHORT_DIGITS and scale >= -9:
        kept = _is_canonical_decimal(digits, scale)
        return _signed(sign, int(digits) * 10 ** (scale + 9), suffix_format, text if kept else "")
    shift = scale + 9
    return _long(sign, numeric, int(digits) * 10 ** max(shift, 0), 10 ** max(-shift, 0), suffix_format)


def _is_canonical_decimal(digits: str, scale: int) -> bool:
    # Upstream's shortcut, looser than its own printing: see the module's first lines.
    return scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _suffix(suffix: str) -> tuple[int, str]:
    if suffix in _DECIMAL_SUFFIXES:
        return _DECIMAL_SUFFIXES[suffix], DECIMAL
    if suffix in _BINARY_SUFFIXES:
        return _BINARY_SUFFIXES[suffix], BINARY
    if suffix[0] in "eE" and regex.fullmatch(r"[+-]?[0-9]+", suffix[1:]):
        if abs(int(suffix[1:])) > _WIDEST_EXPONENT:
            raise QuantityError(WRONG_NUMBER)
        return int(suffix[1:]), EXPONENT
    raise QuantityError(WRONG_SUFFIX)


def _signed(sign: str, nanos: int, suffix_format: str, text: str) -> Quantity:
    return Quantity(-nanos if sign == "-" else nanos, suffix_format, text)


def _long(sign: str, numeric: bool, numerator: int, denominator: int, suffix_format: str) -> Quantity:
    if not numeric:
        raise QuantityError(WRONG_NUMBER)
    nanos = -(-numerator // denominator)
    if suffix_format == BINARY:
        nanos = min(nanos, _MOST)
        if 0 < nanos < _NANO:
            suffix_format = DECIMAL
    return _signed(sign, nanos, suffix_format, "")


def _text(nanos: int, suffix_format: str) -> str:
    known = _texts.get((nanos, suffix_format))
    if known is None:
        if len(_texts) >= _MEMO:
            _texts.clear()
        known = _texts[nanos, suffix_format] = _print(nanos, suffix_format)
    return known


def _print(nanos: int, suffix_format: str) -> str:
    # Quantity.CanonicalizeBytes: small or broken binary amounts print as decimal ones.
    if not nanos:
        return "0"
    if suffix_format == BINARY and nanos % _NANO == 0 and abs(nanos) >= 1024 * _NANO:
        value, exponent = nanos // _NANO, 0
        while value % 1024 == 0:
            value //= 1024
            exponent += 10
        return f"{value}{_BINARY_TEXTS.get(exponent, '')}"
    exponent = -9
    while nanos % 1000 == 0:
        nanos //= 1000
        exponent += 3
    if suffix_format in (DECIMAL, BINARY):
        return f"{nanos}{_DECIMAL_TEXTS.get(exponent, '')}"
    return f"{nanos}e{exponent}" if exponent else str(nanos)
