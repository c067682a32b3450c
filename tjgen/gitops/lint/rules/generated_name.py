"""An object whose name the server makes."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.sync import phases

RULE = Rule(
    code="TJ612",
    name="generated-name",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/sync_context.go",
    since="0.1.0",
    title="An object has `generateName` and no name.",
    why="Tools identify applied objects by name, but the server generates a different name each time.",
    remedy="Give it a name that identifies its content, such as one that ends in a hash, as tjgen does.",
    effects={
        ARGOCD: "The object cannot be applied. With `Replace=true` each sync creates another object, and none is ever pruned.",
        FLUX: "The build fails: kustomize needs a name.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/sync_context.go`; kustomize `api/resource`, which has no generateName.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object but hooks of Argo CD, whose names it makes itself."""
    for item in scene.items:
        prefix = item.map("metadata").get("generateName")
        if not prefix or item.name or (phases(item) and all(tool.has_hooks for tool in scene.synctools)):
            continue
        message = f'the server generates its name from "{prefix}", so no sync finds it again'
        yield Finding(item, ("metadata", "generateName"), message, hint="write metadata.name", key=True)
