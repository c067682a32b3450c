"""What can be wrong with items and slices, by code: TJ307 to TJ319, and from TJ351 on."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import error, warning

__all__ = [
    "BROKEN",
    "DUPLICATE",
    "ELASTIC",
    "EMPTY",
    "FOLDER",
    "ITEM",
    "LARGE",
    "LEFT_OUT",
    "MANY",
    "MOVING",
    "NONE",
    "NO_RANGE",
    "NO_TASKS",
    "NO_VOLUME",
    "PATTERN",
    "REFUSED",
    "REPEATED",
    "SCRATCH",
    "SIZE",
    "STRATEGY",
    "TOO_MANY",
    "UNEVEN",
    "UNREADABLE",
    "UNSIZED",
    "UNUSABLE",
    "VIRTUAL",
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
PATTERN = ("TJ353", "bad-pattern")
TOO_MANY = ("TJ354", "too-many-items")
UNEVEN = ("TJ355", "uneven-slices")
UNUSABLE = ("TJ356", "unusable-strategy")
NO_RANGE = ("TJ357", "no-range")
NO_TASKS = ("TJ358", "slices-without-tasks")
VIRTUAL = ("TJ359", "uneven-virtual-slices")
FOLDER = ("TJ360", "slice-folder-unfit")
NO_VOLUME = ("TJ361", "no-volume-per-slice")
SCRATCH = ("TJ362", "scratch-unfit")
MOVING = ("TJ367", "virtual-slices-copied")
REPEATED = ("TJ368", "slice-read-by-each-process")
ELASTIC = ("TJ369", "fixed-slices-of-elastic-run")
