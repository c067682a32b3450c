"""Experiments and a catalog of runtimes -> what a build makes of them, tried out in a folder of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from types import TracebackType

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple


class Made(NamedTuple):
    """The objects to apply; with errors among the diagnostics there may be fewer, or wrong ones."""

    objects: list[Tree]
    diagnostics: list[Diagnostic]

    @property
    def errors(self) -> list[Diagnostic]:
        return [one for one in self.diagnostics if one.severity == "error"]

    def of_kind(self, kind: str) -> list[Tree]:
        return [tree for tree in self.objects if tree["kind"] == kind]


class Workshop:
    """A project without anything but a catalog. A context: it is there as long as it is open."""

    def __init__(self, catalog: Mapping[str, str], release: str) -> None:
        """`catalog`: file, relative to the catalog -> its text."""
        self._folder = TemporaryDirectory(prefix="tjgen-")
        self._put(
            "tjgen.yaml", f'kind: Project\napiVersion: tjgen.dev/v1alpha1\nspec: {{catalogs: [catalog], trainer: "{release}"}}\n'
        )
        os.makedirs(os.path.join(self._folder.name, "catalog"))
        for name, text in catalog.items():
            self._put(f"catalog/{name}", text)

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._folder.cleanup()

    def made(self, experiment: Tree) -> Made:
        """What is built of an experiment."""
        file = self._put("experiment.yaml", dump(experiment))
        try:
            built = list(build(make_plan(Request([file])), Session()))
        except CompileError as error:
            return Made([], error.diagnostics)
        objects = [manifest.tree for one in built for run in one.runs for manifest in run.compiled.manifests]
        return Made(objects, [found for one in built for found in one.diagnostics])

    def _put(self, name: str, text: str) -> str:
        path = os.path.join(self._folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path
