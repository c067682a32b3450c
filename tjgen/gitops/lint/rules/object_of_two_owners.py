"""One object that two Applications or Kustomizations apply to one cluster."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import KUSTOMIZATION, SYNCED_BY
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, ERROR, FLUX, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ655",
    name="object-of-two-owners",
    severity=ERROR,
    evidence=DOCUMENTED,
    source=f"{sources.ARGOCD_GUIDE}/sync-options/",
    since="0.1.0",
    title="Two Applications or Kustomizations apply the same object to the same cluster.",
    why="Each treats it as its own: they overwrite each other, and the first from which it is removed deletes it.",
    remedy="Keep it in one of them, or let each have its own name.",
    effects={
        ARGOCD: "SharedResourceWarning; with `FailOnSharedResource=true` the sync fails, without it, the two prune "
        "and apply in turn.",
        FLUX: "Each writes its owner labels at every interval, and the one that loses the object prunes it.",
    },
    upstream="argo-cd documentation, sync options; fluxcd/kustomize-controller documentation, prune.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object of which the owners are among the manifests and have one destination."""
    for tool, kind in SYNCED_BY:
        if tool not in scene.tools:
            continue
        owners = {owner.name: owner for owner in scene.of(kind)}
        first: dict[object, AppliedObject] = {}
        for item in scene.items:
            owner = owners.get(item.unit(tool))
            if owner is None or not item.name:
                continue
            key = (item.kind, _namespace(item, owner), item.name, _cluster(owner))
            other = first.setdefault(key, item)
            if other.unit(tool) != item.unit(tool):
                message = f"{owners[other.unit(tool)]} and {owner} both apply it"
                place = RelatedPlace(other, ("metadata", "name"), f"applied by {owners[other.unit(tool)]}")
                yield Finding(item, ("metadata", "name"), message, hint=_hint(item, other, owner), related=(place,))


def _hint(item: AppliedObject, other: AppliedObject, owner: AppliedObject) -> str:
    if item.file == other.file:
        return f"let the source of {owner} exclude {item.file}"
    return f"remove it from {item.file} or from {other.file}, or give one of the two another name"


def _cluster(owner: AppliedObject) -> str:
    if owner.kind == KUSTOMIZATION:
        return str(owner.map("spec", "kubeConfig"))
    return str(owner.get("spec", "destination", "server") or owner.get("spec", "destination", "name"))


def _namespace(item: AppliedObject, owner: AppliedObject) -> str:
    """Return the destination: a Kustomization may override it, an Application sets it for objects without one."""
    if not item.namespace:
        return ""
    if owner.kind == KUSTOMIZATION and owner.get("spec", "targetNamespace"):
        return str(owner.get("spec", "targetNamespace"))
    namespace = item.get("metadata", "namespace")
    return str(namespace or owner.get("spec", "destination", "namespace") or "default")
