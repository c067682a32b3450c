"""A data set with `isolate` -> why a mount of its folder alone is not possible."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, render

_MOUNTING_SLICES = ("subPath", "volume")
"""Deliveries of slices that mount the slice alone."""
_SHARED = ("pvc", "nfs", "csi", "hostPath", "image", "dataset")
"""Sources that exist outside the experiment."""


def check(spec: Tree, data: Tree, at: FieldPath) -> Iterator[Diagnostic]:
    """TJ102 without a `path`, and TJ128 where another field needs the rest of the volume, or no mount can show the folder."""
    if "path" not in data:
        hint = "add path: the folder of the volume that the run reads"
        yield Diagnostic("TJ102", f"{render((*at, 'path'))} is missing", path=(*at, "isolate"), hint=hint)
        return
    reason, hint = next(_reasons(spec, data, at), ("", ""))
    if reason:
        message = f'{render((*at[1:], "isolate"))} mounts only a folder of volume "{data["volume"]}", but {reason}'
        yield Diagnostic("TJ128", message, path=(*at, "isolate"), hint=hint)


def _reasons(spec: Tree, data: Tree, at: FieldPath) -> Iterator[tuple[str, str]]:
    """What is in the way, and what to do about it."""
    name, slices = data["volume"], data.get("slices", {})
    volume = spec.get("volumes", {}).get(name, {})
    if all(part in ("", ".") for part in data["path"].split("/")):
        yield f"path {data['path']} is all of it", "set path to a folder of the volume, or remove isolate"
    if slices.get("deliver") in _MOUNTING_SLICES:
        yield f"deliver: {slices['deliver']} mounts the slice alone", "remove isolate"
    if slices.get("over") == "tasks":
        hint = "remove isolate, or use deliver: subPath with a folder for each task"
        yield "tasks divide the items of this folder, so each of them can reach all items", hint
    if volume.get("mounts") or (volume and "mountPath" not in volume):
        yield "its `mounts` show other folders", "mount it at a mountPath alone, or remove isolate"
    if "subPathExpr" in volume:
        yield "the folder of its subPathExpr depends on the pod", "use subPath, or remove isolate"
    if get(volume, ("pvc", "create", "volumeMode"), None) == "Block":
        yield "a raw device (volumeMode Block) has no folders", "remove isolate"
    storage = _storage(volume)
    for other, one in spec.get("volumes", {}).items() if storage is not None else ():
        if other != name and _storage(one) == storage and _shows_all(one):
            yield f'volume "{other}" shows all of it', f"remove volume {other}, or isolate"
    for field in _other_users(spec, name, at):
        yield f"{field} uses this volume too", f"set another volume in {field}, or remove isolate"


def _storage(volume: Tree) -> tuple[str, Tree] | None:
    """The storage that other volumes can also show; None if it belongs to this volume."""
    for field in _SHARED:
        value = volume.get(field)
        if value is not None and "create" not in value:
            return field, value.get("claimName", value)
    return None


def _shows_all(volume: Tree) -> bool:
    """Whether one of the mounts of a volume shows it from its root."""
    mounts = [*([volume] if "mountPath" in volume else []), *(volume.get("mounts") or {}).values()]
    return any("subPath" not in one and "subPathExpr" not in one for one in mounts)


def _other_users(spec: Tree, name: str, at: FieldPath) -> Iterator[str]:
    """The other fields that name the volume, whose folders the pods would not mount."""
    users: tuple[FieldPath, ...] = (("checkpoints",), ("initializer",), ("code", "workspace"))
    yield from (render(user) for user in users if get(spec, (*user, "volume"), None) == name)
    for section in ("data", "prefetch"):
        value = spec.get(section) or {}
        named = {f"{section}.sets.{key}": one for key, one in (value.get("sets") or {}).items()}
        for field, one in (named or {section: value}).items():
            if field != render(at[1:]) and one.get("volume") == name:
                yield field
            if get(one, ("slices", "scratch"), None) == name:
                yield f"{field}.slices.scratch"
