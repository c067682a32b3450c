"""`--catalog` of a command -> runtimes by name, and the documents that contain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import ObjectRef
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.document import Document
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.language.catalog.find import Catalog


class RuntimeFiles:
    """The runtimes of files and folders, and the bundled ones, for TrainJobs whose runtime is not in the same files.

    A catalog is built for the first look-up: most TrainJobs of a folder have their runtimes there.
    """

    def __init__(self, places: Sequence[str], versions: Mapping[str, str]) -> None:
        self._places = places
        self._versions = versions
        self._catalog: Catalog | None = None
        self._documents: dict[ObjectRef | None, Document | None] = {}

    def look_up(self, kind: str, namespace: str, name: str) -> Tree | None:
        """The runtime, or None."""
        if self._catalog is None:
            from tjgen.language.catalog.find import Catalog

            self._catalog = Catalog(self._places, versions=self._versions)
        runtime, _ = self._catalog.find(name, kind=kind, namespace=namespace)
        if runtime is None:
            return None
        self._documents[subject_of(runtime.tree)] = runtime.document
        return runtime.tree

    def document_of(self, tree: Tree) -> Document | None:
        """The document of a runtime that was looked up."""
        return self._documents.get(subject_of(tree))
