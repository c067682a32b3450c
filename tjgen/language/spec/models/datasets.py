"""Data sets of Fluid."""

from __future__ import annotations

from typing import ClassVar, Literal

from tjgen.language.spec.models.identity import Counts, Excluded
from tjgen.language.spec.models.shape import Alternatives, Count, Quantity, Shape, Text


class SecretKey(Shape):
    """One key of a Secret."""

    secret: Counts[Text]
    """Name of the Secret."""
    key: Counts[Text]
    """Key in it."""


class DatasetMount(Shape):
    """A source of a Fluid data set, and its folder in the data set."""

    short: ClassVar[tuple[str, ...]] = ("mountPoint",)

    mount_point: Counts[Text]
    """Where the data is, such as `s3://bucket/folder` or `pvc://claim/folder`."""
    path: Counts[Text | None] = None
    """Folder of the data set for this source. The default is the name of the source."""
    options: Counts[dict[str, str]] = {}
    """Options of the cache engine for the store."""
    secrets: Counts[dict[str, SecretKey]] = {}
    """Options whose values are in a Secret, such as credentials."""


class CacheLevel(Shape):
    """A medium of a cache, and its size on each worker."""

    quota: Excluded[Quantity]
    """Storage of each worker."""
    medium: Excluded[Literal["MEM", "SSD", "HDD"]] = "MEM"
    """Medium of the cached data."""
    path: Excluded[Text | None] = None
    """Folder of the node for the cached data."""


class NewDataset(Shape):
    """A Fluid data set that tjgen creates, with the cache engine of the Platform."""

    alternatives: ClassVar[Alternatives] = (("quota", "medium", "path"), ("levels",))

    mounts: Counts[dict[str, DatasetMount | Text]]
    """Sources of the data set, by a name of your choice."""
    quota: Excluded[Quantity | None] = None
    """Storage of each worker of the cache."""
    medium: Excluded[Literal["MEM", "SSD", "HDD"]] = "MEM"
    """Medium of the cached data."""
    path: Excluded[Text | None] = None
    """Folder of the node for the cached data."""
    levels: Excluded[list[CacheLevel]] = []
    """Several media instead of one, the fastest first. Data moves to the next level when one is full."""
    replicas: Excluded[Count] = 1
    """Workers of the cache."""
    scope: Counts[Literal["family", "project"]] = "family"
    """Who shares the data set: all runs of the experiment, or all experiments of the project."""


class Dataset(Shape):
    """A data set of Fluid: one that exists, or one to create."""

    short: ClassVar[tuple[str, ...]] = ("name",)
    alternatives: ClassVar[Alternatives] = (("name",), ("create",))
    needed: ClassVar[bool] = True

    name: Counts[Text | None] = None
    """Name of a data set that exists."""
    create: Counts[NewDataset | None] = None
    """Data set to create."""
