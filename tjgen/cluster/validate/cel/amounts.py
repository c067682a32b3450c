"""Quantities in rules.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/library/quantity.go` over k8s.io/apimachinery `api/resource`.
"""

from __future__ import annotations

import re

from tjgen.cluster.validate.cel.values import CelError, overload
from tjgen.trees.k8s import quantity as quantities
from tjgen.trees.typing import Any

_WRITTEN = re.compile(r"[-+]?[0-9]*(?:\.([0-9]*))?(?:([numkMGTPE])|[eE]([-+]?[0-9]+)|([KMGTPE]i))?\Z")
_POWERS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


class Amount(int):
    """A quantity in billionths. `is_whole` is true if the server stores it without a fraction: 2000m is not."""

    is_whole = True


def quantity(text: Any) -> Amount:
    """`quantity(text)`."""
    _text(text)
    try:
        amount = Amount(quantities.parse(text).nanos)
    except ValueError as problem:
        raise CelError(str(problem)) from None
    amount.is_whole = _is_stored_exactly(text.strip())
    return amount


def is_quantity(text: Any) -> bool:
    """`isQuantity(text)`."""
    _text(text)
    try:
        quantities.parse(text)
    except ValueError:
        return False
    return True


def compared(left: Any, right: Any) -> int:
    """`left.compareTo(right)`."""
    _of(left, right)
    return (int(left) > int(right)) - (int(left) < int(right))


def added(left: Any, right: Any) -> Amount:
    """`left.add(right)`, an amount or a whole number."""
    return _moved(left, right, 1)


def subtracted(left: Any, right: Any) -> Amount:
    """`left.sub(right)`."""
    return _moved(left, right, -1)


def _moved(left: Any, right: Any, by: int) -> Amount:
    other = Amount(right * 10**9) if right.__class__ is int else right
    _of(left, other)
    total = Amount(int(left) + by * int(other))
    total.is_whole = left.is_whole and getattr(right, "is_whole", True)
    return total


def as_integer(value: Any) -> int:
    """`value.asInteger()`."""
    _of(value)
    if not value.is_whole:
        raise CelError("cannot convert value to integer")
    return int(value) // 10**9


def is_integer(value: Any) -> bool:
    """`value.isInteger()`."""
    _of(value)
    return bool(value.is_whole)


def sign(value: Any) -> int:
    """`sign(value)`."""
    _of(value)
    return int(value > 0) - int(value < 0)


def approximate(value: Any) -> float:
    """`value.asApproximateFloat()`."""
    _of(value)
    return int(value) / 10**9


def _is_stored_exactly(text: str) -> bool:
    """Whether the server's type holds a quantity without digits behind the point: it does not shorten them."""
    written = _WRITTEN.match(text)
    if written is None:
        return False
    decimals = len(written[1] or "")
    if written[4]:
        return decimals == 0
    return int(written[3] or _POWERS.get(written[2] or "", 0)) >= decimals


def _of(*values: Any) -> None:
    if any(value.__class__ is not Amount for value in values):
        raise overload()


def _text(value: Any) -> None:
    if value.__class__ is not str:
        raise overload()
