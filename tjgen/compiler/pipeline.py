"""One run through the whole pipeline: the table of contents of the program.

lower -> passes -> Workload -> target -> patches -> manifests -> twin -> previews -> judgement
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.kinds.pods import starts_pods
from tjgen.cluster.trainer.framework import Expansion, expand
from tjgen.cluster.trainer.release import NEWEST, Release, of_versions
from tjgen.cluster.validate import admission, disclosure, report, unmakeable
from tjgen.cluster.validate.judge import judge
from tjgen.cluster.validate.likeness import likeness
from tjgen.compiler import lower
from tjgen.compiler.checks.table import checked
from tjgen.compiler.passes import identity
from tjgen.compiler.passes.patches import patched
from tjgen.compiler.passes.table import PASSES
from tjgen.compiler.targets import jobset, trainjob
from tjgen.compiler.targets.table import direct
from tjgen.language.catalog.runtime import KINDS, CatalogRuntime
from tjgen.language.resolve.places import placed
from tjgen.language.runs.identity import name_problem
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic, has_errors
from tjgen.trees.explain.provenance import Sources, place_in
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import MULTI_KUEUE
from tjgen.trees.k8s.names import longest_trainjob_name
from tjgen.trees.manifests.manifest import PREVIEW, RUNTIMES, Manifest
from tjgen.trees.typing import TYPE_CHECKING, NamedTuple
from tjgen.trees.workload.contribution import EXPERIMENT, contribute
from tjgen.trees.workload.workload import Workload, over

if TYPE_CHECKING:
    from tjgen.compiler.targets.direct import Target


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

    target = direct(experiment.spec.target)
    versions = {**release.versions, **setting.versions}
    if target is not None:
        made = _directly(target, workload, experiment, sources, versions, setting.allows)
    else:
        made = _by_trainer(workload, experiment, runtime, sources, release, setting.allows)
    sources = made.sources
    diagnostics += made.diagnostics
    if not made.applied:
        return Compiled([], [], placed(_once(diagnostics), tree, sources.documents), sources, workload)
    # A generated Secret's values are the controller's: there is nothing of ours to judge in it.
    for manifest in (*made.applied, *(preview for preview in made.previews if preview.kind != "Secret")):
        if manifest.stage != PREVIEW:
            diagnostics += _located(list(disclosure.diagnostics(manifest.tree, setting.harmless)), manifest, sources)
        like = f"{manifest.tree['metadata']}" if manifest.stage == RUNTIMES else likeness(manifest.tree)
        if like in judged:
            continue
        found = _wrong(manifest, made.context, versions)
        diagnostics += _located(found, manifest, sources)
        if not found:
            judged.add(like)
    return Compiled(made.applied, made.previews, placed(_once(diagnostics), tree, sources.documents), sources, workload)


class _Made(NamedTuple):
    """What the target of a run came to; nothing is applied where there were errors that leave nothing to judge."""

    applied: list[Manifest]
    previews: list[Manifest]
    diagnostics: list[Diagnostic]
    sources: Sources
    context: list[Tree]
    """What the cluster has when the objects come there, as far as their webhooks ask."""


def _by_trainer(
    workload: Workload,
    experiment: Experiment,
    runtime: CatalogRuntime,
    sources: Sources,
    release: Release,
    allows: Sequence[str],
) -> _Made:
    """The TrainJob and what its controller makes of it, or that to apply in its place."""
    is_jobset = experiment.spec.target == "jobset"
    # A JobSet that is applied itself is no controller's work: what Trainer cannot do yet does not matter.
    made_by = NEWEST if is_jobset else release
    lowered = trainjob.lower(workload, runtime, made_by)
    diagnostics = lowered.diagnostics
    if has_errors(diagnostics):
        return _Made([], [], diagnostics, sources, [])
    applied = [lowered.runtime] if lowered.emits_runtime else []
    late = jobset.KIND if is_jobset else ""
    applied, found = patched([*applied, *lowered.objects, lowered.trainjob], experiment, allows=allows, but=late)
    diagnostics += found
    if lowered.emits_runtime and applied[0] is not lowered.runtime:
        applied[0], applied[-1] = trainjob.renamed(applied[0], applied[-1], runtime.name)
    job = applied[-1]
    template = applied[0] if lowered.emits_runtime else lowered.runtime
    sources = sources._replace(trainjob=job, made_runtime=template)
    expansion = expand(_as_started(job.tree), template.tree, release=made_by)
    previews = _previews(expansion, job)
    overlong = name_problem(workload.name, budget=_budget(previews))
    if overlong is not None:
        # Controller, webhooks and server would each say it again in words of their own.
        return _Made([], [], [*diagnostics, overlong], sources, [])
    diagnostics += _located(expansion.diagnostics, job, sources)
    if is_jobset and not has_errors(diagnostics):
        standing, found = jobset.finish(expansion.objects, job, release)
        standing, refused = patched(standing, experiment, allows=allows, only=late)
        diagnostics += [*found, *refused]
        applied, previews = [manifest for manifest in applied[:-1] if manifest.kind not in KINDS] + standing, []
    return _Made(applied, previews, diagnostics, sources, [template.tree, *admission.assumed(template.tree)])


def _as_started(trainjob: Tree) -> Tree:
    """The TrainJob as the controller sees it that starts it: Kueue sends one to another cluster without its own mark."""
    if get(trainjob, ("spec", "managedBy"), None) != MULTI_KUEUE:
        return trainjob
    return {**trainjob, "spec": {key: value for key, value in trainjob["spec"].items() if key != "managedBy"}}


def _directly(
    target: Target,
    workload: Workload,
    experiment: Experiment,
    sources: Sources,
    versions: Mapping[str, str],
    allows: Sequence[str],
) -> _Made:
    """The run's own object, of whatever kind, and what the controller of that kind makes of it."""
    lowered = target.lower(workload)
    diagnostics = lowered.diagnostics
    if has_errors(diagnostics):
        return _Made([], [], diagnostics, sources, [])
    applied, found = patched([*lowered.objects, lowered.job], experiment, allows=allows)
    diagnostics += found
    job = applied[-1]
    if job is not lowered.job and _wrong(job, [], versions):
        # What a patch has made of it is refused below: no controller would see it.
        return _Made(applied, [], diagnostics, sources._replace(trainjob=job), [])
    overlong = name_problem(workload.name, budget=target.budget(job))
    if overlong is not None:
        return _Made([], [], [*diagnostics, overlong], sources, [])
    diagnostics += _located(target.doubts(job, workload), job, sources)
    return _Made(applied, target.previews(job), diagnostics, sources._replace(trainjob=job), [])


