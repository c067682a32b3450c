"""Experiments and a catalog of runtimes -> the objects that a build creates from each, in a project of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory
from types import TracebackType

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.passes.patches import patched
from tjgen.compiler.pipeline import Compiled
from tjgen.gitops.output.bundles import build_platforms
from tjgen.language.spec.objects import Patch
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.session import Session
from tjgen.trees.source.writer import dump
from tjgen.trees.typing import NamedTuple


class TrialResult(NamedTuple):
    """The objects to apply; with errors among the diagnostics, objects may be missing or wrong."""

    objects: list[Tree]
    diagnostics: list[Diagnostic]
    runs: Sequence[Compiled] = ()

    @property
    def errors(self) -> list[Diagnostic]:
        return [one for one in self.diagnostics if one.severity == "error"]

    def of_kind(self, kind: str) -> list[Tree]:
        return [tree for tree in self.objects if tree["kind"] == kind]

    def patched(self, experiment: Tree) -> TrialResult:
        """The result with the patches of an experiment, which otherwise is the one that was built, without validation."""
        (run,) = self.runs
        # The kind alone is the short form of a target.
        patches = {
            name: Patch({**patch, "target": {"kind": patch["target"]}}) for name, patch in experiment["spec"]["patches"].items()
        }
        manifests, diagnostics = patched(run.manifests, patches, run.sources)
        return TrialResult([one.tree for one in manifests], [*self.diagnostics, *diagnostics])


class TrialBuilder:
    """A project that has only a catalog. Use it as a context: its folder exists until the context ends.

    The catalog is written and planned once. Experiments are built from their texts, and no file is written for them.
    """

    def __init__(self, catalog: Mapping[str, str], release: str, platform: Mapping[str, str] = {}) -> None:
        """`catalog`, `platform`: file, relative to that folder -> its text; `release`: a release of Trainer, such as "2.3"."""
        self._folder = TemporaryDirectory(prefix="tjgen-")
        lists = "{catalogs: [catalog], platforms: [platform/platform.yaml]}" if platform else "{catalogs: [catalog]}"
        self._put("tjgen.yaml", f"kind: Project\napiVersion: tjgen.dev/v1alpha1\nspec: {lists}\n")
        for name, text in platform.items():
            self._put(f"platform/{name}", text)
        os.makedirs(os.path.join(self._folder.name, "catalog"))
        for name, text in catalog.items():
            self._put(f"catalog/{name}", text)
        self._file = os.path.join(self._folder.name, "experiment.yaml")
        self._plan = make_plan(Request(given={self._file: b""}, project=self._folder.name, trainer=release))

    def __enter__(self) -> TrialBuilder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._folder.cleanup()

    def build(self, experiment: Tree) -> TrialResult:
        """Return the objects that a build creates from an experiment."""
        given = {self._file: dump(experiment).encode()}
        plan = self._plan._replace(request=self._plan.request._replace(given=given))
        try:
            results = list(build(plan, Session()))
        except CompileError as error:
            return TrialResult([], error.diagnostics)
        runs = [run.compiled for one in results for run in one.runs]
        objects = [manifest.tree for run in runs for manifest in run.manifests]
        return TrialResult(objects, [diagnostic for one in results for diagnostic in one.diagnostics], runs)

    def platform(self) -> TrialResult:
        """Return the objects of the Platform."""
        file = os.path.join(self._folder.name, "platform", "platform.yaml")
        platforms, diagnostics = build_platforms(make_plan(self._plan.request._replace(paths=[file], given={})))
        return TrialResult([one.tree for platform in platforms for one in platform.manifests], diagnostics)

    def _put(self, name: str, text: str) -> None:
        path = os.path.join(self._folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
