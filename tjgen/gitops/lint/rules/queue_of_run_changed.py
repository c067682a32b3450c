"""A run that is to change its queue while it may run."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOB, RUNS, suspend_of
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, ERROR, FLUX, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ650",
    name="queue-of-run-changed",
    severity=ERROR,
    evidence=DOCUMENTED,
    source=f"{sources.KUEUE}/controller/jobframework/validation.go",
    since="0.1.0",
    title="The queue of a run has changed while the run is not suspended.",
    why="Kueue's webhook rejects a change of the queue of a run that is not suspended.",
    remedy="Give the run another name, or suspend it first.",
    effects={
        ARGOCD: "The object is SyncFailed, and later waves are not applied.",
        FLUX: "The dry run fails, so no object of the Kustomization is applied.",
    },
    upstream="Kueue `pkg/controller/jobframework/validation.go`.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each of them, at the label."""
    for pair in scene.pairs(*RUNS, JOB):
        old, new = pair.old.labels.get(KUEUE_QUEUE), pair.new.labels.get(KUEUE_QUEUE)
        field = suspend_of(pair.new.kind)
        suspended = pair.old.get(*field) is True and pair.new.get(*field) is True
        if old is not None and old != new and not suspended:
            path = ("metadata", "labels", KUEUE_QUEUE) if new is not None else ("metadata", "labels")
            message = f"its queue changes from {old} to {new or 'none'}, which Kueue rejects while the run is not suspended"
            yield Finding(pair.new, path, message, hint="give the run another name")
