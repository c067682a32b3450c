"""`data`: which items the training reads, and which part of them each node reads."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from tjgen.spec.models.shape import Alternatives, Count, Quantity, Shape, Subtree, Text, Whole


class Item(Shape):
    """One file or folder of the data."""

    short: ClassVar[tuple[str, ...]] = ("path",)

    path: Text
    """Path under the data's folder."""
    size: Quantity | None = None
    """Size in bytes, or any quantity; strategies that balance by size need it."""


class Items(Shape):
    """Where the list of items comes from."""

    alternatives: ClassVar[Alternatives] = (("list",), ("glob", "directory"), ("manifest",))
    needed: ClassVar[bool] = True

    listed: list[Item | Text] = Field([], alias="list")
    """The items, one by one."""
    glob: Text | list[Text] | None = None
    """Patterns of the items, matched in `directory`."""
    directory: Text | None = None
    """Local directory that `glob` is matched in."""
    manifest: Text | None = None
    """Local file that lists the items."""


class Slices(Shape):
    """How the items are divided."""

    verbatim: ClassVar[tuple[str, ...]] = ("options",)

    by: Text = "contiguous"
    """Strategy: contiguous, round-robin, hash, rendezvous, weighted, explicit, lpt, contiguous-size-balanced, or a plugin's."""
    weights: list[Whole] = []
    """Share of each slice, for `weighted`: `[2, 1]` gives the first twice as many items."""
    lists: list[list[Text]] = []
    """Items of each slice, as paths or patterns, for `explicit`."""
    options: Subtree | None = None
    """What a strategy of a plugin is told."""
    remainder: Literal["keep", "pad", "drop"] = "keep"
    """Slices of unequal length: keep them, pad all to the longest by repeating items, or drop what the shortest lacks."""
    over: Literal["nodes", "processes"] = "nodes"
    """Who reads alone: a node its slice, or each process of the node its part of that slice."""
    count: Count | None = None
    """Number of slices; as many as there are readers where it is left out."""
    deliver: Literal["env", "configMap"] = "env"
    """How a reader learns its slice: variables with the range, or a mounted list of its items."""
    mount_path: Text | None = None
    """Where the lists are mounted when they are delivered by configMap."""


class Data(Shape):
    """Items on a volume, and their division."""

    volume: Text
    """Volume that holds the data, by its name in `volumes`."""
    path: Text | None = None
    """Folder of the volume that the items are in."""
    items: Items | None = None
    """The items."""
    slices: Slices | None = None
    """Which part of the items each reader gets."""
