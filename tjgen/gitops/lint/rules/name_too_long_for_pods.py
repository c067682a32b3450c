"""A name that is too long for the names derived from it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOBSET, TRAINJOB
from tjgen.gitops.lint.names import longest_jobset_name
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ653",
    name="name-too-long-for-pods",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.JOBSET}/webhooks/jobset_webhook.go",
    since="0.1.0",
    title="The name of a run is too long for the names of its pods, claims or labels.",
    why="The name of a TrainJob can have 63 characters. The server rejects a JobSet if the names of its pods have "
    "more. This limits the name to 48 characters for a job `node` of up to ten pods, and to 33 with a "
    "dataset-initializer. Only an event reports this.",
    remedy="Shorten the name.",
    effects={
        ARGOCD: "Synced and healthy; nothing runs.",
        FLUX: "Applied and ready; nothing runs.",
    },
    upstream="JobSet 0.12 `pkg/webhooks/jobset_webhook.go` (`ValidateCreate`).",
)
_WARNINGS = ("TJ852", "TJ860", "TJ861")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each TrainJob whose runtime is known, and for each JobSet."""
    for run in scene.of(TRAINJOB):
        for one in scene.expansion_diagnostics(run):
            if one.code in _WARNINGS:
                yield Finding(run, ("metadata", "name"), one.message, hint=one.hint or "shorten the name")
    for item in scene.of(JOBSET):
        most = longest_jobset_name(item.get("spec"))
        if len(item.name) > most:
            message = f"the name has {len(item.name)} characters, but with these jobs the JobSet is rejected above {most}"
            yield Finding(item, ("metadata", "name"), message, hint=f"use at most {most} characters")
