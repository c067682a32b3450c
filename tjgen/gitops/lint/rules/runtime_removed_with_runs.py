"""A runtime and its runs that go together."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.kinds import RUNTIMES, TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import wave

RULE = Rule(
    code="TJ674",
    name="runtime-removed-with-runs",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.TRAINER}/webhooks/trainjob_webhook.go",
    since="0.1.0",
    release="Trainer 2.3",
    title="One commit removes a runtime and its runs, which are not in different waves.",
    why="Argo CD deletes in the foreground, which ends with an update of the TrainJob. Trainer 2.3 rejects every "
    "update without the runtime, so the runs stay Terminating, and their names cannot be used.",
    remedy="Remove the runs in an earlier commit, or give the runtime an earlier wave in a commit before this one: "
    "pruning uses the reverse order. To repair, run `kubectl delete trainjob` again, in the background.",
    effects={
        ARGOCD: "The sync is Succeeded, and the TrainJobs stay Terminating.",
    },
    upstream="Trainer 2.3 `pkg/webhooks/trainjob_webhook.go`; argo-cd `gitops-engine/pkg/sync/sync_context.go`.",
    tools=(ARGOCD,),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each runtime, where it stood, by the waves that were synced."""
    removed = [run for run in scene.removed(TRAINJOB) if not stays(run, ARGOCD)]
    for runtime in scene.removed(*RUNTIMES):
        runs = [run for run in removed if scene.runtime_ref(run) == runtime.identity]
        stuck = [run for run in runs if run.unit(ARGOCD) == runtime.unit(ARGOCD) and wave(runtime) >= wave(run)]
        if stuck and not stays(runtime, ARGOCD):
            more = f" and {len(stuck) - 1} more" if len(stuck) > 1 else ""
            message = f"it is deleted while {stuck[0]}{more} still needs it to be deleted, and stays Terminating"
            related = (RelatedPlace(stuck[0], ("metadata", "name"), "refers to it"),)
            yield Finding(
                runtime,
                ("metadata", "name"),
                message,
                hint="remove the runs first, and the runtime in a later commit",
                related=related,
            )
