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
    name="patches-with-kueue",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.KUEUE}/controller/jobs/trainjob/trainjob_controller.go",
    since="0.1.0",
    title="A TrainJob with runtimePatches is applied on the client side, in a cluster with Kueue.",
    why="Kueue's webhook appends its own patch to every TrainJob that is created, with or without a queue. A "
    "client-side apply treats the list as one value. While the run is queued, a second sync succeeds and deletes "
    "Kueue's entry: the run keeps its "
    "quota and never starts, and Argo CD shows it as Synced and Healthy. While the run is running, and after it has "
    "ended, Trainer rejects the sync. Ignoring Kueue's entry in the comparison hides the difference but prevents "
    "neither problem.",
    remedy="Apply the run on the server side from its creation on: each manager then has its own entry. A run that has "
    "already lost Kueue's entry starts only after you delete and create it again.",
    effects={
        ARGOCD: "A queued run that is synced twice never starts. Later, every sync of the run is rejected.",
    },
    upstream="Kueue 0.19 `pkg/controller/jobs/trainjob`; Trainer 2.3 `pkg/webhooks/trainjob_webhook.go`.",
    tools=(ARGOCD,),
)
_GROUP = "kueue.x-k8s.io"


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each TrainJob, at its patches, if an object of the scene shows that the cluster has Kueue."""
    if not any(KUEUE_QUEUE in item.labels or item.kind[0] == _GROUP for item in scene.items):
        return
    for run in scene.of(TRAINJOB):
        if run.get("spec", "runtimePatches") and is_client_side(scene, run):
            message = "Kueue adds its own patch to these, and a client-side sync deletes it or is rejected"
            yield Finding(
                run,
                ("spec", "runtimePatches"),
                message,
                hint="apply it with ServerSideApply=true",
                key=True,
                changes=server_side(run),
            )
