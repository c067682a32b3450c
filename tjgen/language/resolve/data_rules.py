"""`data` of a valid merged experiment -> conflicts between its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.language.resolve.named_sets import name_problem
from tjgen.language.resolve.volume_paths import leads_out, within
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, render
from tjgen.trees.k8s.nearest import nearest

DATA: FieldPath = ("spec", "data")
_OPTIONS_OF = {"weights": "weighted", "lists": "explicit"}
_DELIVERIES_OF: Mapping[str, tuple[str, ...]] = {
    "mountPath": ("configMap", "init"),
    "scratch": ("init",),
    "image": ("init",),
    "folder": ("subPath",),
    "sources": ("volume",),
    "nodes": ("volume",),
}
"""Field of slices -> the deliveries that read it."""
_PLURALS = ("sources", "nodes")
_UNDIVIDED = ("subPath", "volume")
"""Deliveries of slices that exist already: nothing is divided."""
_DIVIDING = ("by", "weights", "lists", "options", "remainder", "workers", "virtual", "balance", "covering")
_LISTS = "/etc/tjgen/slices"
"""Folder of the lists of slices, unless `mountPath` sets it; lists of a data set with a name are in its subfolder."""
_WHOLE = ("contiguous", "contiguous-size-balanced", "hash", "lpt", "rendezvous", "round-robin", "weighted")
"""Strategies that have every item in a slice."""


def check(spec: Tree) -> Iterator[Diagnostic]:
    """Every rule over `data` in long form."""
    data = spec["data"]
    sets = data.get("sets")
    if not sets:
        yield from _data_set(spec, data, DATA)
        return
    if "slices" in data:  # not among the alternatives of the model: there, `slices: {}` would rename runs
        message = "spec.data has sets and slices, which are mutually exclusive"
        yield Diagnostic("TJ121", message, path=(*DATA, "slices"), hint="set slices in each of sets")
    lists: dict[str, str] = {}
    for name, one in sets.items():
        at = (*DATA, "sets", name)
        yield from name_problem(name, at)
        yield from _data_set(spec, one, at)
        slices = one.get("slices", {})
        if slices.get("deliver") in _DELIVERIES_OF["mountPath"]:
            folder = slices.get("mountPath", f"{_LISTS}/{name}").rstrip("/")
            other = lists.setdefault(folder, name)
            if other != name:
                message = f'the lists of data sets "{other}" and "{name}" are both mounted at {folder}'
                hint = f"remove mountPath, or write mountPath: {folder}/{name}"
                yield Diagnostic("TJ158", message, path=(*at, "slices", "mountPath"), hint=hint)


def _data_set(spec: Tree, data: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    """Every rule over one data set, whose path is `at`."""
    if "volume" not in data:
        yield Diagnostic(
            "TJ102",
            f"{render((*at, 'volume'))} is missing",
            path=at,
            hint="add volume: NAME, with the name of an entry of volumes",
        )
        return
    yield from _volume(spec, data["volume"], (*at, "volume"))
    if "path" in data and leads_out(data["path"]):
        yield _outside(data["path"], spec.get("volumes", {}).get(data["volume"], {}), (*at, "path"))
    if data.get("isolate"):
        from tjgen.language.resolve import isolation_rules  # few data sets are isolated

        yield from isolation_rules.check(spec, data, at)
    slices = data.get("slices")
    if slices is None:
        yield from _undivided(data, at)
        return
    deliver = slices.get("deliver", "env")
    yield from _items(data, deliver, at)
    yield from _options(slices, at)
    yield from _idle(slices, deliver, at)
    if deliver == "init":
        yield from _scratch(spec, data, at)
    if "folder" in slices:
        yield from _folder(slices["folder"], (*at, "slices", "folder"))


def _undivided(data: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    """TJ792: items that no field delivers to the program."""
    if "items" in data:
        message = (
            f"{_label(at)} has items but no slices: the program does not get the list, and each process sees the whole folder"
        )
        hint = "add slices, such as {over: processes} or {over: nodes}, or remove items"
        yield Diagnostic("TJ792", message, path=(*at, "items"), hint=hint)


def _label(at: FieldPath) -> str:
    """The data set in a message: `data`, or `data.sets.NAME`."""
    return render(at[1:])


def _volume(spec: Tree, name: str, at: FieldPath) -> Iterator[Diagnostic]:
    volumes = list(spec.get("volumes", {}))
    if name not in volumes:
        near = nearest(name, volumes)
        hint = f'did you mean "{near}"?' if near else "add it to volumes"
        yield Diagnostic("TJ126", f'there is no volume "{name}"', path=at, hint=hint)


def _outside(path: str, volume: Tree, at: FieldPath) -> Diagnostic:
    """TJ327 for a folder of the data that is not written from the root of its volume."""
    mount = volume.get("mountPath") or next(iter(volume.get("mounts", {})), None)
    hint = within(path, mount)
    if ".." in path.split("/") or f"{path}/".startswith(f"{mount}/"):
        return Diagnostic("TJ327", f"{render(at[1:])} {path} points outside the volume", path=at, hint=hint)
    message = f"{render(at[1:])} {path} begins with /, but it is a folder of the volume, not of the container"
    return Diagnostic("TJ327", message, path=at, hint=hint, severity=WARNING)


def _items(data: Tree, deliver: str, at: FieldPath) -> Iterator[Diagnostic]:
    if deliver not in _UNDIVIDED:
        if "items" not in data:
            hint = "add items: a list, a glob or a manifest"
            yield Diagnostic("TJ127", f"{_label(at)}.slices has no items to divide", path=(*at, "slices"), hint=hint)
        return
    idle = [((*at, "items"), f"{_label(at)}.items")] if "items" in data else []
    idle += [((*at, "slices", field), f"{_label(at)}.slices.{field}") for field in _DIVIDING if field in data["slices"]]
    for path, field in idle:
        message = f"{field} is for slices of items, but deliver: {deliver} uses existing slices"
        yield _unread(path, message, f"remove {field}, or use another delivery")


def _options(slices: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    by, field_at = slices.get("by", "contiguous"), (*at, "slices")
    for field, needed in _OPTIONS_OF.items():
        if field in slices and by != needed:
            message = f"{_label(at)}.slices has {field}, which only strategy {needed} uses, but its strategy is {by}"
            yield _unread((*field_at, field), message, f"remove {field}, or set by: {needed}")
    if slices.get("covering") is False and by in _WHOLE:
        message = f"{_label(at)}.slices has covering: false, but {by} always includes every item"
        yield _unread((*field_at, "covering"), message, "remove covering, or set by: explicit")
    if "virtual" in slices and "count" in slices:
        message = f"{_label(at)}.slices has virtual and count, which are mutually exclusive"
        hint = "keep one of them"
        yield Diagnostic("TJ121", message, path=(*field_at, "count"), hint=hint)
    if "within" in slices and slices.get("over", "nodes") != "tasks":
        message = f"{_label(at)}.slices.within applies to slices over tasks, but these are over {slices.get('over', 'nodes')}"
        yield _unread((*field_at, "within"), message, "remove within, or set over: tasks")


def _idle(slices: Tree, deliver: str, at: FieldPath) -> Iterator[Diagnostic]:
    for field, readers in _DELIVERIES_OF.items():
        if field in slices and deliver not in readers:
            way = "delivered as variables" if deliver in ("env", "range") else f"delivered by {deliver}"
            article = "an" if field[0] in "aeiou" else "" if field in _PLURALS else "a"
            message = f"{_label(at)}.slices has {article} {field}, but its slices are {way}".replace("  ", " ")
            yield _unread((*at, "slices", field), message, f"remove {field}, or set deliver: {readers[0]}")


def _scratch(spec: Tree, data: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    slices = data["slices"]
    if "scratch" not in slices:
        message = "slices that are copied need a volume for the copies"
        hint = "add scratch: the name of a volume that is an emptyDir or ephemeral"
        yield Diagnostic("TJ362", message, path=(*at, "slices", "deliver"), hint=hint)
        return
    yield from _volume(spec, slices["scratch"], (*at, "slices", "scratch"))
    if slices["scratch"] == data["volume"]:
        message = f'volume "{slices["scratch"]}" holds the data, so the data cannot be copied to it'
        hint = "add an emptyDir or ephemeral volume for the copies"
        yield Diagnostic("TJ362", message, path=(*at, "slices", "scratch"), hint=hint)


def _folder(folder: str, at: FieldPath) -> Iterator[Diagnostic]:
    fault = "is the same for all slices" if "$(INDEX)" not in folder else ""
    fault = "is absolute" if folder.startswith("/") else fault
    fault = "points outside the data" if ".." in folder.split("/") else fault
    if fault:
        hint = "write it below the path of the data, with $(INDEX) for the number of the slice"
        message = f'the folder "{folder}" {fault}'
        yield Diagnostic("TJ360", message, path=at, hint=hint)


def _unread(path: FieldPath, message: str, hint: str) -> Diagnostic:
    return Diagnostic("TJ128", message, path=path, hint=hint)
