"""The objects of a run -> the same with annotations and marks for the sync, and what the run takes of shared resources."""

from __future__ import annotations

from tjgen.cluster.synctools.table import NO_TOOL
from tjgen.compiler.hops.draft import Draft, Job
from tjgen.compiler.totals.relations import relations
from tjgen.compiler.volumes.table import source_of
from tjgen.language.resolve.places import locate
from tjgen.language.runs.lock import ACTIVE, ARCHIVED
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import ExperimentSpec
from tjgen.trees.workload.roles import nodes


def footprint(job: Job, draft: Draft) -> Draft:
    """What the run takes of nodes, quotas, queues, and storage that other runs use too."""
    experiment, sources = job.experiment, draft.sources
    if job.cluster is not None and experiment.spec.state == ACTIVE and not job.is_record and not draft.is_refused:
        from tjgen.compiler.fit.findings import never_starts  # few platforms describe nodes

        draft = draft.reporting(never_starts(job.setting, draft.applied, draft.previews, sources, job.cluster))
    if not is_watched(experiment.spec, job.setting):
        return draft
    from tjgen.compiler.totals import shared  # most runs take nothing that others have too

    files = (sources.experiment, sources.documents, sources.platform)
    request = shared.RunRequest(experiment.spec, job.setting, *files, nodes(draft.workload))
    diagnostics, footprint = shared.watched(request, draft.applied, draft.previews)
    return draft._replace(footprint=tuple(footprint)).reporting(diagnostics)


def relate(job: Job, draft: Draft) -> Draft:
    """Names and gangs of the run, for rules about the objects of several runs; a record has none."""
    if job.is_record or job.experiment.spec.state == ARCHIVED or draft.is_refused:
        return draft
    span = locate(draft.sources.experiment, ("metadata", "name"), draft.sources.documents)
    return draft._replace(relations=tuple(relations(job.setting.environment, span, draft.applied, draft.previews)))


def resume(job: Job, draft: Draft) -> Draft:
    """`suspend: false` in a run that was suspended."""
    if not job.is_resumed:
        return draft
    from tjgen.language.runs.resume import resumed  # few runs were suspended

    return draft._replace(applied=resumed(draft.applied, job.setting.run))


def annotate(job: Job, draft: Draft) -> Draft:
    """Annotations for the GitOps tool of the project."""
    if job.gitops.tool == NO_TOOL:
        return draft
    from tjgen.compiler.annotations import annotated  # many projects name no tool

    return draft._replace(applied=annotated(draft.applied, job.gitops))


def archive(job: Job, draft: Draft) -> Draft:
    """The marks of a record, which nothing runs."""
    is_archived = job.experiment.spec.state == ARCHIVED
    if not is_archived and not job.is_record:
        return draft
    from tjgen.language.runs.archive import BY_EXPERIMENT, archived, by_lock  # most runs are not records

    applied = draft.applied
    if is_archived:
        applied = archived(applied, BY_EXPERIMENT)
    if job.is_record:
        applied = archived(applied, by_lock(job.setting.run))
    return draft._replace(applied=applied)


def is_watched(spec: ExperimentSpec, setting: Setting) -> bool:
    """Whether a run takes something that others have too: of a quota, a queue, or storage that they may name."""
    cluster = setting.cluster
    if (
        setting.namespace in cluster.quotas
        or setting.namespace in cluster.limits
        or (spec.schedule.queue or "") in cluster.queues
        or (spec.sweep is not None and spec.sweep.max_parallel is not None)
    ):
        return True
    writable = [(name, volume) for name, volume in spec.volumes.items() if not volume.read_only]
    return any(source_of(volume).shared_as(name, volume, setting) is not None for name, volume in writable)
