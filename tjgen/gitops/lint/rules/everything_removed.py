"""Nothing is left of what an Application or Kustomization applied."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import stays
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SOURCE, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ639",
    name="everything-removed",
    severity=WARNING,
    evidence=SOURCE,
    source=f"{sources.ARGOCD}/controller/appcontroller.go",
    since="0.1.0",
    title="All objects of an Application or Kustomization were removed, but the Application or Kustomization remains.",
    why="The tools treat the last objects of a folder differently: Argo CD keeps them all, Flux deletes them all.",
    remedy="Remove the Application or Kustomization itself, after its runs are archived and its data protected, or keep one "
    "object.",
    effects={
        ARGOCD: "Argo CD refuses a sync that would prune every resource (`auto-sync will wipe out all resources`), "
        "unless `allowEmpty` is true; then it deletes all of them.",
        FLUX: "All are deleted.",
    },
    upstream="argo-cd `controller/appcontroller.go` (`autoSync`); fluxcd/kustomize-controller `prune`.",
    against=True,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Application and Kustomization of before and now of which nothing is left."""
    for tool in scene.synctools:
        left = {item.unit(tool.name) for item in scene.items}
        for owner in scene.of(tool.syncing[0]):
            removed = [item for item in scene.removed() if item.unit(tool.name) == owner.name and not stays(item, tool.name)]
            if removed and owner.name not in left:
                yield Finding(
                    owner, ("metadata", "name"), _outcome(owner, tool, len(removed)), hint="also remove it, or keep one object"
                )


def _outcome(owner: AppliedObject, tool: SyncTool, count: int) -> str:
    objects = f"{count} object{'s' if count > 1 else ''}"
    allowed = owner.get("spec", "syncPolicy", "automated", "allowEmpty") is True
    kept = tool.refuses_to_remove_all and not allowed
    return f"its {objects} were removed: " + ("the sync is refused" if kept else "all are deleted")
