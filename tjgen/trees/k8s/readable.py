"""Quantity -> text for people: cores instead of thousandths, and Gi instead of a long number of smaller units."""

from __future__ import annotations

from tjgen.trees.k8s.quantity import BINARY, DECIMAL, Quantity

_NANO = 10**9
_GI = 2**30
_SMALL = ("Ki", "Mi")


def readable(amount: Quantity) -> str:
    """The text of an amount: `61.5` for 61500m, `97.7Gi` for 100000Mi. Less than 1 or 1Gi is as the API server prints it."""
    text = str(amount)
    if amount.format == DECIMAL and text.endswith("m") and amount.nanos >= _NANO:
        return f"{amount.nanos / _NANO:.3f}".rstrip("0")
    if amount.format == BINARY and amount.nanos >= _GI * _NANO and (text.endswith(_SMALL) or text.isdigit()):
        return f"{amount.nanos / _NANO / _GI:.1f}".removesuffix(".0") + "Gi"
    return text
