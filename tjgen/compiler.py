"""One run through the whole pipeline: the table of contents of the program.

lower -> passes -> Workload -> target -> patches -> manifests -> twin -> previews -> judgement
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen import lower
from tjgen.catalog.runtime import KINDS, CatalogRuntime
from tjgen.diagnostics.model import Diagnostic, has_errors
from tjgen.explain.provenance import Sources, place_in
from tjgen.fields.path import Tree, get
from tjgen.k8s.names import longest_trainjob_name
from tjgen.manifests.manifest import PREVIEW, RUNTIMES, Manifest
from tjgen.passes.patches import patched
from tjgen.passes.table import PASSES
from tjgen.resolve.places import placed
from tjgen.runs.identity import name_problem
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment
from tjgen.targets import jobset, trainjob
from tjgen.trainer.framework import Expansion, expand
from tjgen.trainer.release import NEWEST, Release, of_versions
from tjgen.typing import NamedTuple
from tjgen.validate import admission, report, unmakeable
from tjgen.validate.judge import judge
from tjgen.validate.likeness import likeness
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
    """What was asked for, before a target said it in its own words."""


def compile_run(
    experiment: Experiment, runtime: CatalogRuntime, setting: Setting, sources: Sources, release: Release, judged: set[str]
) -> Compiled:
    """One run, named `setting.run`, of a merged experiment, for a release of Trainer. Ends early where a phase finds errors.

    `judged` remembers what nothing is said against: runtimes, which are named by their content, by their metadata, and the
    likeness of all other objects. Of those that are alike one is looked at.
    """
    workload, diagnostics = _workload(experiment, runtime, setting)
    tree = sources.experiment
    if has_errors(diagnostics):
        return Compiled([], [], placed(_once(diagnostics), tree, sources.documents), sources, workload)

    is_jobset = experiment.spec.target == "jobset"
    # A JobSet that is applied itself is no controller's work: what Trainer cannot do yet does not matter.
    made_by = NEWEST if is_jobset else release
    lowered = trainjob.lower(workload, runtime, made_by)
    diagnostics += lowered.diagnostics
    if has_errors(lowered.diagnostics):
        return Compiled([], [], placed(_once(diagnostics), tree, sources.documents), sources, workload)
    applied = [lowered.runtime] if lowered.emits_runtime else []
    applied, found = patched([*applied, *lowered.objects, lowered.trainjob], experiment)
    diagnostics += found
    if lowered.emits_runtime and applied[0] is not lowered.runtime:
        applied[0], applied[-1] = trainjob.renamed(applied[0], applied[-1], runtime.name)
    job = applied[-1]
    template = applied[0] if lowered.emits_runtime else lowered.runtime
    sources = sources._replace(trainjob=job, made_runtime=template)

    expansion = expand(job.tree, template.tree, release=made_by)
    previews = _previews(expansion, job)
    overlong = _named(setting.run, previews)
    if overlong:
        # Controller, webhooks and server would each say it again in words of their own.
        return Compiled([], [], placed(_once(diagnostics + overlong), tree, sources.documents), sources, workload)
    diagnostics += _located(expansion.diagnostics, job, sources)
    if is_jobset and not has_errors(diagnostics):
        standing, found = jobset.finish(expansion.objects, job, release)
        diagnostics += found
        applied, previews = [manifest for manifest in applied[:-1] if manifest.kind not in KINDS] + standing, []
    versions = {**release.versions, **setting.versions}
    # A generated Secret's values are the controller's: there is nothing of ours to judge in it.
    for manifest in (*applied, *(preview for preview in previews if preview.kind != "Secret")):
        like = f"{manifest.tree['metadata']}" if manifest.stage == RUNTIMES else likeness(manifest.tree)
        if like in judged:
            continue
        found = _judged(manifest.tree, template.tree, versions)
        if not found and manifest.kind == "JobSet":
            found = list(unmakeable.diagnostics(manifest.tree))
        diagnostics += _located(found, manifest, sources)
        if not found:
            judged.add(like)
    return Compiled(applied, previews, placed(_once(diagnostics), tree, sources.documents), sources, workload)


def _judged(tree: Tree, runtime: Tree, versions: Mapping[str, str]) -> list[Diagnostic]:
    """What the API server says, and where it accepts the object, its webhooks."""
    verdict = judge(tree, versions=versions)
    if verdict.stages or not verdict.checked:
        return list(report.diagnostics(tree, verdict))
    answer = admission.review(tree, context=[runtime, *admission.assumed(runtime)], release=of_versions(versions))
    return list(admission.diagnostics(tree, answer))


def _workload(experiment: Experiment, runtime: CatalogRuntime, setting: Setting) -> tuple[Workload, list[Diagnostic]]:
    workload = over(runtime.tree["spec"], name=setting.run, namespace=setting.namespace, rewritten=runtime.rewritten)
    found: list[Diagnostic] = []
    if experiment.spec.initializer is not None:
        from tjgen.passes import initializers  # few runs fetch anything by themselves

        workload, found = initializers.prepared(workload, experiment, setting)
        if has_errors(found):
            return workload, found
    said = lower.contribute(workload, experiment, setting)
    workload, diagnostics = contribute(workload, EXPERIMENT, said)
    diagnostics = found + diagnostics
    for name, one_pass in PASSES:
        workload, found = contribute(workload, f"pass:{name}", one_pass(workload, experiment, setting))
        diagnostics += found
    return workload, diagnostics


def _previews(expansion: Expansion, job: Manifest) -> list[Manifest]:
    """What the controller makes, but for its private copy of the runtime, whose text is the cluster's."""
    snapshot = job.name + jobset.SNAPSHOT
    return [Manifest(made.tree, made.owners, PREVIEW) for made in expansion.objects if made.tree["metadata"]["name"] != snapshot]


def _named(name: str, previews: list[Manifest]) -> list[Diagnostic]:
    """Whether the names of Jobs and Pods that are made from the run's name have room."""
    jobs = [
        (job["name"], job.get("replicas", 1), get(job, ("template", "spec", "completions"), None) or 1)
        for preview in previews
        if preview.kind == "JobSet"
        for job in get(preview.tree, ("spec", "replicatedJobs"), None) or []
    ]
    problem = name_problem(name, budget=longest_trainjob_name(jobs))
    return [problem] if problem is not None else []


def _located(diagnostics: list[Diagnostic], manifest: Manifest, sources: Sources) -> list[Diagnostic]:
    """Diagnostics about a manifest, each with the line of a file that its field comes from."""
    return [
        diagnostic._replace(span=place_in(manifest, diagnostic.path or (), sources), subject=manifest.ref)
        for diagnostic in diagnostics
    ]


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The same thing said of several pod sets is said once."""
    return list(dict.fromkeys(diagnostics))
