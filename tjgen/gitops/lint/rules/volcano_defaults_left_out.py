"""A Volcano Job that a second client-side apply changes back."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import applies_again, is_client_side
from tjgen.gitops.lint.kinds import VOLCANO_JOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SOURCE, Change, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ646",
    name="volcano-defaults-left-out",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.VOLCANO}/webhooks/admission/jobs/mutate/mutate_job.go",
    since="0.1.0",
    title="A Volcano Job leaves out defaults inside a list, and is applied on the client's side.",
    why="Volcano's webhook fills them in when the Job is created. The next client-side apply sends the whole list of tasks "
    "without them, which the webhook refuses, though nothing has changed.",
    remedy="Write `name` and `maxRetry` of every task, or apply on the server's side.",
    effects={
        ARGOCD: "The first sync succeeds. The second is SyncFailed, while the Application says Synced.",
    },
    upstream="volcano `pkg/webhooks/admission/jobs/mutate/mutate_job.go`, `validate/admit_job.go`.",
    tools=(ARGOCD,),
)
_RETRIES = 3


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each task that leaves something out."""
    for item in scene.of(VOLCANO_JOB):
        if not is_client_side(scene, item) or not applies_again(scene, item):
            continue
        for path, task in item.maps("spec", "tasks"):
            defaults = (("name", f"default{path[-1]}"), ("maxRetry", _RETRIES))
            missing = [(field, value) for field, value in defaults if task.get(field) is None]
            if missing:
                changes = tuple([Change(item, (*path, field), value) for field, value in missing])
                names = " and ".join(field for field, _ in missing)
                hint = "write " + ", ".join(f"{field}: {value}" for field, value in missing)
                yield Finding(item, path, f"it leaves out {names}, so the second sync is refused", hint=hint, changes=changes)
