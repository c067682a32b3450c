"""The types of CEL that Python does not have: each is a subclass of a plain one, with the same value."""

from __future__ import annotations


class Unsigned(int):
    """A `uint`."""


class Duration(int):
    """A `duration`, in nanoseconds."""


class Timestamp(int):
    """A `timestamp`, in nanoseconds since 1970."""

    offset: int = 0
    """Seconds that its time zone is ahead of UTC."""

    @classmethod
    def at(cls, value: int, offset: int) -> Timestamp:
        """Return the timestamp of a time zone."""
        timestamp = cls(value)
        timestamp.offset = offset
        return timestamp


class Type(str):
    """A type as a value, by its name."""


GO_TYPES: dict[type, str] = {
    Duration: "types.Duration",
    Timestamp: "types.Timestamp",
    Type: "*types.Type",
    Unsigned: "types.Uint",
    bool: "types.Bool",
    bytes: "types.Bytes",
    float: "types.Double",
    int: "types.Int",
    str: "types.String",
    type(None): "types.Null",
}
"""The types of cel-go that the words of an error name."""
