"""A sync that impersonates no account, next to others that do."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import KUSTOMIZATION
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SOURCE, WARNING, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import Scene
from tjgen.gitops.lint.tenancy import account_of, app_project_of, syncs

RULE = Rule(
    code="TJ694",
    name="sync-without-account",
    severity=WARNING,
    evidence=SOURCE,
    source=f"{sources.ARGOCD}/util/settings/impersonation.go",
    since="0.1.0",
    title="A sync impersonates no account, but other syncs in the same place do.",
    why="The tool then applies the objects with the permissions of its controller, usually those of a cluster "
    "administrator. No error shows that the restriction does not apply.",
    remedy="Set an account for each sync of a team.",
    effects={
        ARGOCD: "No entry of `destinationServiceAccounts` fits the destination, so the sync uses the account of the controller. "
        "If impersonation is enforced, the sync fails.",
        FLUX: "The Kustomization is applied with the permissions of the controller. With `--default-service-account`, "
        "it has the permissions of that account.",
    },
    upstream="argo-cd v3.5 `DeriveServiceAccountToImpersonate`; fluxcd/kustomize-controller 1.9 `reconcile`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each Application that no entry of its AppProject fits, and for each Kustomization without an account."""
    if FLUX in scene.tools:
        confined = {one.namespace: one for one in scene.of(KUSTOMIZATION) if one.get("spec", "serviceAccountName")}
        for one in scene.of(KUSTOMIZATION):
            other = confined.get(one.namespace)
            if other is not None and not one.get("spec", "serviceAccountName"):
                message = f"Flux applies it with its own permissions, but {other} as {other.get('spec', 'serviceAccountName')}"
                yield Finding(one, ("spec",), message, hint="set serviceAccountName")
    for sync in syncs(scene) if ARGOCD in scene.tools else ():
        project = app_project_of(scene, sync)
        is_template = "{{" in f"{sync.destination('server')}{sync.destination('namespace')}"
        if project is None or is_template or not project.get("spec", "destinationServiceAccounts"):
            continue
        if account_of(project, sync) is None:
            place = RelatedPlace(project, ("spec", "destinationServiceAccounts"), "has no entry for this destination")
            message = f"no account of {project} fits this destination, so Argo CD syncs with its own permissions"
            hint = "set the namespace of the destination, or add an entry"
            yield Finding(sync.owner, (*sync.path, "destination"), message, hint=hint, related=(place,))
