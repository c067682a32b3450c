"""`data`: the items that the run reads, and the part of them that each node reads."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field

from tjgen.language.spec.models.identity import Absent, Counts, Present
from tjgen.language.spec.models.shape import Alternatives, Count, Quantity, Shape, Subtree, Text, Whole


class Item(Shape):
    """One file or folder of the data."""

    short: ClassVar[tuple[str, ...]] = ("path",)

    path: Counts[Text]
    """Path under the data's folder."""
    size: Counts[Quantity | None] = None
    """Size in bytes, or any quantity; strategies that balance by size need it."""


class Items(Shape):
    """Source of the list of items."""

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
    """Number of items, if they have numbers instead of paths."""


class Slices(Shape):
    """How to divide the items."""

    verbatim: ClassVar[tuple[str, ...]] = ("options",)

    by: Counts[Text] = "contiguous"
    """Strategy: contiguous, round-robin, hash, rendezvous, weighted, explicit, lpt, contiguous-size-balanced, or a plugin's."""
    weights: Counts[list[Whole]] = []
    """Share of each slice, for `weighted`: `[2, 1]` gives the first twice as many items."""
    lists: Counts[list[list[Text]]] = []
    """Items of each slice, as paths or patterns, for `explicit`."""
    options: Counts[Subtree | None] = None
    """Options of a plugin's strategy."""
    remainder: Counts[Literal["keep", "pad", "drop"]] = "keep"
    """Slices of unequal length: keep them, pad all to the longest by repeating items, or drop what the shortest lacks."""
    over: Counts[Annotated[Literal["nodes", "processes", "tasks"] | None, Absent("nodes")]] = None
    """The reader of a slice: a node (the default), each process of the node, or a task."""
    within: Counts[Annotated[Literal["nodes", "processes"] | None, Absent("nodes")]] = None
    """How a task's slice is divided: among its nodes (the default), or among the processes of its nodes."""
    workers: Counts[Count] = 1
    """Workers of each process that divide its part again, such as those of a DataLoader."""
    count: Counts[Count | None] = None
    """Number of slices. The default is the number of readers."""
    virtual: Counts[Count | None] = None
    """Number of slices for a run whose number of nodes changes."""
    balance: Counts[Annotated[float, Field(ge=1)] | None] = None
    """Largest slice as a multiple of the mean, such as 1.1."""
    covering: Counts[bool] = True
    """Whether every item must be in a slice."""
    deliver: Counts[Literal["env", "configMap", "range", "init", "subPath", "volume"]] = "env"
    """How a reader gets its slice: a variable, a mounted list, numbers, a copy, a folder or a volume of its own."""
    mount_path: Counts[Text | None] = None
    """Where to mount the lists, for the deliveries configMap and init."""
    scratch: Counts[Text | None] = None
    """Volume to which the items are copied, for the delivery init."""
    image: Counts[Text | None] = None
    """Image with sh, cp, find, stat, xargs and awk that copies them. The default is the Platform's helper `shell`."""
    folder: Counts[Text | None] = None
    """Folder of each slice below the path of the data, with `$(INDEX)`, for the delivery subPath."""
    sources: Counts[list[Text]] = []
    """Claim, image or path of each slice, for the delivery volume; numbers in braces expand, as in `corpus-{0..7}`.
    For a claim to create, the PersistentVolume of each slice."""
    nodes: Counts[list[Text]] = []
    """Node of each slice, for the delivery volume with `hostPath`: values of the label `kubernetes.io/hostname`."""


class DataSet(Shape):
    """Items on a volume, and their division."""

    model_config = ConfigDict(json_schema_extra={"required": ["volume"]})

    volume: Counts[Text | None] = None
    """Volume that holds the data, by its name in `volumes`."""
    path: Counts[Text | None] = None
    """Folder of the volume that contains the items."""
    items: Counts[Items | None] = None
    """The items."""
    slices: Present[Slices | None] = None
    """The part of the items that each reader gets."""
    shared: Counts[bool] = False
    """Whether tasks, or other data sets of the run, can read the same items."""
    isolate: Counts[bool] = False
    """Whether the pods mount only the folder `path` of the volume, so that the other folders cannot be reached."""


class Data(DataSet):
    """One data set, or several data sets that have names."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["volume"]}, {"required": ["sets"]}]})

    alternatives: ClassVar[Alternatives] = (("volume", "path", "items", "shared", "isolate"), ("sets",))

    sets: Counts[dict[str, DataSet]] = {}
    """Data sets by name, such as `train` and `validation`. The variables of a set end with its name."""
    reader: Counts[Literal["v1"] | None] = None
    """Version of the module `tjgen_data` to add to the pods, with which the program reads its items."""
