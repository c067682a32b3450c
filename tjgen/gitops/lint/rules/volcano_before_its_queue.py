"""A Volcano job whose queue or priority class does not come before it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import PRIORITY_CLASS, TRAINJOB, VOLCANO_JOB, VOLCANO_QUEUE
from tjgen.gitops.lint.order import step
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SOURCE, FieldEdit, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import WAVE, annotation, is_record
from tjgen.trees.fields.path import FieldPath, Tree, get

RULE = Rule(
    code="TJ608",
    name="volcano-before-its-queue",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.VOLCANO}/webhooks/admission/jobs/validate/admit_job.go",
    since="0.1.0",
    title="A Volcano job is not applied after its Queue or PriorityClass.",
    why="Volcano's webhook rejects a Job whose Queue is missing or not open. Trainer's webhook rejects a TrainJob "
    "with a Volcano gang "
    "whose PriorityClass is missing.",
    remedy="Apply queues and priority classes earlier: in an earlier wave, or in a separate Kustomization.",
    effects={
        ARGOCD: "Within a wave, Argo CD applies the kind Job before Queue, and TrainJobs and priority classes by "
        "name, so the run is rejected.",
        FLUX: "With its Queue in the same Kustomization, the dry run of the Job always fails. Priority classes have "
        "their own stage, so they work.",
    },
    upstream="Volcano `pkg/webhooks/admission/jobs/validate/admit_job.go`; Trainer "
    "`pkg/runtime/framework/plugins/volcano/volcano.go`; argo-cd `sync_tasks.go`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each queue or class that comes too late, at the job that needs it."""
    for run, needed, path in _needs(scene):
        first, then = step(needed), step(run)
        late = first is not None and then is not None and needed.unit(ARGOCD) == run.unit(ARGOCD) and first >= then
        if any(tool.wave for tool in scene.synctools) and late and then is not None:
            wave = str(then[1] - 10)
            yield Finding(
                run,
                path,
                f"{needed} is not applied before it",
                hint=f'give {needed} the annotation {WAVE}: "{wave}"',
                changes=(FieldEdit(needed, annotation(WAVE), wave),),
                related=(RelatedPlace(needed, ("metadata", "name"), "is in the same wave, or a later one"),),
            )
            continue
        is_in_unit = needed.kind == VOLCANO_QUEUE and needed.unit(FLUX) == run.unit(FLUX)
        if any(tool.dry_runs_all for tool in scene.synctools) and is_in_unit and not is_record(run, FLUX):
            hint = f"put {needed} into a Kustomization that this one depends on"
            yield Finding(run, path, f"{needed} is in the same Kustomization", hint=hint)


def _needs(scene: Scene) -> Iterator[tuple[AppliedObject, AppliedObject, FieldPath]]:
    """Yield Jobs with the parts of the scene that they need, and the field that refers to them."""
    for run in scene.of(VOLCANO_JOB):
        queue = scene.find(VOLCANO_QUEUE, "", str(run.get("spec", "queue", default="")))
        if queue is not None:
            yield run, queue, ("spec", "queue")
    for run in scene.of(TRAINJOB):
        runtime = scene.runtime_of(run)
        if runtime is None or "volcano" not in runtime.map("spec", "podGroupPolicy"):
            continue
        for _, job in runtime.maps("spec", "template", "spec", "replicatedJobs"):
            name = _priority(job)
            priority_class = scene.find(PRIORITY_CLASS, "", name) if name else None
            if priority_class is not None:
                yield run, priority_class, ("spec", "runtimeRef")
                break


def _priority(job: Tree) -> str:
    return str(get(job, ("template", "spec", "template", "spec", "priorityClassName"), None) or "")
