"""The Applications and Kustomizations among the items -> for each item the one that syncs its file.

The path of such an object is relative to a repository that may not be checked out, so it is looked for in the path of the
file. Where several fit, the longest does. Files that no such object names keep the unit that they were read with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from tjgen.gitops.lint.kinds import APPLICATION, APPLICATION_SET, KUSTOMIZATION
from tjgen.gitops.lint.rule import ARGOCD, FLUX
from tjgen.gitops.lint.scene import AppliedObject
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import NamedTuple

OF_SET = ":"
"""Between the name of an ApplicationSet and a folder that it makes an Application for."""


class SyncUnit(NamedTuple):
    """A folder that a tool syncs as one, or with signs in its parts a pattern of such folders."""

    tool: str
    name: str
    parts: tuple[str, ...]
    is_set: bool = False
    """Whether each folder is a unit of its own."""
    directory: Tree = None
    """The `directory` of an Application's source."""


def assigned(items: Sequence[AppliedObject]) -> list[AppliedObject]:
    """The items, each with the unit of its file."""
    units = sorted(_units(items), key=lambda unit: len(unit.parts), reverse=True)
    if not units:
        return list(items)
    known: dict[str, dict[str, str]] = {}
    for item in items:
        if item.file not in known:
            known[item.file] = _of(item.file, units)
    return [_with_units(item, {**item.units, **known[item.file]}) for item in items]


def _units(items: Sequence[AppliedObject]) -> Iterator[SyncUnit]:
    for item in items:
        if item.kind == KUSTOMIZATION:
            paths = [(item.get("spec", "path", default=""), None)]
        elif item.kind == APPLICATION:
            sources = [item.map("spec", "source"), *(source for _, source in item.maps("spec", "sources"))]
            paths = [(source.get("path") or "", source.get("directory")) for source in sources]
        elif item.kind == APPLICATION_SET:
            paths = [(path, None) for path in _folders(item.get("spec", "generators"))]
        else:
            continue
        for path, directory in paths:
            parts = tuple(part for part in os.path.normpath(str(path)).split("/") if part not in ("", "."))
            if parts:
                tool = FLUX if item.kind == KUSTOMIZATION else ARGOCD
                yield SyncUnit(tool, item.name, parts, item.kind == APPLICATION_SET, directory)


def _folders(generators: Tree) -> Iterator[str]:
    """The patterns of folders that generators of Git look for, also inside those that combine others."""
    for generator in generators if generators.__class__ is list else ():
        for name, settings in generator.items() if generator.__class__ is dict else ():
            if name == "git" and settings.__class__ is dict and settings.get("directories").__class__ is list:
                folders = [one for one in settings["directories"] if one.__class__ is dict and one.get("exclude") is not True]
                yield from [str(one.get("path") or "") for one in folders]
            elif settings.__class__ is dict:
                yield from _folders(settings.get("generators"))


def _of(file: str, units: Sequence[SyncUnit]) -> dict[str, str]:
    """Tool -> the unit with the longest path that contains the file, and whose `directory` does not leave it out."""
    *folders, name = os.path.abspath(file).split(os.sep)
    parts = tuple(folders)
    result: dict[str, str] = {}
    for unit in units:
        length = len(unit.parts)
        if unit.tool in result:
            continue
        for at in range(len(parts) - length + 1):
            inside = parts[at : at + length]
            if inside == unit.parts or (unit.is_set and all(map(fnmatchcase, inside, unit.parts))):
                if not is_included("/".join([*parts[at + length :], name]), unit.directory):
                    continue
                result[unit.tool] = f"{unit.name}{OF_SET}{'/'.join(inside)}" if unit.is_set else unit.name
                break
    return result


def _with_units(item: AppliedObject, units: dict[str, str]) -> AppliedObject:
    return AppliedObject(item.tree, item.locate, file=item.file, units=units, document=item.document, base=item.base)


def is_included(path: str, directory: Tree) -> bool:
    """Whether Argo CD applies the file at a path below an Application's folder, whose source has this `directory`."""
    directory = directory if directory.__class__ is dict else {}
    included = str(directory.get("include") or "")
    return not _is_listed(str(directory.get("exclude") or ""), path) and (not included or _is_listed(included, path))


def _is_listed(patterns: str, path: str) -> bool:
    alternatives = patterns[1:-1].split(",") if patterns.startswith("{") and patterns.endswith("}") else [patterns]
    return any(fnmatchcase(path, one) for one in alternatives if one)