def _wrong(manifest: Manifest, context: list[Tree], versions: Mapping[str, str]) -> list[Diagnostic]:
    """What the API server and its webhooks say, and where they accept the object, what keeps its pods from being made."""
    found = _judged(manifest.tree, context, versions)
    return found if found or not starts_pods(manifest) else list(unmakeable.diagnostics(manifest.tree))


def _judged(tree: Tree, context: list[Tree], versions: Mapping[str, str]) -> list[Diagnostic]:
    """What the API server says, and where it accepts the object, its webhooks."""
    verdict = judge(tree, versions=versions, webhooks=True)
    if verdict.stages or not verdict.checked:
        return list(report.diagnostics(tree, verdict))
    answer = admission.review(tree, context=context, release=of_versions(versions))
    return list(admission.diagnostics(tree, answer))


def _workload(experiment: Experiment, runtime: CatalogRuntime, setting: Setting) -> tuple[Workload, list[Diagnostic]]:
    workload = over(runtime.tree["spec"], name=setting.run, namespace=setting.namespace, rewritten=runtime.rewritten)
    found: list[Diagnostic] = []
    target = direct(experiment.spec.target)
    if target is not None:
        from tjgen.compiler.targets.direct import Asked

        said_of = {name: role.replicas for name, role in experiment.spec.roles.items()}
        workload, found = target.arranged(workload, Asked(experiment.spec.nodes, said_of, experiment.spec.elastic is not None))
        if has_errors(found):
            return workload, found
    if experiment.spec.initializer is not None:
        from tjgen.compiler.passes import initializers  # few runs fetch anything by themselves

        workload, more = initializers.prepared(workload, experiment, setting)
        found = [*found, *more]
        if has_errors(found):
            return workload, found
    said = lower.contribute(workload, experiment, setting)
    workload, diagnostics = contribute(workload, EXPERIMENT, said)
    diagnostics = [*found, *diagnostics, *identity.reserved(experiment.metadata.labels, setting.allows)]
    for name, one_pass in PASSES:
        workload, found = contribute(workload, f"pass:{name}", one_pass(workload, experiment, setting))
        diagnostics += found
    if not has_errors(diagnostics):
        diagnostics += checked(workload, experiment, setting)
    return workload, diagnostics


def _previews(expansion: Expansion, job: Manifest) -> list[Manifest]:
    """What the controller makes, but for its private copy of the runtime, whose text is the cluster's."""
    snapshot = job.name + jobset.SNAPSHOT
    return [Manifest(made.tree, made.owners, PREVIEW) for made in expansion.objects if made.tree["metadata"]["name"] != snapshot]


def _budget(previews: list[Manifest]) -> int:
    """How long the run's name may be, so that the names of Jobs and Pods that are made from it have room."""
    jobs = [
        (job["name"], job.get("replicas", 1), get(job, ("template", "spec", "completions"), None) or 1)
        for preview in previews
        if preview.kind == "JobSet"
        for job in get(preview.tree, ("spec", "replicatedJobs"), None) or []
    ]
    return longest_trainjob_name(jobs)


def _located(diagnostics: list[Diagnostic], manifest: Manifest, sources: Sources) -> list[Diagnostic]:
    """Diagnostics about a manifest, each with the line of a file that its field comes from."""
    return [
        diagnostic._replace(span=place_in(manifest, diagnostic.path or (), sources), subject=manifest.ref)
        for diagnostic in diagnostics
    ]


def _once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The same thing said of several pod sets is said once."""
    return list(dict.fromkeys(diagnostics))
