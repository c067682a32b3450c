"""The library: what the command line does, as functions over paths and parsed objects.

`tjgen` exports these names and loads this module when one of them is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from tjgen.cluster.releases import DEFAULT_TRAINER
from tjgen.cluster.trainer.inputs import expand_documents
from tjgen.cluster.trainer.release import chosen
from tjgen.cluster.validate.admit import admit
from tjgen.compiler.building.compile import build as build_plan
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Run
from tjgen.language.catalog.find import Catalog
from tjgen.trees import trust
from tjgen.trees.diagnostics.model import CompileError, Diagnostic, has_errors
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, NamedTuple

__all__ = ["Build", "admit", "build", "expand"]


class Build(NamedTuple):
    """Result of `build`. If `diagnostics` contains errors, runs may be missing."""

    runs: list[Run]
    diagnostics: list[Diagnostic]

    @property
    def manifests(self) -> list[Manifest]:
        """The objects of all runs, each once; `tree` is the object, and `origins(path)` returns the origins of a field."""
        seen: dict[Any, Manifest] = {}
        for run in self.runs:
            for manifest in run.compiled.manifests:
                seen.setdefault(manifest.ref, manifest)
        return list(seen.values())

    @property
    def failed(self) -> bool:
        """Whether there was an error."""
        return has_errors(self.diagnostics)


def build(
    paths: Sequence[str] = (),
    *,
    environments: Sequence[str] = (),
    set_values: Sequence[str] = (),
    overlays: Sequence[str] = (),
    project: str | None = None,
    trainer: str | None = None,
    trusted: bool = False,
) -> Build:
    """Compile experiments, or the whole project of the working directory. Writes nothing.

    `overlays` are files of overlays in addition to those of the project. The project is searched at `project`, or else
    at `paths`. `trainer` is the release of Trainer to build for; the default is that of the project. If `trusted`, Python of
    the project, such as slicers, may run; otherwise, it is an error (TJ208). The input never causes an exception: `diagnostics`
    of the result has its errors.
    """
    with trust.granted() if trusted else nullcontext():
        return _build(paths, environments, set_values, overlays, project, trainer)


def _build(
    paths: Sequence[str],
    environments: Sequence[str],
    set_values: Sequence[str],
    overlays: Sequence[str],
    project: str | None,
    trainer: str | None,
) -> Build:
    runs: list[Run] = []
    diagnostics: list[Diagnostic] = []
    try:
        request = Request(
            paths, environments=environments, set_values=set_values, overlays=overlays, project=project, trainer=trainer
        )
        for built in build_plan(make_plan(request), Session()):
            diagnostics += built.diagnostics
            runs += built.runs
    except CompileError as error:
        diagnostics += error.diagnostics
    return Build(runs, list(dict.fromkeys(diagnostics)))


def expand(
    documents: Sequence[Tree], *, trainer: str = DEFAULT_TRAINER.name, catalog: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return the objects that the Trainer controller creates for the TrainJobs among `documents` (parsed objects of one input).

    Runtimes are looked for among the documents, then in `catalog` (files and folders) and among the bundled
    ones. Raises CompileError with the diagnostics where the controller would create nothing, and for a release
    that is not mirrored (TJ290).
    """
    release = chosen(trainer)
    known = Catalog(list(catalog), versions=release.versions)

    def look_up(kind: str, namespace: str, name: str) -> Tree | None:
        runtime, _ = known.find(name, kind=kind, namespace=namespace)
        return runtime.tree if runtime is not None else None

    objects: list[dict[str, Any]] = []
    diagnostics: list[Diagnostic] = []
    for _, expansion in expand_documents(documents, look_up, release=release):
        diagnostics += expansion.diagnostics
        objects += [made.tree for made in expansion.objects]
    if has_errors(diagnostics):
        raise CompileError(diagnostics)
    return objects
