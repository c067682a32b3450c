"""`--catalog` of a command -> runtimes by name, and the documents that contain them; those that Trainer installs need no file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.cluster.releases import TrainerRelease
from tjgen.cluster.trainer.inputs import is_kind
from tjgen.cluster.trainer.placed import Placed
from tjgen.cluster.trainer.refusals import CLUSTER_RUNTIME
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.source.document import Document
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.language.catalog.find import Catalog


class RuntimeFiles:
    """The runtimes of files and folders, and the bundled ones, for TrainJobs whose runtime is not in the same files.

    A catalog is built for the first look-up: most TrainJobs of a folder have their runtimes there.
    """

    def __init__(self, places: Sequence[str], versions: Mapping[str, str] | None) -> None:
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


class InstalledRuntimes:
    """The runtimes of files, and those that a release of Trainer installs, for commands that expand TrainJobs."""

    def __init__(self, files: RuntimeFiles, release: Release) -> None:
        self._files = files
        self._release = release
        self._taken: dict[str, TrainerRelease] = {}
        """The name of each runtime that a release installs, and the release."""

    def look_up(self, kind: str, namespace: str, name: str) -> Tree | None:
        """The runtime, or None."""
        runtime = self._files.look_up(kind, namespace, name)
        if runtime is None and kind == CLUSTER_RUNTIME:
            from tjgen.cluster.trainer.installed import find_installed  # most runtimes are in files

            runtime, installing = find_installed(name, self._release)
            if runtime is not None:
                self._taken[name] = installing
        return runtime

    def notes(self, objects: Iterable[Placed]) -> list[Diagnostic]:
        """TJ791 for each TrainJob with such a runtime."""
        if not self._taken:
            return []
        from tjgen.tools.importing.imported import ImportedObject, of_release  # most runtimes are in files

        jobs = [one for one in objects if is_kind(one.tree, "TrainJob")]
        names = [str(get(one.tree, ("spec", "runtimeRef", "name"), None)) for one in jobs]
        return [
            of_release(ImportedObject(one.tree, one.document, one.path), name, self._taken[name])
            for one, name in zip(jobs, names, strict=True)
            if name in self._taken
        ]
