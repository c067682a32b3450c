"""The settings of a workspace and those of a project -> the settings of the project, with the place of each in its own file.

`spec/inheritance.py` has the table of how each field is inherited.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from tjgen.language.spec import inheritance
from tjgen.language.spec.inheritance import ADDED, BOTH, DEFAULT, FIXED, GRANTED, LEAST, OWN, OWNED, RESERVED, SELECTED, STRICTER
from tjgen.trees.diagnostics.model import Diagnostic, Note, Span
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.source.document import Document
from tjgen.trees.typing import NamedTuple

_SPEC: FieldPath = ("spec",)
_WARNING = "warning"


class InheritedDocument(Document):
    """The file of a project whose value also has the settings of the workspace. Each field is located where it is written."""

    __slots__ = ("_inherited", "_moved", "_own", "workspace")

    def __init__(self, own: Document, workspace: Document, merged: Merged) -> None:
        start, end = own.extent
        super().__init__(merged.value, own.source, own.dialect, index=own.index, start=start, end=end)
        self.workspace = workspace
        self._own = own
        self._inherited = merged.inherited
        self._moved = merged.moved

    def excerpt(self, path: FieldPath) -> str:
        """The text of the value at `path`, as it is written."""
        document, place = self._written(path)
        return document.excerpt(place)

    def locate(self, path: FieldPath, *, key: bool = False) -> Span | None:
        """The place of the value at `path`, in the file that sets it."""
        document, place = self._written(path)
        return document.locate(place, key=key)

    def is_own(self, path: FieldPath) -> bool:
        """Whether the file of the project sets the value at `path`."""
        return self._written(path)[0] is self._own

    def _written(self, path: FieldPath) -> tuple[Document, FieldPath]:
        for length in range(len(path), 0, -1):
            head, rest = path[:length], path[length:]
            if head in self._inherited:
                return self.workspace, (*self._inherited[head], *rest)
            if head in self._moved:
                return self._own, (*self._moved[head], *rest)
        return self._own, path


class Merged(NamedTuple):
    """The value of a project with what it inherits."""

    value: Tree
    inherited: Mapping[FieldPath, FieldPath]
    """Path in `value` -> path in the file of the workspace, for each subtree that it sets."""
    moved: Mapping[FieldPath, FieldPath]
    """Path in `value` -> path in the file of the project, for entries that follow those of the workspace in a list."""
    diagnostics: list[Diagnostic]
    """TJ562 for each field that a project cannot set so."""


def merge(own: tuple[Document, Tree], workspace: tuple[Document, Tree]) -> Merged:
    """The value of a project in long form, under that of its workspace."""
    document, tree = own
    return _Inheritance(document, workspace[0]).merged(tree, workspace[1])


class _Inheritance:
    def __init__(self, own: Document, workspace: Document) -> None:
        self._own = own
        self._workspace = workspace
        self._folder = _folder_between(own.file, workspace.file)
        self._inherited: dict[FieldPath, FieldPath] = {}
        self._moved: dict[FieldPath, FieldPath] = {}
        self._diagnostics: list[Diagnostic] = []
        self._is_strict = False

    def merged(self, tree: Tree, workspace: Tree) -> Merged:
        self._is_strict = get(workspace, ("spec", "policy", "strict"), False) is True
        spec = self._map(_SPEC, workspace["spec"], tree["spec"])
        return Merged({**tree, "spec": spec}, self._inherited, self._moved, self._diagnostics)

    def _map(self, path: FieldPath, theirs: Tree, ours: Tree) -> Tree:
        way = inheritance.way_of(path[1:]) if len(path) > 1 else ""
        if way == SELECTED and theirs and ours:
            self._refuse_unknown(path, theirs, [(key, key) for key in ours])
            theirs = {key: value for key, value in theirs.items() if key in ours}
        if way == GRANTED:
            self._refuse_unknown(path, theirs, [(key, key) for key in ours])
        merged = {}
        for key in (*theirs, *(key for key in ours if key not in theirs)):
            at = (*path, key)
            value = self._value(at, theirs.get(key), ours.get(key))
            if value is not None:
                merged[key] = value
        return merged

    def _value(self, path: FieldPath, theirs: Tree, ours: Tree) -> Tree:
        way = inheritance.way_of(path[1:])
        if way == OWN:
            return ours
        if way == RESERVED:
            return self._reserved(path, theirs, ours)
        if ours.__class__ is dict or (theirs.__class__ is dict and ours is None):
            if ours is None:
                self._inherited[path] = path
            return self._map(path, theirs or {}, ours or {})
        if ours.__class__ is list or theirs.__class__ is list:
            return self._list(path, way, theirs or [], ours)
        if theirs is None:
            self._refuse_weaker_severity(path, ours)
            return ours
        if ours is None or not self._is_allowed(path, way, theirs, ours):
            self._inherited[path] = path
            return self._rebased(path, theirs)
        return f"{theirs}, {ours}" if way == BOTH else ours

    def _reserved(self, path: FieldPath, theirs: Tree, ours: Tree) -> Tree:
        if ours is not None and ours != theirs:
            self._refuse(path, f"only the workspace can set {render(path)}")
        if theirs is not None:
            self._inherited[path] = path
        return theirs

    def _list(self, path: FieldPath, way: str, theirs: list[Tree], ours: list[Tree] | None) -> list[Tree]:
        own = ours or []
        if way == GRANTED:
            known = [self._rebased_entry(path, entry) for entry in theirs]
            self._refuse_unknown(path, known, list(enumerate(own)))
            granted = own if ours is not None else known
            if ours is None:
                self._inherited[path] = path
            return [entry for entry in granted if entry in known]
        if way in (ADDED, OWNED):
            for position in range(len(theirs)):
                self._inherited[(*path, position)] = (*path, position)
            for position in range(len(own)):
                self._moved[(*path, len(theirs) + position)] = (*path, position)
            return [*(self._rebased_entry(path, entry) for entry in theirs), *own]
        if theirs and ours is not None and way == FIXED and theirs != ours:
            self._refuse(path, f"{render(path)} differs from that of the workspace")
        if theirs and (ours is None or way == FIXED):
            self._inherited[path] = path
            return theirs
        return own

    def _is_allowed(self, path: FieldPath, way: str, theirs: Tree, ours: Tree) -> bool:
        if way in (DEFAULT, BOTH) or theirs == ours:
            return True
        if way == STRICTER:
            ranks = inheritance.ranks_of(path[1:])
            if ranks.index(ours) > ranks.index(theirs):
                return True
        if way == LEAST and parse(ours).nanos <= parse(theirs).nanos:
            return True
        words = {STRICTER: "which is less strict than", LEAST: "which is more than"}.get(way, "and not")
        self._refuse(path, f"{render(path)} is {_shown(ours)}, {words} the {_shown(theirs)} of the workspace")
        return False

    def _refuse_weaker_severity(self, path: FieldPath, ours: Tree) -> None:
        """With `strict` of the workspace, every warning is an error."""
        if self._is_strict and path[:3] == ("spec", "policy", "severity"):
            ranks = inheritance.ranks_of(path[1:])
            if ranks.index(ours) < ranks.index(_WARNING):
                self._refuse(path, f"{render(path)} is {ours}, and the workspace sets policy.strict")

    def _refuse_unknown(self, path: FieldPath, known: Iterable[Tree], entries: Iterable[tuple[str | int, Tree]]) -> None:
        for step, entry in entries:
            if entry not in known:
                names = ", ".join(str(one) for one in known)
                message = f'{render(path)} has "{entry}", which the workspace does not list'
                self._refuse((*path, step), message, f"use one of {names}" if names else "")

    def _refuse(self, path: FieldPath, message: str, hint: str = "") -> None:
        note = Note("set for all projects here", self._workspace.locate(path))
        hint = f"{hint or 'remove it'}, or let the owner of {self._workspace.file} change it there"
        span = self._own.locate(path, key=path[-1].__class__ is str and path[1] in ("environments", "policy"))
        self._diagnostics.append(Diagnostic("TJ562", message, path=path, span=span, related=(note,), hint=hint))

    def _rebased(self, path: FieldPath, value: Tree) -> Tree:
        return self._rebased_entry(path, value) if value.__class__ is str else value

    def _rebased_entry(self, path: FieldPath, entry: Tree) -> Tree:
        """A path of the workspace's file, relative to the project."""
        if inheritance.pattern_of(path[1:]) not in inheritance.PATHS:
            return entry
        return os.path.normpath(os.path.join(self._folder, entry)).replace(os.sep, "/")


def _folder_between(file: str, workspace: str) -> str:
    """The folder of the workspace, from that of the project."""
    folders = [os.path.realpath(os.path.dirname(one) or ".") for one in (workspace, file)]
    return os.path.relpath(*folders)


def _shown(value: Tree) -> str:
    if value.__class__ is bool:
        return "true" if value else "false"
    return f'"{value}"' if value.__class__ is str else str(value)
