"""A JobSet that a second client-side apply changes back."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import applies_again, is_client_side
from tjgen.gitops.lint.kinds import JOBSET
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.trees.fields.path import FieldPath, Tree, get

RULE = Rule(
    code="TJ645",
    name="jobset-defaults-left-out",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.JOBSET}/webhooks/jobset_webhook.go",
    since="0.1.0",
    title="A JobSet omits defaults inside a list, and is applied on the client side.",
    why="A webhook sets them only when the JobSet is created. The next client-side apply sends the whole list without "
    "them, which changes an immutable field: the sync fails although the manifest did not change.",
    remedy="Write the defaults (`completionMode`, `restartPolicy`, `groupName`, `replicas`), or apply on the server side.",
    effects={
        ARGOCD: "The first sync succeeds. The second is SyncFailed, while the Application is Synced.",
    },
    upstream="JobSet 0.12 `pkg/webhooks/jobset_webhook.go` (`Default`, `ValidateUpdate`).",
    tools=(ARGOCD,),
)
_POD: FieldPath = ("template", "spec", "template", "spec")
_DEFAULTS: tuple[tuple[FieldPath, Tree], ...] = (
    (("template", "spec", "completionMode"), "Indexed"),
    ((*_POD, "restartPolicy"), "OnFailure"),
)
"""What the webhook fills in on create alone."""
_OTHERS: tuple[tuple[FieldPath, Tree], ...] = ((("groupName",), "default"), (("replicas",), 1))


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each job that leaves something out."""
    for item in scene.of(JOBSET):
        if not is_client_side(scene, item) or not applies_again(scene, item):
            continue
        for path, job in item.maps("spec", "replicatedJobs"):
            missing = [(below, value) for below, value in _DEFAULTS if get(job, below, None) is None]
            if missing:
                others = [(below, value) for below, value in _OTHERS if get(job, below, None) is None]
                changes = tuple([FieldEdit(item, (*path, *below), value) for below, value in missing + others])
                names = " and ".join(str(below[-1]) for below, _ in missing)
                hint = "write " + ", ".join(f"{below[-1]}: {value}" for below, value in missing)
                yield Finding(item, path, f"it omits {names}, so the second sync is rejected", hint=hint, changes=changes)
