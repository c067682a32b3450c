"""G19: a Volcano Job has changed in more than its four mutable fields."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint.kinds import VOLCANO_JOB
from tjgen.gitops.lint.refusals import refused_changes
from tjgen.gitops.lint.rule import ERROR, SOURCE, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ619",
    name="volcano-job-changed",
    severity=ERROR,
    evidence=SOURCE,
    title="A Volcano Job has changed in more than its four mutable fields.",
    why="Only `minAvailable`, `priorityClassName`, and the replicas and `minAvailable` of tasks may change. The webhook "
    "answers with 400, which no force helps against.",
    remedy="Give the changed Job another name.",
    argocd="The object is SyncFailed; after five retries nothing happens until the next commit. Later waves are not applied. "
    "`Force=true` does nothing about a 400.",
    flux="The dry run fails, so nothing of the whole Kustomization is applied, and it is tried again for ever. `force` "
    "does nothing about a 400.",
    upstream="Volcano `pkg/webhooks/admission/jobs/validate/admit_job.go` (`validateJobUpdate`).",
    tools=(),
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each field that is refused."""
    yield from refused_changes(scene, VOLCANO_JOB, "give the Job another name")
