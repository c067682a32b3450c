"""The word that an experiment says of a new claim -> its storage class, how training reads it, and the caches of its readers."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.trees.typing import Any, NamedTuple, Protocol

PATTERNS: Mapping[str, str] = {
    # Many files of some hundred kilobytes, shuffled anew in each epoch.
    "vision": "random",
    # Few large files, from the beginning to the end.
    "text": "sequential",
    # Rows of tables, by key.
    "recsys": "random",
    # One large file at a time, written as it is read.
    "checkpoint": "sequential",
}
"""Profile that every Platform has -> how its volumes are read. Which class they get is the Platform's to say."""


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
    """The profile of that name, what the Platform describes over what tjgen knows; None where neither knows it."""
    definition = described.get(name)
    if definition is None:
        return Profile(read_pattern=PATTERNS[name]) if name in PATTERNS else None
    return Profile(definition.storage_class_name, definition.read_pattern or PATTERNS.get(name), definition.cache)
