"""A claim that goes with its manifest, or with the Application, and its data with it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import CLAIM
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.sync import OPTIONS, PRUNE, RECONCILE, annotation, has_option, mark, phases, with_options
from tjgen.trees.fields.path import Tree

RULE = Rule(
    code="TJ638",
    name="unprotected-claim",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.ARGOCD_SYNC}/common/types.go",
    since="0.1.0",
    title="A PersistentVolumeClaim is not protected from pruning.",
    why="A claim is deleted with its manifest, even if the folder is only renamed. If the class reclaims volumes, the "
    "data is lost. Tools read protection from the object in the cluster, so protection must be applied before the "
    "commit that removes the claim.",
    remedy="Annotate the claim from the first commit on. `Prune=false` covers removal from Git, and `Delete=false` "
    "covers deletion of the Application: a claim needs both.",
    effects={
        ARGOCD: "If the claim is removed from Git, it is pruned. If the Application is removed, the claim is deleted "
        "in the cascade.",
        FLUX: "If the claim is removed from the Kustomization, it is deleted, unless it is marked `prune: disabled`.",
    },
    upstream="argo-cd `gitops-engine/pkg/sync/common/types.go` (`Prune=false`, `Delete=false`); fluxcd/pkg `ssa/utils/meta.go`.",
)
_HINT = "set spec.gitops.tool in tjgen.yaml, so that tjgen build annotates claims for the tool"
_ARGOCD = ("Prune=false", "Delete=false")
_CAUTIOUS = ("Prune=confirm", "Delete=confirm")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each claim, with the annotations that are missing for the tools."""
    for claim in scene.of(CLAIM):
        missing = dict(_missing(claim, scene))
        if missing:
            annotations = ", ".join(f'{key}: "{value}"' for key, value in missing.items())
            message = (
                "its data is lost when it is removed from Git"
                if PRUNE in missing or not _keeps(claim, 0)
                else ("its data is lost when the Application is deleted")
            )
            changes = tuple([FieldEdit(claim, annotation(key), value) for key, value in missing.items()])
            yield Finding(
                claim,
                ("metadata", "name"),
                message,
                hint=f"annotate it: {annotations}" if claim.document is not None else _HINT,
                changes=changes,
            )


def _missing(claim: AppliedObject, scene: Scene) -> Iterator[tuple[str, Tree]]:
    if ARGOCD in scene.tools and not phases(claim):
        needed = tuple([option for at, option in enumerate(_ARGOCD) if not _keeps(claim, at)])
        if needed:
            yield OPTIONS, with_options(claim, add=needed)
    if FLUX in scene.tools and mark(claim, PRUNE) != "disabled" and mark(claim, RECONCILE) != "disabled":
        yield PRUNE, "disabled"


def _keeps(claim: AppliedObject, at: int) -> bool:
    return has_option(claim, _ARGOCD[at]) or has_option(claim, _CAUTIOUS[at])
