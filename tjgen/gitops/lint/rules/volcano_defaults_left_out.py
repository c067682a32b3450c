"""A Volcano Job that a second apply changes back."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.volcano import TOLERATED, task_defaults
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import applies_again
from tjgen.gitops.lint.kinds import VOLCANO_JOB
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SOURCE, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ646",
    name="volcano-defaults-left-out",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.VOLCANO}/webhooks/admission/jobs/mutate/mutate_job.go",
    since="0.1.0",
    title="A task of a Volcano Job omits defaults of the webhook.",
    why="Volcano's webhook adds defaults to each task only when the Job is created. Every apply, on "
    "the client or the server, replaces the whole list of tasks. Missing defaults then count as a change, which the "
    "webhook rejects, although the manifest did not change.",
    remedy="Write the defaults of every task. `tjgen lint --fix` adds them.",
    effects={
        ARGOCD: "The first sync succeeds. The second is SyncFailed, while the Application is Synced.",
        FLUX: "The first reconciliation succeeds. The second fails its dry run, which stops the whole Kustomization.",
    },
    upstream="volcano `pkg/webhooks/admission/jobs/mutate/mutate_job.go`, `validate/admit_job.go`.",
    tools=(ARGOCD, FLUX),
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each task that leaves out a default that may not change."""
    for item in scene.of(VOLCANO_JOB):
        if not applies_again(scene, item):
            continue
        for path, task in item.maps("spec", "tasks"):
            missing = task_defaults(task, int(str(path[-1])))
            if all(field in TOLERATED for field, _ in missing):
                continue
            changes = tuple([FieldEdit(item, (*path, *field), value) for field, value in missing])
            names = " and ".join(".".join(map(str, field)) for field, _ in missing if field not in TOLERATED)
            hint = "write " + ", ".join(f"{'.'.join(map(str, field))}: {value}" for field, value in missing)
            yield Finding(item, path, f"it omits {names}, so the second sync is rejected", hint=hint, changes=changes)
