"""Objects of files -> the texts of all objects that controllers create from them, down to the pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.controllers.previews import follow, note_of
from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.trainer.inputs import Expanded
from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.validate import unmakeable
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.report import diagnostics
from tjgen.compiler.building.request import NAMESPACE
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.patch import without_nulls
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import PREVIEW, RUNS, Manifest

START = ("metadata", "name")


class Followed:
    """What controllers create from objects, and why an object is refused before its controller sees it."""

    def __init__(self, versions: Mapping[str, str], *, every: bool) -> None:
        self.versions = versions
        self.every = every
        self.documents: list[tuple[str, Tree]] = []
        """Comment and tree of each document."""
        self.diagnostics: list[Diagnostic] = []
        self._context: list[Tree] = []

    def add_all(self, objects: Sequence[Placed], expansions: Sequence[Expanded]) -> None:
        """Add what follows from each object, in their order."""
        self._context = [one.tree for one in objects if one.tree.__class__ is dict]
        created = {id(one.trainjob): [expanded.tree for expanded in one.expansion.objects] for one in expansions}
        for one in objects:
            if id(one.tree) in created:
                self._add(one, created[id(one.tree)])
            elif _has_controller(one.tree):
                self._add(one, [])

    def _add(self, source: Placed, created: Sequence[Tree]) -> None:
        problems = list(self._refusals(source, created))
        self.diagnostics += problems
        if problems:
            return
        try:
            applied = Manifest(_as_stored(source.tree), {}, RUNS)
            previews = [Manifest(_as_stored(tree), {}, PREVIEW) for tree in created]
            self.documents += [(note_of(one), one.tree) for one in follow([applied], previews, every=self.every)]
        except CompileError as error:
            self.diagnostics += map(source.at, error.diagnostics)

    def _refusals(self, source: Placed, created: Sequence[Tree]) -> Iterator[Diagnostic]:
        """What is wrong with the object, or with what the Trainer controller creates from it: it is refused, or its pods are."""
        for tree in created or [source.tree]:
            verdict = judge(tree, versions=self.versions, webhooks=True, context=self._context)
            problems = unmakeable.diagnostics(tree, versions=self.versions) if verdict.allowed else diagnostics(tree, verdict)
            for diagnostic in problems:
                place = source.document.locate((*source.path, *START))
                yield source.at(diagnostic) if tree is source.tree else diagnostic._replace(span=place)


def _as_stored(tree: Tree) -> Tree:
    """The object without what the API server drops, in the namespace that it sets: null is the same as no value."""
    tree = without_nulls(tree)
    return {**tree, "spec": tree.get("spec", {}), "metadata": {"namespace": NAMESPACE, **tree["metadata"]}}


def _has_controller(tree: Tree) -> bool:
    kind = kind_of(tree) if tree.__class__ is dict else None
    return kind is not None and kind.controller != "" and kind.api_version == tree["apiVersion"]
