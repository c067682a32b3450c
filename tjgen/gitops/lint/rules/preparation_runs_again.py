"""A Job that prepares data and runs again at every sync."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, JOB
from tjgen.gitops.lint.references import named_by
from tjgen.gitops.lint.rule import ARGOCD, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import annotation, hook_key, phases, policies

RULE = Rule(
    code="TJ633",
    name="preparation-runs-again",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/hook/delete_policy.go",
    since="0.1.0",
    title="A hook that writes to a claim runs at every sync.",
    why="With the delete policy BeforeHookCreation, which is the default, each full sync deletes and recreates the "
    "hook while runs read the data that it writes.",
    remedy="Use an ordinary Job with a hash of its content in its name and without a TTL, so that it runs once. If running it "
    "again does no harm, add the annotation `tjgen.dev/idempotent: 'true'`.",
    effects={
        ARGOCD: "Each full sync runs it again; self-heal does not.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/hook/delete_policy.go` (`DeletePolicies`).",
    tools=(ARGOCD,),
)

IDEMPOTENT = "tjgen.dev/idempotent"


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Job that is a hook and mounts a claim."""
    for job in scene.of(JOB):
        if not phases(job) or "BeforeHookCreation" not in policies(job) or str(job.annotations.get(IDEMPOTENT)) == "true":
            continue
        claim = next((one for one in named_by(scene, job) if one.kind == CLAIM), None)
        if claim is not None:
            message = f"it writes to claim {claim.name} again at every full sync"
            hint = f'use an ordinary Job with a hash in its name, or annotate it: {IDEMPOTENT}: "true"'
            yield Finding(job, annotation(hook_key(job)), message, hint=hint)
