"""More objects than one Application or Kustomization takes well."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ658",
    name="too-many-objects",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.ARGOCD_MANUAL}/high_availability/",
    since="0.1.0",
    title="One Application or Kustomization applies a very large number of objects.",
    why="Every sync compares all of them, one failing object delays the rest, and the list of results can exceed its size limit.",
    remedy="Use several Applications or Kustomizations, such as one for each experiment.",
    effects={
        ARGOCD: "Above about 1000 objects the results of a sync fill its status; manifests of a folder above 10 MB are refused "
        "(`reposerver.max.combined.directory.manifests.size`).",
        FLUX: "The inventory is one status: keep it below 5000 objects.",
    },
    upstream="argo-cd `reposerver/repository`, operator manual; fluxcd/kustomize-controller `status.inventory`.",
    by_default=False,
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each unit, at its Application or Kustomization, or at the first object that is too many."""
    for tool in scene.synctools:
        members: dict[str, list[AppliedObject]] = {}
        for item in scene.items:
            members.setdefault(item.unit(tool.name), []).append(item)
        owners = {owner.name: owner for owner in scene.of(tool.syncing[0])}
        for unit, items in members.items():
            size = sum({item.file: len(item.document.text) for item in items if item.document is not None}.values())
            many = len(items) > tool.most_objects
            if many or (tool.most_bytes and size > tool.most_bytes):
                at = owners.get(unit, items[tool.most_objects] if many else items[-1])
                message = (
                    f"{len(items)} objects are applied together" if many else f"manifests of {size} bytes are applied together"
                )
                yield Finding(
                    at, ("metadata", "name"), message, hint="split the folder into several Applications or Kustomizations"
                )
