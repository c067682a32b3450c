"""A hook whose generated name leaves no room for those of its pods."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import JOBSET, TRAINJOB
from tjgen.gitops.lint.names import longest_jobset_name
from tjgen.gitops.lint.rule import ARGOCD, ERROR, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Item, Scene
from tjgen.gitops.lint.sync import phases
from tjgen.trees.k8s.names import LABEL_LENGTH

RULE = Rule(
    code="TJ613",
    name="generated-name-too-long",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/sync_context.go",
    since="0.1.0",
    title="The name that Argo CD makes for a hook is too long for the JobSet of a run.",
    why="Argo CD adds 23 to 27 characters to the prefix: seven of the revision, the phase and the time. JobSet refuses a "
    "name that is too long for the names of its pods. For a TrainJob, only an event reports this.",
    remedy="Shorten the prefix; better, give the run a name and no hook.",
    effects={
        ARGOCD: "The hook is created and counts as successful; no pod ever runs.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; JobSet v0.12 `pkg/webhooks/jobset_webhook.go`.",
    tools=(ARGOCD,),
)

_ADDED = 7 + 1 + 1 + 10
"""Revision, two hyphens and seconds; the phase comes beside them."""


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each run whose name is made by Argo CD and too long in one of its phases."""
    for run in scene.of(TRAINJOB, JOBSET):
        prefix = str(run.map("metadata").get("generateName") or "")
        if not prefix or run.name or not phases(run):
            continue
        longest = _longest_name(scene, run)
        length = len(prefix) + _ADDED + max(len(phase) for phase in phases(run))
        if length > longest:
            message = f'the name that is derived from "{prefix}" has {length} characters, and its pods allow {longest}'
            hint = f"shorten the prefix to {max(0, longest - length + len(prefix))} characters, or write metadata.name"
            yield Finding(run, ("metadata", "generateName"), message, hint=hint)


def _longest_name(scene: Scene, run: Item) -> int:
    """How long the name may be, as far as the jobs of its JobSet are known."""
    if run.kind == JOBSET:
        return longest_jobset_name(run.get("spec"))
    expansion = scene.expansion(run)
    jobsets = (
        [created.tree for created in expansion.objects if created.tree.get("kind") == "JobSet"] if expansion is not None else []
    )
    return min((longest_jobset_name(jobset.get("spec")) for jobset in jobsets), default=LABEL_LENGTH)
