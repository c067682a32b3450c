"""The use of a new claim in an experiment -> its storage class, its access pattern, and the caches of its readers."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.typing import Any, NamedTuple, Protocol

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


class Profile(NamedTuple):
    """What volumes of one use have in common."""

    storage_class_name: str | None = None
    read_pattern: str | None = None
    cache: Any = None
    """Caches of the pods that mount them, as `prefetch.cache` of an experiment."""


class DescribedProfile(Protocol):
    """A profile as a Platform document describes it."""

    storage_class_name: str | None
    read_pattern: str | None
    cache: Any


def profile(name: str, described: Mapping[str, DescribedProfile]) -> Profile | None:
    """Return the profile of that name, the Platform's over the built-in one; None if neither exists."""
    definition = described.get(name)
    if definition is None:
        return Profile(read_pattern=PATTERNS[name]) if name in PATTERNS else None
    return Profile(definition.storage_class_name, definition.read_pattern or PATTERNS.get(name), definition.cache)
