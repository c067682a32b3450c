"""`data` of a valid merged experiment -> conflicts between its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.nearest import nearest

DATA: FieldPath = ("spec", "data")
SLICES: FieldPath = (*DATA, "slices")
_OPTIONS_OF = {"weights": "weighted", "lists": "explicit"}
_DELIVERIES_OF: Mapping[str, tuple[str, ...]] = {
    "mountPath": ("configMap", "init"),
    "scratch": ("init",),
    "image": ("init",),
    "folder": ("subPath",),
    "sources": ("volume",),
}
"""Field of slices -> the deliveries that read it."""
_UNDIVIDED = ("subPath", "volume")
"""Deliveries of slices that exist already: nothing is divided."""
_DIVIDING = ("by", "weights", "lists", "options", "remainder", "workers", "virtual", "balance", "covering")
_WHOLE = ("contiguous", "contiguous-size-balanced", "hash", "lpt", "rendezvous", "round-robin", "weighted")
"""Strategies that have every item in a slice."""


def check(spec: Tree) -> Iterator[Diagnostic]:
    """Every rule over `data` in long form."""
    data = spec["data"]
    yield from _volume(spec, data["volume"], (*DATA, "volume"))
    slices = data.get("slices")
    if slices is None:
        return
    deliver = slices.get("deliver", "env")
    yield from _items(data, deliver)
    yield from _options(slices)
    yield from _idle(slices, deliver)
    if deliver == "init":
        yield from _scratch(spec, slices)
    if "folder" in slices:
        yield from _folder(slices["folder"])


def _volume(spec: Tree, name: str, at: FieldPath) -> Iterator[Diagnostic]:
    volumes = list(spec.get("volumes", {}))
    if name not in volumes:
        near = nearest(name, volumes)
        hint = f'did you mean "{near}"?' if near else "add it to volumes"
        yield Diagnostic("TJ126", f'there is no volume "{name}"', path=at, hint=hint)


def _items(data: Tree, deliver: str) -> Iterator[Diagnostic]:
    if deliver not in _UNDIVIDED:
        if "items" not in data:
            hint = "add items: a list, a glob or a manifest"
            yield Diagnostic("TJ127", "data.slices has no items to divide", path=SLICES, hint=hint)
        return
    idle = [((*DATA, "items"), "data.items")] if "items" in data else []
    idle += [((*SLICES, field), f"data.slices.{field}") for field in _DIVIDING if field in data["slices"]]
    for path, field in idle:
        message = f"{field} is for slices of items, but deliver: {deliver} uses slices that exist"
        yield _unread(path, message, f"remove {field}, or use another delivery")


def _options(slices: Tree) -> Iterator[Diagnostic]:
    by = slices.get("by", "contiguous")
    for field, needed in _OPTIONS_OF.items():
        if field in slices and by != needed:
            message = f"data.slices has {field}, which {needed} reads, but its strategy is {by}"
            yield _unread((*SLICES, field), message, f"remove {field}, or set by: {needed}")
    if slices.get("covering") is False and by in _WHOLE:
        message = f"data.slices need not be covering, but {by} leaves no item out"
        yield _unread((*SLICES, "covering"), message, "remove covering, or set by: explicit")
    if "virtual" in slices and "count" in slices:
        message = "data.slices has virtual and count, which exclude each other"
        hint = "keep one of them"
        yield Diagnostic("TJ121", message, path=(*SLICES, "count"), hint=hint)
    if "within" in slices and slices.get("over", "nodes") != "tasks":
        message = f"data.slices.within is about slices of tasks, but they are over {slices.get('over', 'nodes')}"
        yield _unread((*SLICES, "within"), message, "remove within, or set over: tasks")


def _idle(slices: Tree, deliver: str) -> Iterator[Diagnostic]:
    for field, readers in _DELIVERIES_OF.items():
        if field in slices and deliver not in readers:
            way = "delivered as variables" if deliver in ("env", "range") else f"delivered by {deliver}"
            article = "an" if field[0] in "aeiou" else "" if field == "sources" else "a"
            message = f"data.slices has {article} {field}, but its slices are {way}".replace("  ", " ")
            yield _unread((*SLICES, field), message, f"remove {field}, or set deliver: {readers[0]}")


def _scratch(spec: Tree, slices: Tree) -> Iterator[Diagnostic]:
    if "scratch" not in slices:
        message = "slices that are copied need a volume to be copied to"
        hint = "add scratch: the name of a volume that is an emptyDir or ephemeral"
        yield Diagnostic("TJ362", message, path=(*SLICES, "deliver"), hint=hint)
        return
    yield from _volume(spec, slices["scratch"], (*SLICES, "scratch"))
    if slices["scratch"] == spec["data"]["volume"]:
        message = f'volume "{slices["scratch"]}" holds the data, and cannot be what the data is copied to'
        hint = "add an emptyDir or ephemeral volume for the copies"
        yield Diagnostic("TJ362", message, path=(*SLICES, "scratch"), hint=hint)


def _folder(folder: str) -> Iterator[Diagnostic]:
    fault = "is the same for all slices" if "$(INDEX)" not in folder else ""
    fault = "is absolute" if folder.startswith("/") else fault
    fault = "leads out of the data" if ".." in folder.split("/") else fault
    if fault:
        hint = "write it below the path of the data, with $(INDEX) for the number of the slice"
        message = f'the folder "{folder}" {fault}'
        yield Diagnostic("TJ360", message, path=(*SLICES, "folder"), hint=hint)


def _unread(path: FieldPath, message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ128", message, path=path, hint=hint)
