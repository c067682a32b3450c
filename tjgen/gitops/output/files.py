"""The objects of a run -> the files of a tree that hold them, the previews of others, and the images that they start."""

from __future__ import annotations

from tjgen.cluster.kinds.pods import pods_of
from tjgen.compiler.building.run import Run
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.layout import path_of, preview_files
from tjgen.gitops.output.options import EACH
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES, Manifest
from tjgen.trees.typing import NamedTuple


class RunTexts(NamedTuple):
    """The texts of a run, written by the process that compiled it."""

    files: list[OutputFile]
    previews: dict[str, str]


class OutputFiles:
    """Makes the files of runs; what many of them share is written as text once."""

    def __init__(self, previews: str) -> None:
        self._previews = previews
        """The previews to write, as in `BuildOptions`."""
        self._runtimes: dict[str, tuple[Tree, str]] = {}
        """Path -> metadata and text of runtimes."""

    def of(self, run: Run) -> list[OutputFile]:
        """A file for each object that is applied, with the source to edit and the experiment that owns it, if one does."""
        texts: RunTexts | None = run.texts
        return texts.files if texts is not None else [self._file(manifest, run) for manifest in run.compiled.manifests]

    def previews_of(self, run: Run) -> dict[str, str]:
        """Path -> text of what controllers will create; empty if the build writes no previews."""
        texts: RunTexts | None = run.texts
        if texts is not None:
            return texts.previews
        return preview_files(run, every=self._previews == EACH) if self._previews else {}

    def render(self, run: Run) -> Run:
        """The run with its texts."""
        return run._replace(texts=RunTexts(self.of(run), self.previews_of(run)))

    def _file(self, manifest: Manifest, run: Run) -> OutputFile:
        path = path_of(manifest, run)
        if manifest.stage == RUNTIMES:
            # Its name follows its spec, so what is named and labelled the same is the same.
            metadata = manifest.tree["metadata"]
            known = self._runtimes.get(path)
            if known is None or known[0] != metadata:
                known = self._runtimes[path] = (metadata, manifest.text())
            return OutputFile(path, known[1], run.runtime.file)
        body = manifest.text()
        is_own = manifest.stage == RUNS or get(manifest.tree, ("metadata", "labels", EXPERIMENT_LABEL), None) == run.unit.name
        return OutputFile(path, body, run.unit.source, run.unit.key) if is_own else OutputFile(path, body, "the project")


def images(run: Run) -> tuple[str, ...]:
    """Every image of the run's pods, as it is written, in order."""
    image_names = set()
    for manifest in (*run.compiled.manifests, *run.compiled.previews):
        for pods in pods_of(manifest):
            for container in (*(pods.spec.get("containers") or ()), *(pods.spec.get("initContainers") or ())):
                if container.get("image"):
                    image_names.add(container["image"])
    return tuple(sorted(image_names))
