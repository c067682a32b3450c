"""Objects of a stream -> those that tjgen reads (experiments, overlays, platforms, runtimes), and all others.

Experiments are passed as text under a name of their own, so that the files that they name are searched in its folder.
What else tjgen reads is put into files of a folder that is removed afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from types import TracebackType

from tjgen.language.catalog.runtime import is_runtime
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple

API = "tjgen.dev/v1alpha1"
_SUPPORTING_KINDS = ("Overlay", "Platform")


class HostItem(NamedTuple):
    """An object of the stream. `name` is what it is called in diagnostics: a file, where one is known."""

    name: str
    tree: Tree
    text: str = ""
    """Its source text, if places in it are reported."""
    original: Tree = None
    """The object as in the stream, if `tree` has only a part of it."""


def is_source(tree: Tree) -> bool:
    """Whether an object is for tjgen alone, and so not for the cluster."""
    return tree.__class__ is dict and tree.get("apiVersion") == API and tree.get("kind") in ("Experiment", *_SUPPORTING_KINDS)


class HostItems:
    """Return the objects as files and texts for a build. A context: the files exist until it is closed."""

    def __init__(self, items: Sequence[HostItem]) -> None:
        self._folder = TemporaryDirectory(prefix="tjgen-")
        self.given: dict[str, bytes] = {}
        self.overlays: list[str] = []
        self.catalogs: list[str] = []
        self._by_file: dict[str, HostItem] = {}
        for item in items:
            tree = item.tree
            if is_source(tree) and tree["kind"] == "Experiment":
                name = self._unused(item.name)
                self.given[name] = (item.text or dump(tree)).encode()
                self._by_file[name] = item
            elif is_source(tree):
                self.overlays.append(self._written(item))
            elif is_runtime(tree):
                self.catalogs.append(self._written(item))

    def __enter__(self) -> HostItems:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._folder.cleanup()

    def item(self, diagnostic: Diagnostic) -> HostItem | None:
        """The object that a diagnostic is about, where it is one of these."""
        file = diagnostic.span.file if diagnostic.span is not None else ""
        # A catalog is called as it is named from the project.
        return self._by_file.get(file) or self._by_file.get(os.path.abspath(file))

    def named(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic with the object's own name for its file."""
        item = self.item(diagnostic)
        if item is None or diagnostic.span is None:
            return diagnostic
        related = tuple([note._replace(span=self._renamed(note.span)) for note in diagnostic.related])
        return diagnostic._replace(span=diagnostic.span._replace(file=item.name), related=related)

    def _renamed(self, span: Tree) -> Tree:
        item = self._by_file.get(span.file) if span is not None else None
        return span._replace(file=item.name) if item is not None else span

    def _unused(self, name: str) -> str:
        count = 2
        chosen = name
        while chosen in self.given:
            chosen = f"{name}#{count}"
            count += 1
        return chosen

    def _written(self, item: HostItem) -> str:
        path = os.path.join(self._folder.name, f"{len(self._by_file)}.yaml")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(item.text or dump(item.tree))
        self._by_file[path] = item
        return path
