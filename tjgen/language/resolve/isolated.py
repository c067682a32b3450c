"""A checked run with `data.isolate` -> the same with a mount of that folder alone: `mountPath` and `subPath` of the volume.

The folder stays at its path in the container, so programs need no change. The rest of the
compiler sees a mount as an author could have written it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import FieldPath, Tree

_DATA: FieldPath = ("spec", "data")


def isolated(tree: Managed) -> Managed:
    """The run, in which the data sets that set `isolate` have no `path` any more: it is part of the mount."""
    spec = tree.value["spec"]
    volumes, owners = dict(spec["volumes"]), dict(tree.owners)
    data = spec["data"]
    for at, one in list(_sections(data)):
        name, folder = one["volume"], one["path"].strip("/")
        volume = volumes[name]
        below = volume.get("subPath", "").strip("/")
        volumes[name] = {
            **volume,
            "mountPath": f"{volume['mountPath'].rstrip('/')}/{folder}",
            "subPath": f"{below}/{folder}" if below else folder,
        }
        mounted: FieldPath = ("spec", "volumes", name)
        owners[(*mounted, "mountPath")] = (*_at(tree, (*mounted, "mountPath")), *_at(tree, (*at, "path")))
        owners[(*mounted, "subPath")] = _at(tree, (*at, "isolate"))
        owners.pop((*at, "path"), None)
        data = _without(data, at)
    return Managed({**tree.value, "spec": {**spec, "volumes": volumes, "data": data}}, owners)


def isolates(data: Tree) -> bool:
    """Whether `data` in long form has a data set with a mount of its folder alone."""
    return bool(data) and any(True for _ in _sections(data))


def _sections(data: Tree) -> Iterator[tuple[FieldPath, Tree]]:
    sets: Mapping[str, Tree] = data.get("sets") or {}
    named: Iterator[tuple[FieldPath, Tree]] = (((*_DATA, "sets", name), one) for name, one in sets.items())
    yield from ((at, one) for at, one in (named if sets else [(_DATA, data)]) if one.get("isolate"))


def _without(data: Tree, at: FieldPath) -> Tree:
    """`data` without the path of one data set."""
    if at == _DATA:
        return {field: value for field, value in data.items() if field != "path"}
    name = at[-1]
    own = {field: value for field, value in data["sets"][name].items() if field != "path"}
    return {**data, "sets": {**data["sets"], name: own}}


def _at(tree: Managed, path: FieldPath) -> tuple[Origin, ...]:
    return tuple([one._replace(mirrors=False) for one in tree.origins(path)])
