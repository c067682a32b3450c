"""A Workload -> the objects to apply, and previews of the objects that controllers create from them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.table import facts_of
from tjgen.cluster.trainer.framework import Expansion
from tjgen.cluster.trainer.framework import expand as twin_expand
from tjgen.cluster.trainer.objects import SNAPSHOT_SUFFIX
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.validate import admission
from tjgen.compiler.hops.draft import Draft, Job, located
from tjgen.compiler.hops.verdict import is_refused
from tjgen.compiler.targets import trainjob
from tjgen.compiler.targets.table import direct
from tjgen.language.catalog.runtime import KINDS
from tjgen.language.runs.names import name_problem
from tjgen.trees.diagnostics.model import ERROR, Diagnostic, has_errors
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.labels import KUEUE_QUEUE, MULTI_KUEUE
from tjgen.trees.k8s.names import longest_trainjob_name
from tjgen.trees.manifests.manifest import PREVIEW, Manifest


def target(job: Job, draft: Draft) -> Draft:
    """The object that starts the run, and the objects that it needs."""
    direct_target = direct(job.experiment.spec.target)
    if direct_target is not None:
        direct_run = direct_target.lower(draft.workload)
        if has_errors(direct_run.diagnostics):
            return draft.refused(direct_run.diagnostics)
        return draft._replace(applied=[*direct_run.objects, direct_run.job]).reporting(direct_run.diagnostics)
    if not _is_jobset(job) and (misfits := list(_kueue_misfits(job, draft))):
        return draft.refused(misfits)
    lowered = trainjob.lower(draft.workload, job.runtime, job.setting.session, _controller(job))
    if has_errors(lowered.diagnostics):
        return draft.refused(lowered.diagnostics)
    runtime = [lowered.runtime] if lowered.emits_runtime else []
    applied = [*runtime, *lowered.objects, lowered.trainjob]
    return draft._replace(applied=applied, template=lowered.runtime).reporting(lowered.diagnostics)


def _kueue_misfits(job: Job, draft: Draft) -> Iterator[Diagnostic]:
    """An error if the cluster's Kueue would break the queued TrainJob (TJ410)."""
    kueue = job.setting.cluster.kueue
    if kueue is None or get(draft.workload.tree.value, ("metadata", "labels", KUEUE_QUEUE), None) is None:
        return
    from tjgen.cluster.trainer.version_skew import kueue_misfits  # few clusters have queues of Kueue

    for one in kueue_misfits(job.release, kueue):
        yield Diagnostic("TJ410", one.message, path=("spec", "schedule", "queue"), hint=one.hint, severity=ERROR)


def patch(job: Job, draft: Draft) -> Draft:
    """The patches of the experiment; a runtime that they change gets another name."""
    late = "JobSet" if _is_jobset(job) else ""
    before, template = draft.applied, draft.template
    applied, diagnostics = _patched(job, draft, before, but=late)
    if template is not None and before[0] is template:
        if applied[0] is not template:
            applied[0], applied[-1] = trainjob.renamed(applied[0], applied[-1], job.runtime.name)
        template = applied[0]
    is_patched = applied[-1] is not before[-1]
    sources = draft.sources._replace(trainjob=applied[-1])
    if template is not None:
        sources = sources._replace(created_runtime=template)
    return draft._replace(applied=applied, template=template, is_patched=is_patched, sources=sources).reporting(diagnostics)


