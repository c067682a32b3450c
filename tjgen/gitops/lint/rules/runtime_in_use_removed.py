"""A runtime that goes while runs refer to it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.kinds import RUNTIMES, TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Kind, Scene

RULE = Rule(
    code="TJ641",
    name="runtime-in-use-removed",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.TRAINER}/webhooks/trainjob_webhook.go",
    since="0.1.0",
    title="A runtime was removed, but TrainJobs refer to it.",
    why="Trainer's webhook requires the runtime at every update of a TrainJob, including its finalizers and metadata. "
    "Without it, a run cannot be changed, resumed or deleted in the foreground.",
    remedy="Keep the runtime until no run refers to it; remove the runs in an earlier commit.",
    effects={
        ARGOCD: "Up to Trainer 2.2 the sync waits for the finalizer of the runtime. With 2.3 it is deleted, and a run that is "
        "pruned later stays Terminating.",
        FLUX: "With Trainer 2.3 the dry run of the unchanged TrainJob fails, so nothing of its Kustomization is applied.",
    },
    upstream="Trainer 2.3 `pkg/webhooks/trainjob_webhook.go`; 2.2 finalizer `trainer.kubeflow.org/resource-in-use`.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each removed runtime with a run that stays, where the runtime stood."""
    users: dict[tuple[Kind, str, str], list[AppliedObject]] = {}
    for run in scene.of(TRAINJOB):
        users.setdefault(scene.runtime_ref(run), []).append(run)
    for runtime in scene.removed(*RUNTIMES):
        runs = users.get(runtime.identity, [])
        if runs and not all(stays(runtime, tool) for tool in scene.tools):
            more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
            message = f"it was removed, so {runs[0]}{more} can no longer be updated, resumed or deleted in the foreground"
            related = (RelatedPlace(runs[0], ("spec", "runtimeRef"), "refers to it"),)
            yield Finding(runtime, ("metadata", "name"), message, hint="restore it until no run refers to it", related=related)
