"""What can be wrong with items and slices, by code: TJ307 to TJ319."""

from __future__ import annotations

from tjgen.diagnostics.model import error, warning

__all__ = [
    "BROKEN",
    "DUPLICATE",
    "EMPTY",
    "ITEM",
    "LARGE",
    "LEFT_OUT",
    "MANY",
    "NONE",
    "REFUSED",
    "SIZE",
    "STRATEGY",
    "UNREADABLE",
    "UNSIZED",
    "error",
    "warning",
]

REFUSED = ("TJ307", "slices-refused")
LEFT_OUT = ("TJ308", "items-left-out")
MANY = ("TJ309", "too-many-slices")
UNREADABLE = ("TJ310", "items-unreadable")
ITEM = ("TJ311", "bad-item")
DUPLICATE = ("TJ312", "duplicate-item")
SIZE = ("TJ313", "bad-size")
UNSIZED = ("TJ314", "missing-size")
NONE = ("TJ315", "no-items")
STRATEGY = ("TJ316", "unknown-strategy")
BROKEN = ("TJ317", "broken-slices")
EMPTY = ("TJ318", "empty-slice")
LARGE = ("TJ319", "slices-too-large")
