"""A TrainJob with patches of its own, to which Kueue adds one."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import is_client_side, server_side
from tjgen.gitops.lint.kinds import TRAINJOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.k8s.labels import KUEUE_QUEUE

RULE = Rule(
    code="TJ647",
    name="patches-beside-kueue",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.KUEUE}/controller/jobs/trainjob/trainjob_controller.go",
    since="0.1.0",
    title="A queued TrainJob has runtimePatches and is applied on the client's side.",
    why="Kueue appends a patch of its own to the list when the TrainJob is created. To a client-side apply the list is one "
    "value, so it takes Kueue's entry away again, which Trainer refuses while the run is not suspended.",
    remedy="Apply it on the server's side, where each manager has its entry, or ignore Kueue's entry: "
    '`.spec.runtimePatches[] | select(.manager == "kueue.x-k8s.io/manager")`.',
    effects={
        ARGOCD: "The Application stays OutOfSync, and every later sync of the object is refused.",
    },
    upstream="Kueue 0.17 `pkg/controller/jobs/trainjob`; Trainer 2.3 `pkg/webhooks/trainjob_webhook.go`.",
    tools=(ARGOCD,),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each queued TrainJob, at its patches."""
    for run in scene.of(TRAINJOB):
        if run.get("spec", "runtimePatches") and KUEUE_QUEUE in run.labels and is_client_side(scene, run):
            message = "Kueue adds a patch to these, and every later sync takes it away again, and is refused"
            yield Finding(
                run,
                ("spec", "runtimePatches"),
                message,
                hint="apply it with ServerSideApply=true",
                key=True,
                changes=server_side(run),
            )
