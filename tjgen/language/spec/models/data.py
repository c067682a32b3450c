"""`data`: which items the training reads, and which part of them each node reads."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tjgen.language.spec.models.identity import Absent, Counts
from tjgen.language.spec.models.shape import Alternatives, Count, Quantity, Shape, Subtree, Text, Whole


class Item(Shape):
    """One file or folder of the data."""

    short: ClassVar[tuple[str, ...]] = ("path",)

    path: Counts[Text]
    """Path under the data's folder."""
    size: Counts[Quantity | None] = None
    """Size in bytes, or any quantity; strategies that balance by size need it."""


class Items(Shape):
    """Where the list of items comes from."""

    alternatives: ClassVar[Alternatives] = (("list",), ("glob", "directory"), ("manifest",), ("pattern",), ("count",))
    needed: ClassVar[bool] = True

    listed: Counts[list[Item | Text]] = Field([], alias="list")
    """The items, one by one."""
    glob: Counts[Text | list[Text] | None] = None
    """Patterns of the items, matched in `directory`."""
    directory: Counts[Text | None] = None
    """Local directory that `glob` is matched in."""
    manifest: Counts[Text | None] = None
    """Local file that lists the items."""
    pattern: Counts[Text | list[Text] | None] = None
    """Paths with numbers in braces, such as `train-{00000..01023}.tar`."""
    count: Counts[Annotated[int, Field(ge=1, le=2**53)] | None] = None
    """How many items there are, where they have numbers rather than paths."""


class Slices(Shape):
    """How the items are divided."""

    verbatim: ClassVar[tuple[str, ...]] = ("options",)

    by: Counts[Text] = "contiguous"
    """Strategy: contiguous, round-robin, hash, rendezvous, weighted, explicit, lpt, contiguous-size-balanced, or a plugin's."""
    weights: Counts[list[Whole]] = []
    """Share of each slice, for `weighted`: `[2, 1]` gives the first twice as many items."""
    lists: Counts[list[list[Text]]] = []
    """Items of each slice, as paths or patterns, for `explicit`."""
    options: Counts[Subtree | None] = None
    """What a strategy of a plugin is told."""
    remainder: Counts[Literal["keep", "pad", "drop"]] = "keep"
    """Slices of unequal length: keep them, pad all to the longest by repeating items, or drop what the shortest lacks."""
    over: Counts[Annotated[Literal["nodes", "processes", "tasks"] | None, Absent("nodes")]] = None
    """Who reads alone: a node its slice (the default), each process of the node its part of that slice, or a task."""
    within: Counts[Annotated[Literal["nodes", "processes"] | None, Absent("nodes")]] = None
    """Who divides the slice of a task, when they are over tasks: its nodes (the default), or each process of its nodes."""
    workers: Counts[Count] = 1
    """Workers of each process that divide its part once more, such as those of a DataLoader."""
    count: Counts[Count | None] = None
    """Number of slices; as many as there are readers where it is left out."""
    virtual: Counts[Count | None] = None
    """Number of slices that any number of nodes share, when it changes while the training runs."""
    balance: Counts[Annotated[float, Field(ge=1)] | None] = None
    """How often the mean the largest slice may be, such as 1.1."""
    covering: Counts[bool] = True
    """Whether every item must be in a slice."""
    deliver: Counts[Literal["env", "configMap", "range", "init", "subPath", "volume"]] = "env"
    """How a reader gets its slice: a variable, a mounted list, numbers, a copy, a folder or a volume of its own."""
    mount_path: Counts[Text | None] = None
    """Where the lists are mounted, when they are delivered by configMap or init."""
    scratch: Counts[Text | None] = None
    """Volume that the items are copied to, when they are delivered by init."""
    image: Counts[Text | None] = None
    """Image with sh, cp, find, stat, xargs and awk that copies them; the Platform's helper `shell` where it is left out."""
    folder: Counts[Text | None] = None
    """Folder of each slice below the path of the data, with `$(INDEX)` in it, when they are delivered by subPath."""
    sources: Counts[list[Text]] = []
    """Claim, image or path of each slice, in place of that of the data's volume, when they are delivered by volume."""


class Data(Shape):
    """Items on a volume, and their division."""

    volume: Counts[Text]
    """Volume that holds the data, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume that the items are in."""
    items: Counts[Items | None] = None
    """The items."""
    slices: Counts[Slices | None] = None
    """Which part of the items each reader gets."""
    shared: Counts[bool] = False
    """Whether tasks may read the same items."""
