"""One object twice in what one Application or Kustomization applies."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.order import applied_with
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ654",
    name="object-twice",
    severity=ERROR,
    evidence=SEEN,
    source=f"{sources.ARGOCD}/controller/state.go",
    since="0.1.0",
    title="Two manifests of one folder describe the same object.",
    why="Only one of them can be applied, and which one is undefined.",
    remedy="Remove one, or give it another name.",
    effects={
        ARGOCD: "A warning (RepeatedResource), and the last one wins.",
        FLUX: "The build fails: the resource is already registered.",
    },
    upstream="argo-cd `controller/state.go`; kustomize `api/resmap` (may not add resource with an already registered id).",
)


def check(scene: Scene) -> Iterator[Finding]:
    """Yield a finding for each object that existed before. Without a known owner, folders count as different environments."""
    first: dict[tuple[object, ...], AppliedObject] = {}
    for item in scene.items:
        if not item.name:
            continue
        other = first.setdefault((item.identity, applied_with(scene, item)), item)
        if other is not item:
            place = RelatedPlace(other, ("metadata", "name"), "the first")
            yield Finding(item, ("metadata", "name"), "it exists twice", hint="remove one of the two", related=(place,))
