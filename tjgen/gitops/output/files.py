"""The objects of a run -> the files of a tree that hold them."""

from __future__ import annotations

import os

from tjgen.compiler.building.run import Run
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.layout import path_of
from tjgen.language.catalog.find import BUNDLED_LABEL
from tjgen.language.runs.freeze import body_digest
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES, Manifest


class OutputFiles:
    """Makes the files of runs; what many of them share is written as text once."""

    def __init__(self, project: str) -> None:
        self._project = project
        """The folder of the project: headers name sources relative to it, not to the folder of the command."""
        self._runtimes: dict[str, tuple[Tree, OutputFile]] = {}
        """Path -> metadata and file of runtimes."""

    def of(self, run: Run) -> list[OutputFile]:
        """A file for each object that is applied, with the source to edit and the experiment that owns it, if one does."""
        return [self._file(manifest, run) for manifest in run.compiled.manifests]

    def _file(self, manifest: Manifest, run: Run) -> OutputFile:
        path = path_of(manifest, run)
        if manifest.stage == RUNTIMES:
            # Its name follows its spec, so what is named and labelled the same is the same.
            metadata = manifest.tree["metadata"]
            known = self._runtimes.get(path)
            if known is None or known[0] != metadata:
                text = manifest.text()
                source = self._source(run.runtime.file)
                known = self._runtimes[path] = (metadata, OutputFile(path, text, source, "", body_digest(text)))
            return known[1]
        body = manifest.text()
        digest = body_digest(body)
        is_own = manifest.stage == RUNS or _experiment(manifest) == run.unit.name
        if not is_own:
            return OutputFile(path, body, "the project", "", digest)
        return OutputFile(path, body, run.unit.source, run.unit.key, digest)

    def _source(self, file: str) -> str:
        """The name of a file of a catalog in headers. A file that tjgen ships has a name and no path."""
        if not file or file.startswith(BUNDLED_LABEL):
            return file
        return os.path.relpath(file, self._project or ".").replace(os.sep, "/")


def _experiment(manifest: Manifest) -> Tree:
    """The experiment that an object is labelled with, if it is."""
    labels = manifest.labels
    return labels.get(EXPERIMENT_LABEL) if labels.__class__ is dict else None
