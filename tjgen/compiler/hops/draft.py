"""The run that hops compile: its input, and its state between two hops."""

from __future__ import annotations

from tjgen.cluster.trainer.framework import Expansion
from tjgen.cluster.trainer.release import Release
from tjgen.cluster.validate.report import is_about_key
from tjgen.cluster.validate.wording import field
from tjgen.language.catalog.runtime import CatalogRuntime
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, GitOps
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.explain.provenance import Sources, place_in
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import TYPE_CHECKING, Any, NamedTuple
from tjgen.trees.workload.workload import Workload

if TYPE_CHECKING:
    from tjgen.compiler.fit.verdicts import FitCluster


class Job(NamedTuple):
    """A run to compile: what every hop reads and none changes."""

    experiment: Experiment
    """Merged with its overlays; a point of a sweep, or a task."""
    runtime: CatalogRuntime
    """With the images that pins and the Platform give it."""
    setting: Setting
    """`setting.run` is the name of the run."""
    sources: Sources
    release: Release
    """The release of Trainer to compile for."""
    gitops: GitOps
    is_record: bool = False
    """Whether the lock archives the run."""
    is_resumed: bool = False
    """Whether the lock has the run as suspended, now or earlier, and the experiment runs it."""
    cluster: FitCluster | None = None
    """The empty nodes and queues of the Platform, if it describes nodes."""


class Draft(NamedTuple):
    """A run between two hops."""

    workload: Workload
    sources: Sources
    applied: list[Manifest] = []  # noqa: RUF012  # a value
    """Objects to apply, in an order in which they can be applied; the last one starts the run."""
    previews: list[Manifest] = []  # noqa: RUF012  # a value
    """Objects that controllers create from them."""
    diagnostics: list[Diagnostic] = []  # noqa: RUF012  # a value
    is_refused: bool = False
    """Whether an error leaves later hops nothing to work on."""
    is_patched: bool = False
    """Whether patches changed the object that starts the run."""
    template: Manifest | None = None
    """The runtime that the TrainJob is expanded with."""
    expansion: Expansion | None = None
    context: list[Tree] = []  # noqa: RUF012  # a value
    """Objects that are in the cluster when the run is applied, as far as webhooks read them."""
    footprint: tuple[Any, ...] = ()
    relations: tuple[Any, ...] = ()

    def reporting(self, diagnostics: list[Diagnostic]) -> Draft:
        """The draft with more diagnostics."""
        return self._replace(diagnostics=[*self.diagnostics, *diagnostics]) if diagnostics else self

    def refused(self, diagnostics: list[Diagnostic]) -> Draft:
        """The draft with more diagnostics, and without objects, for later hops to skip."""
        return self._replace(applied=[], previews=[], diagnostics=[*self.diagnostics, *diagnostics], is_refused=True)


def located(diagnostics: list[Diagnostic], manifest: Manifest, sources: Sources) -> list[Diagnostic]:
    """Return diagnostics about a manifest, each with the line of a file that its field comes from.

    If one line causes the same problem in several fields, such as in limits and in requests, only the first is included.
    """
    by_cause: dict[object, Diagnostic] = {}
    for diagnostic in diagnostics:
        path = diagnostic.path or ()
        span = place_in(manifest, path, sources, key=is_about_key(diagnostic))
        cause = (diagnostic.code, span or path, diagnostic.message.removeprefix(field(path)))
        by_cause.setdefault(cause, diagnostic._replace(span=span, subject=manifest.ref))
    return list(by_cause.values())
