"""An object without a namespace, next to others that have one."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM, CONFIGMAP, CRONJOB, JOB, KUSTOMIZATION, POD, PODGROUP, RUNS, RUNTIME, SECRET, SERVICE
from tjgen.gitops.lint.order import applied_with, kustomization_of
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ666",
    name="namespace-left-out",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_GUIDE}/sync-options/",
    since="0.1.0",
    title="An object has no namespace, but other objects that are applied with it have one.",
    why="It goes to a default namespace that the manifest does not show, where objects that refer to it may not find it.",
    remedy="Write the namespace into every object.",
    effects={
        ARGOCD: "It goes to the namespace of the Application's destination.",
        FLUX: "Without `spec.targetNamespace` it is refused (namespace not specified).",
    },
    upstream="argo-cd documentation, Application `spec.destination`; fluxcd documentation, `targetNamespace`.",
)
_NAMESPACED = (*RUNS, RUNTIME, JOB, CRONJOB, CLAIM, CONFIGMAP, SECRET, SERVICE, POD, PODGROUP)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each of them. No fix: the namespace of other objects need not be the one that was meant."""
    by_owner: dict[tuple[str, ...], dict[str, AppliedObject]] = {}
    for item in scene.of(*_NAMESPACED):
        namespace = item.get("metadata", "namespace")
        if namespace:
            by_owner.setdefault(applied_with(scene, item), {}).setdefault(str(namespace), item)
    for item in scene.of(*_NAMESPACED):
        if item.get("metadata", "namespace"):
            continue
        others = by_owner.get(applied_with(scene, item), {})
        owner = kustomization_of(scene, item) if FLUX in scene.tools else None
        refused = owner is not None and owner.kind == KUSTOMIZATION and not owner.get("spec", "targetNamespace")
        if not others and not refused:
            continue
        related = tuple([RelatedPlace(one, ("metadata", "namespace"), "says one") for one in list(others.values())[:1]])
        hint = (
            f"write metadata.namespace; other objects here are in {', '.join(sorted(others))}"
            if others
            else "set metadata.namespace"
        )
        message = f"it has no namespace, and {owner} sets no default" if refused else "it has no namespace, but others have one"
        yield Finding(item, ("metadata",), message, hint=hint, key=True, related=related)
