"""An encrypted object that the sync tool does not decrypt."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.order import application_of, kustomization_of
from tjgen.gitops.lint.rule import ARGOCD, DOCUMENTED, FLUX, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene

RULE = Rule(
    code="TJ663",
    name="no-decryption",
    severity=WARNING,
    evidence=DOCUMENTED,
    source=f"{sources.FLUX_GUIDES}/mozilla-sops/",
    since="0.1.0",
    title="An object is encrypted with SOPS, and the tool that applies it does not decrypt.",
    why="Pods get ciphertext, or no object is applied.",
    remedy="Set `spec.decryption` of the Kustomization; with Argo CD use a plugin that decrypts, or SealedSecrets.",
    effects={
        ARGOCD: "It is applied as it is, encrypted, unless a plugin builds the folder.",
        FLUX: "Without `spec.decryption`, Flux refuses it.",
    },
    upstream="fluxcd documentation, SOPS; argo-cd documentation, secret management.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object with `sops`, where the Application or Kustomization is among the manifests."""
    for item in scene.items:
        if item.tree.get("sops") is None:
            continue
        flux = kustomization_of(scene, item) if FLUX in scene.tools else None
        argocd = application_of(scene, item) if ARGOCD in scene.tools else None
        if flux is not None and not flux.map("spec", "decryption"):
            place = RelatedPlace(flux, ("spec",), "has no decryption")
            yield Finding(item, ("sops",), f"{flux} does not decrypt it", hint="set spec.decryption", key=True, related=(place,))
        if argocd is not None and "plugin" not in argocd.map("spec", "source"):
            place = RelatedPlace(argocd, ("spec", "source"), "has no plugin")
            yield Finding(
                item, ("sops",), f"{argocd} applies it encrypted", hint="use a plugin that decrypts", key=True, related=(place,)
            )
