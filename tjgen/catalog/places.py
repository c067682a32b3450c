"""Folders and files of a catalog -> the documents in them, read when they are asked for and once."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tjgen.catalog import problems
from tjgen.diagnostics.model import Diagnostic
from tjgen.source.document import Document
from tjgen.source.reader import KUBERNETES, read

ENDINGS = (".yaml", ".yml", ".json")


class Place:
    """A file, or a folder with all files below it, of one owner."""

    __slots__ = ("_read", "label", "origin", "path")

    def __init__(self, path: str, label: str, origin: str) -> None:
        """`path` is where it is, `label` how diagnostics call it."""
        self.path = path
        self.label = label
        self.origin = origin
        self._read: dict[str, tuple[list[Document], list[Diagnostic]]] = {}

    def files(self) -> Iterator[str]:
        """The files, relative to the place, sorted; "" for a place that is a file. Hidden ones are left out."""
        if not os.path.isdir(self.path):
            yield ""
            return
        found = []
        for folder, subfolders, names in os.walk(self.path):
            subfolders[:] = [name for name in subfolders if not name.startswith(".")]
            inner = os.path.relpath(folder, self.path)
            for name in names:
                if name.endswith(ENDINGS) and not name.startswith("."):
                    found.append(name if inner == "." else f"{inner}/{name}".replace(os.sep, "/"))
        yield from sorted(found)

    def has(self, file: str) -> bool:
        """Whether the place is a folder with this file."""
        return os.path.isfile(os.path.join(self.path, file))

    def documents(self, file: str) -> tuple[list[Document], list[Diagnostic]]:
        """The documents of one of the files, and what is wrong with its text."""
        known = self._read.get(file)
        if known is None:
            known = self._read[file] = self._load(file)
        return known

    def _load(self, file: str) -> tuple[list[Document], list[Diagnostic]]:
        path, label = (os.path.join(self.path, file), f"{self.label}/{file}") if file else (self.path, self.label)
        try:
            with open(path, "rb") as stream:
                content = stream.read()
        except OSError as problem:
            reason = (problem.strerror or "it cannot be read").lower()
            found = problems.error(
                problems.NO_PLACE,
                f"catalog {label}: {reason}",
                hint="correct spec.catalogs in tjgen.yaml",
            )
            return [], [found]
        return read(content, label, KUBERNETES)
