"""One run through the whole pipeline: the table of contents of the program.

    lower -> passes -> Workload -> target -> patches -> manifests -> twin -> previews -> judgement
"""

from __future__ import annotations

from typing import NamedTuple

from tjgen import lower
from tjgen.catalog.runtime import CatalogRuntime
from tjgen.diagnostics.model import ERROR, Diagnostic, has_errors
from tjgen.explain.provenance import Sources, place, place_in
from tjgen.fields.managed import Managed
from tjgen.manifests.manifest import DATA, PREVIEW, Manifest
from tjgen.passes.patches import patched
from tjgen.passes.setting import Setting
from tjgen.passes.table import PASSES
from tjgen.spec.objects import Experiment
from tjgen.targets import jobset, trainjob
from tjgen.trainer.framework import Expansion, expand
from tjgen.validate.built import judge_built
from tjgen.workload.contribution import EXPERIMENT, contribute
from tjgen.workload.workload import Workload, over


class Compiled(NamedTuple):
    """What one run came to."""

    manifests: list[Manifest]
    """Objects to apply, in an order in which they can be applied."""
    previews: list[Manifest]
    """Objects that controllers will make of them."""
    diagnostics: list[Diagnostic]
    sources: Sources
    workload: Workload


def compile_run(tree: Managed, experiment: Experiment, runtime: CatalogRuntime, setting: Setting, sources: Sources) -> Compiled:
    """One run, named `setting.run`, of a merged experiment. Ends early where a phase finds errors."""
    namespace = str(experiment.metadata.namespace)
    workload = over(runtime.tree["spec"], name=setting.run, namespace=namespace)
    said = lower.contribute(workload, experiment, launcher=setting.launcher, labels=setting.labels)
    workload, diagnostics = contribute(workload, EXPERIMENT, said)
    for name, one_pass in PASSES:
        workload, found = contribute(workload, f"pass:{name}", one_pass(workload, experiment, setting))
        diagnostics += found
    if has_errors(diagnostics):
        return Compiled([], [], _placed(diagnostics, sources), sources, workload)

    lowered = trainjob.lower(workload, runtime)
    diagnostics += lowered.diagnostics
    applied = [lowered.runtime] if lowered.emits_runtime else []
    applied, found = patched([*applied, *lowered.objects, lowered.trainjob], experiment)
    diagnostics += found
    job = applied[-1]
    template = applied[0] if lowered.emits_runtime else lowered.runtime
    sources = sources._replace(trainjob=job, made_runtime=template)
    expansion = expand(job.tree, template.tree)
    previews = _previews(expansion, job)
    diagnostics += _controller(expansion, job, template, sources)

    if experiment.spec.target == "jobset" and not has_errors(diagnostics):
        objects = [manifest for manifest in applied if manifest.stage == DATA]
        standing, found = jobset.finish(expansion.objects, job)
        diagnostics += found
        applied, previews = objects + standing, []
    diagnostics += judge_built(applied, previews, sources)
    return Compiled(applied, previews, _placed(diagnostics, sources), sources, workload)


def _previews(expansion: Expansion, job: Manifest) -> list[Manifest]:
    """What the controller makes, but for its private copy of the runtime, whose text is the cluster's."""
    snapshot = job.name + jobset.SNAPSHOT
    return [Manifest(made.tree, made.owners, PREVIEW) for made in expansion.objects if made.tree["metadata"]["name"] != snapshot]


def _controller(expansion: Expansion, job: Manifest, runtime: Manifest, sources: Sources) -> list[Diagnostic]:
    placed = []
    for diagnostic in expansion.diagnostics:
        about = runtime if diagnostic.subject is not None and diagnostic.subject.kind == runtime.kind else job
        span = place_in(about, diagnostic.path or (), sources)
        placed.append(diagnostic._replace(span=span, subject=diagnostic.subject or job.ref))
    return placed


def _placed(diagnostics: list[Diagnostic], sources: Sources) -> list[Diagnostic]:
    """Diagnostics about the experiment with the line that they are about; the first of equal ones."""
    placed: dict[tuple[str, str, object], Diagnostic] = {}
    for diagnostic in diagnostics:
        if diagnostic.span is None and diagnostic.path is not None:
            diagnostic = diagnostic._replace(span=place(diagnostic.path, sources))  # noqa: PLW2901
        placed.setdefault((diagnostic.code, diagnostic.message, diagnostic.span), diagnostic)
    return sorted(placed.values(), key=lambda diagnostic: diagnostic.severity != ERROR)
