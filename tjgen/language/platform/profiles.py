"""The use of a new claim in an experiment -> the access pattern of its readers, and what they demand of the volume."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.typing import NamedTuple, Protocol

PATTERNS: Mapping[str, str] = {
    # Large files of images, from the beginning to the end.
    "vision": "sequential",
    # Many small files of text, in any order.
    "text": "random",
    "nlp": "random",
    # Tables that are read as a whole, and rows by their key.
    "recsys": "mixed",
    # One large file at a time, written as it is read.
    "checkpoint": "sequential",
}
"""Profile of every Platform -> how its volumes are read. The Platform sets their class."""
OF_DATA = frozenset(PATTERNS) - {"checkpoint"}
"""The profiles of volumes that hold data for reading."""


class Profile(NamedTuple):
    """What volumes of one use have in common, next to the size and class of their claims (see resolve/claims.py)."""

    read_pattern: str | None = None
    throughput: str | int | float | None = None
    """Bytes per second that a volume must deliver."""
    latency: float | None = None
    """Longest mean duration of a read in milliseconds."""


class DescribedProfile(Protocol):
    """A profile as a Platform document describes it."""

    read_pattern: str | None
    throughput: str | int | float | None
    latency: float | None


def profile(name: str, described: Mapping[str, DescribedProfile]) -> Profile | None:
    """Return the profile of that name, the Platform's over the built-in one; None if neither exists."""
    definition = described.get(name)
    if definition is None:
        return Profile(PATTERNS[name]) if name in PATTERNS else None
    return Profile(definition.read_pattern or PATTERNS.get(name), definition.throughput, definition.latency)
