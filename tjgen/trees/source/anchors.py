"""The anchors of a document -> the values that their aliases repeat, and their size."""

from __future__ import annotations

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any, NamedTuple


class Anchor(NamedTuple):
    """The content of an alias: a value, its number of values, its number of levels."""

    value: Tree
    values: int
    levels: int
    event: Any
    """The event that completed the value; None while it is still open."""


class AnchorGrowth(NamedTuple):
    """What was known when an anchored container opened."""

    anchor: str
    values: int
    deepest: int
