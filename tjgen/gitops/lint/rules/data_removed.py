"""A claim or a namespace that goes, and its data with it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.kinds import CLAIM, NAMESPACE
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ636",
    name="data-removed",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/sync_context.go",
    since="0.1.0",
    title="An unprotected PersistentVolumeClaim or Namespace was removed.",
    why="The tool deletes it. If the class reclaims volumes, the data is lost. The tool reads protection from the "
    "object in the cluster, so protection that is added in the commit that removes the manifest has no effect.",
    remedy="Do it in two steps: restore the manifest with protection, sync, and then remove it. The object then stays "
    "without an owner.",
    effects={
        ARGOCD: "It is pruned in the foreground.",
        FLUX: "It is deleted; removing the Kustomization deletes all objects that it created.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; fluxcd/pkg `ssa/manager_delete.go`.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object of before that some tool prunes, where it stood."""
    for item in scene.removed(CLAIM, NAMESPACE):
        if any(not stays(item, tool) for tool in scene.tools):
            what = "everything in it" if item.kind == NAMESPACE else "its data"
            message = f"it was removed without protection, so {what} is deleted"
            yield Finding(item, ("metadata", "name"), message, hint="restore it with protection, sync, then remove it")
