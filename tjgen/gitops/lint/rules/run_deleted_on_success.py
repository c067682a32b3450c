"""An object of a run that is a hook and deleted as soon as it succeeds."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import RUNS
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import DELETE_POLICY, HELM_DELETE_POLICY, HELM_HOOK, HOOK, annotation, hook_key, phases, policies

RULE = Rule(
    code="TJ601",
    name="run-deleted-on-success",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/sync_context.go",
    since="0.1.0",
    title="A run is a hook with the delete policy HookSucceeded.",
    why="Argo CD has no health check for TrainJob, JobSet, Volcano Job and the jobs of the Training Operator. Such a hook "
    "counts as successful as soon as it is created, and is deleted seconds later. The run never starts.",
    remedy="Use an ordinary object: remove the hook annotations, and set a wave if it must be applied after other objects.",
    effects={
        ARGOCD: "The hook is created, counts as done, and is deleted with its pods. The sync is Succeeded.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`, `gitops-engine/pkg/health/health.go` (no check: nil).",
    tools=(ARGOCD,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run, at the policy."""
    for run in scene.of(*RUNS):
        if phases(run) and "HookSucceeded" in policies(run):
            key = DELETE_POLICY if DELETE_POLICY in run.annotations else HELM_DELETE_POLICY
            yield Finding(
                run,
                annotation(key),
                f"as a {phases(run)[0]} hook it is deleted as soon as it is created",
                hint=f"remove the annotations {hook_key(run)} and {key}",
                changes=no_hook(run),
            )


def no_hook(run: AppliedObject) -> tuple[FieldEdit, ...]:
    """What makes an ordinary object of a hook."""
    keys = (HOOK, DELETE_POLICY, HELM_HOOK, HELM_DELETE_POLICY)
    return tuple([FieldEdit(run, annotation(key)) for key in keys if key in run.annotations])
