"""Which texts of an experiment are opaque: they go into objects unchanged, and all of one form have the same effect.

A build compiles one of the runs that differ only in such texts, and replaces the texts for the others
(`tjgen/compiler/building/stamps.py`). Annotate a field only if no pass, check, or schema reads more of its text than whether it
has the form: `image: Annotated[Counts[Text | None], Opaque.IMAGE]`.
"""

from __future__ import annotations

from enum import Enum


class Opaque(Enum):
    """The part of a text that is opaque."""

    TEXT = "text"
    """All of it, if it is short, printable, and without references to variables."""
    LABEL = "label"
    """All of it, if it is the value of a label."""
    IMAGE = "image"
    """The tag."""
    WORDS = "words"
    """Words that are numbers."""
    SIZE = "size"
    """The number before the unit."""
