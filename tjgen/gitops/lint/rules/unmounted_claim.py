"""A claim that nothing mounts."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, JOB, RUNS
from tjgen.gitops.lint.references import Users
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, Finding, Rule
from tjgen.gitops.lint.rules.claim_before_its_consumer import binding_mode
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ605",
    name="unmounted-claim",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_HEALTH}/health_pvc.go",
    since="0.1.0",
    title="Nothing among the manifests mounts a PersistentVolumeClaim.",
    why="A claim of a class with WaitForFirstConsumer that no pod mounts stays Pending, so anything that waits for it never"
    " finishes.",
    remedy="Remove the claim, or mount it; a claim that only keeps data must not be part of a health check.",
    effects={
        ARGOCD: "The Application stays Progressing; the sync itself succeeds if the claim is in the last wave.",
        FLUX: "A Kustomization with `wait: true` times out.",
    },
    upstream="argo-cd `gitops-engine/pkg/health/health_pvc.go`; fluxcd/cli-utils kstatus.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each claim, if there are pods in its namespace: else those who mount it are elsewhere."""
    claims = scene.of(CLAIM)
    if not claims:
        return
    peopled = {item.namespace for item in scene.of(JOB, *RUNS)}
    users = Users(scene, CLAIM)
    copied = {(claim.namespace, str(claim.map("spec", field).get("name"))) for claim in claims for field in _COPIES}
    for claim in claims:
        known = users.of(claim) or (claim.namespace, claim.name) in copied or binding_mode(scene, claim) == "Immediate"
        if claim.namespace in peopled and not known:
            yield Finding(claim, ("metadata", "name"), "nothing here mounts it", hint="remove it, or mount it")


_COPIES = ("dataSource", "dataSourceRef")
