"""The types of CEL that Python does not have: each is a subclass of a plain one, with the same value."""

from __future__ import annotations


class Unsigned(int):
    """A `uint`."""


class Duration(int):
    """A `duration`, in nanoseconds."""


class Timestamp(int):
    """A `timestamp`, in nanoseconds since 1970."""


class Type(str):
    """A type as a value, by its name."""
