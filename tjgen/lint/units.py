"""The Applications and Kustomizations among the items -> for each item the one that syncs its file.

The path of such an object is relative to a repository that nobody has to be in, so it is looked for in the path of the
file. Where several fit, the longest does. Files that no such object names keep the unit that they were read with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.lint.kinds import APPLICATION, KUSTOMIZATION
from tjgen.lint.rule import ARGOCD, FLUX
from tjgen.lint.scene import Item
from tjgen.typing import NamedTuple


class Unit(NamedTuple):
    """A folder that a tool syncs as one."""

    tool: str
    name: str
    parts: tuple[str, ...]


def assigned(items: Sequence[Item]) -> list[Item]:
    """The items, each with the unit of its file."""
    units = sorted(_units(items), key=lambda unit: len(unit.parts), reverse=True)
    if not units:
        return list(items)
    known: dict[str, dict[str, str]] = {}
    for item in items:
        if item.file not in known:
            known[item.file] = _of(item.file, units)
    return [_with_units(item, {**item.units, **known[item.file]}) for item in items]


def _units(items: Sequence[Item]) -> Iterator[Unit]:
    for item in items:
        if item.kind == KUSTOMIZATION:
            paths = [item.get("spec", "path", default="")]
        elif item.kind == APPLICATION:
            sources = [item.map("spec", "source"), *(source for _, source in item.maps("spec", "sources"))]
            paths = [source.get("path") or "" for source in sources]
        else:
            continue
        tool = FLUX if item.kind == KUSTOMIZATION else ARGOCD
        for path in paths:
            parts = tuple(part for part in os.path.normpath(str(path)).split("/") if part not in ("", "."))
            if parts:
                yield Unit(tool, item.name, parts)


def _of(file: str, units: Sequence[Unit]) -> dict[str, str]:
    """Tool -> the unit with the longest path that the file lies in."""
    parts = tuple(os.path.dirname(os.path.abspath(file)).split(os.sep))
    found: dict[str, str] = {}
    for unit in units:
        length = len(unit.parts)
        if unit.tool not in found and any(parts[at : at + length] == unit.parts for at in range(len(parts) - length + 1)):
            found[unit.tool] = unit.name
    return found


def _with_units(item: Item, units: dict[str, str]) -> Item:
    return Item(item.tree, item.locate, file=item.file, units=units, document=item.document, base=item.base)
