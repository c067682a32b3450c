"""Folders and files of a catalog -> the documents in them, read once on demand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise

from tjgen.language.catalog import problems
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.files.search import below
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import KUBERNETES, read

_ENDINGS = (".yaml", ".yml", ".json")
_AROUND_WORDS = bytes.maketrans(b"{},:\"'", b"      ")


class RuntimeSource:
    """A file, or a folder with all files below it, of one owner."""

    __slots__ = ("_named", "_read", "_sandbox", "_searched", "label", "origin", "path")

    def __init__(self, path: str, label: str, origin: str, sandbox: Sandbox | None = None) -> None:
        """`path` is where it is, `label` how diagnostics call it. `sandbox`: None for what is shipped with tjgen."""
        self.path = path
        self.label = label
        self.origin = origin
        self._sandbox = Sandbox([path]) if sandbox is None else sandbox
        self._searched: tuple[list[str], list[Diagnostic]] | None = None
        self._read: dict[str, tuple[list[Document], list[Diagnostic]]] = {}
        self._named: dict[bytes, list[str]] | None = None

    def files(self) -> Iterator[str]:
        """The files, relative to the place, sorted; "" for a place that is a file. Hidden ones are left out."""
        yield from self._search()[0]

    def problems(self) -> list[Diagnostic]:
        """What is wrong with the place itself: it does not exist, is outside, or has folders that cannot be searched."""
        return self._search()[1]

    def has(self, file: str) -> bool:
        """Whether the place is a folder with this file."""
        return os.path.lexists(os.path.join(self.path, file))

    def called(self, name: str, namespace: str) -> Iterator[str]:
        """The files of a folder that are called as a runtime."""
        if "/" in name:
            return
        for folder in (f"{namespace}/", "") if namespace else ("",):
            for ending in _ENDINGS:
                file = f"{folder}{name}{ending}"
                if self.has(file):
                    yield file

    def naming(self, name: str) -> list[str]:
        """The files whose text names something `name`, without reading them as YAML."""
        if self._named is None:
            self._named = {}
            for file in self.files():
                words = self._content(file).translate(_AROUND_WORDS).split()
                for word in dict.fromkeys(word for key, word in pairwise(words) if key == b"name"):
                    self._named.setdefault(word, []).append(file)
        return self._named.get(name.encode(), [])

    def documents(self, file: str) -> tuple[list[Document], list[Diagnostic]]:
        """The documents of one of the files, and what is wrong with its text."""
        known = self._read.get(file)
        if known is None:
            known = self._read[file] = self._load(file)
        return known

    def _search(self) -> tuple[list[str], list[Diagnostic]]:
        if self._searched is None:
            if os.path.isdir(self.path):
                paths = list(below(self._sandbox, self.path, lambda name: name.endswith(_ENDINGS)))
                wrong = [one for one in paths if isinstance(one, Diagnostic)]
                inner = [os.path.relpath(one, self.path) for one in paths if not isinstance(one, Diagnostic)]
                self._searched = sorted(one.replace(os.sep, "/") for one in inner), wrong
            else:
                self._searched = [""], []
        return self._searched

    def _content(self, file: str) -> bytes:
        try:
            return self._sandbox.read(os.path.join(self.path, file) if file else self.path)
        except UnreadableError:
            return b""  # reported where it is needed

    def _load(self, file: str) -> tuple[list[Document], list[Diagnostic]]:
        path, label = (os.path.join(self.path, file), f"{self.label}/{file}") if file else (self.path, self.label)
        try:
            content = self._sandbox.read(path)
        except UnreadableError as problem:
            return [], [self._refused(problem)]
        return read(content, label, KUBERNETES)

    def _refused(self, problem: UnreadableError) -> Diagnostic:
        if not problem.is_missing:
            return problem.diagnostic
        return Diagnostic(
            problems.NO_PLACE, f"catalog {self.label}: {problem.reason.lower()}", hint="correct spec.catalogs in tjgen.yaml"
        )