def expand(job: Job, draft: Draft) -> Draft:
    """The objects that the controller makes, and whether their names leave enough characters for the name of the run."""
    started = draft.applied[-1]
    direct_target = direct(job.experiment.spec.target)
    if direct_target is not None:
        if draft.is_patched and is_refused(started, job):
            return draft  # the server refuses it, so no controller sees it
        overlong = name_problem(draft.workload.name, budget=direct_target.budget(started))
        if overlong is not None:
            return draft.refused([overlong])
        diagnostics = located(direct_target.find_warnings(started, draft.workload), started, draft.sources)
        return draft._replace(previews=_gangs(started)).reporting(diagnostics)
    assert draft.template is not None, "a TrainJob has a runtime"
    template = draft.template.tree
    expansion = twin_expand(_as_started(started.tree), template, release=_controller(job), session=job.setting.session)
    previews = _previews(expansion, started)
    overlong = name_problem(draft.workload.name, budget=_budget(previews))
    if overlong is not None:
        # Controller, webhooks and server would each report it again in their own words.
        return draft.refused([overlong])
    diagnostics = located(expansion.diagnostics, started, draft.sources)
    context = [template, *admission.assumed(template)]
    return draft._replace(previews=previews, expansion=expansion, context=context).reporting(diagnostics)


def finish(job: Job, draft: Draft) -> Draft:
    """For target `jobset`: the JobSet of the preview, to apply instead of the TrainJob."""
    if not _is_jobset(job) or draft.expansion is None or has_errors(draft.diagnostics):
        return draft
    from tjgen.compiler.targets import jobset  # most runs are TrainJobs

    objects, diagnostics = jobset.finish(draft.expansion.objects, draft.applied[-1], draft.workload, job.release)
    if "apart" in draft.workload.tree.value:
        overlong = name_problem(draft.workload.name, budget=_budget(objects))  # nodes have jobs with longer names
        if overlong is not None:
            return draft.refused([overlong])
    objects, refused = _patched(job, draft, objects, only=jobset.KIND)
    applied = [manifest for manifest in draft.applied[:-1] if manifest.kind not in KINDS] + objects
    return draft._replace(applied=applied, previews=[]).reporting([*diagnostics, *refused])


def _patched(
    job: Job, draft: Draft, manifests: list[Manifest], *, only: str = "", but: str = ""
) -> tuple[list[Manifest], list[Diagnostic]]:
    if not job.experiment.spec.patches:
        return list(manifests), []
    from tjgen.compiler.passes.patches import patched  # most experiments have no patches

    return patched(manifests, job.experiment.spec.patches, draft.sources, allows=job.setting.allows, only=only, but=but)


def _is_jobset(job: Job) -> bool:
    return facts_of(job.experiment.spec.target).is_preview


def _controller(job: Job) -> Release:
    """The release that expands the TrainJob. A JobSet that is applied itself does not depend on the Trainer of the cluster."""
    return NEWEST if _is_jobset(job) else job.release


def _as_started(trainjob: Tree) -> Tree:
    """The TrainJob as the controller sees it that starts it: Kueue sends one to another cluster without its own mark."""
    if get(trainjob, ("spec", "managedBy"), None) != MULTI_KUEUE:
        return trainjob
    return {**trainjob, "spec": {key: value for key, value in trainjob["spec"].items() if key != "managedBy"}}


def _gangs(job: Manifest) -> list[Manifest]:
    """The PodGroup of a Volcano Job: the totals of a run need it. Other objects of direct targets are created on demand."""
    if job.kind != "Job":
        return []
    from tjgen.cluster.controllers.previews import first_created  # most runs are TrainJobs

    return first_created(job, "PodGroup")


def _previews(expansion: Expansion, job: Manifest) -> list[Manifest]:
    """Return the controller's objects, except its private copy of the runtime, whose text is the cluster's."""
    snapshot = job.name + SNAPSHOT_SUFFIX
    return [
        Manifest(created.tree, created.owners, PREVIEW)
        for created in expansion.objects
        if created.tree["metadata"]["name"] != snapshot
    ]


def _budget(previews: list[Manifest]) -> int:
    """Return the maximum length of the run's name, so that the names of its Jobs and Pods stay within their limits."""
    jobs = [
        (job["name"], job.get("replicas", 1), get(job, ("template", "spec", "completions"), None) or 1)
        for preview in previews
        if preview.kind == "JobSet"
        for job in get(preview.tree, ("spec", "replicatedJobs"), None) or []
    ]
    return longest_trainjob_name(jobs)
