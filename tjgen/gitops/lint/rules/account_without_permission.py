"""A sync as an account that may not apply what it syncs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.gitops.lint import sources
from tjgen.gitops.lint.kinds import KUSTOMIZATION
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, INFO, SOURCE, Finding, RelatedPlace, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.tenancy import account_of, app_project_of, is_granted, resource_of, roles_of, syncs
from tjgen.trees.fields.path import FieldPath

RULE = Rule(
    code="TJ693",
    name="account-without-permission",
    severity=ERROR,
    evidence=SOURCE,
    source=f"{sources.FLUX_CONTROLLER}/internal/controller/kustomization_controller.go",
    since="0.1.0",
    title="The account of a sync lacks the permission to apply an object.",
    why="The tool impersonates the account for every request, so the API server rejects requests that no role of the "
    "account permits.",
    remedy="Give the account a Role for the kind in this namespace. `serviceAccountName` of a project writes one that fits "
    "its runs.",
    effects={
        ARGOCD: "The object fails to sync: is forbidden: User system:serviceaccount:NAMESPACE:NAME cannot patch.",
        FLUX: "The dry run fails, and no object of the Kustomization is applied.",
    },
    upstream="fluxcd/kustomize-controller 1.9 `reconcile`; argo-cd v3.5 `DeriveServiceAccountToImpersonate`.",
)


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for the first object of each kind and namespace; a note if no binding names the account."""
    if FLUX in scene.tools:
        for owner in scene.of(KUSTOMIZATION):
            name = owner.get("spec", "serviceAccountName")
            # The roles for another cluster may be in another repository.
            if name and not owner.get("spec", "kubeConfig"):
                path: FieldPath = ("spec", "serviceAccountName")
                yield from _of(scene, owner, path, (owner.namespace, str(name)), scene.synced_by(FLUX, owner.name))
    for sync in syncs(scene) if ARGOCD in scene.tools else ():
        project = app_project_of(scene, sync)
        account = account_of(project, sync) if project is not None else None
        if project is not None and account is not None and "{{" not in account[0]:
            yield from _of(scene, project, ("spec", "destinationServiceAccounts"), account, sync.items)


def _of(
    scene: Scene, owner: AppliedObject, path: FieldPath, account: tuple[str, str], items: Sequence[AppliedObject]
) -> Iterator[Finding]:
    roles = roles_of(scene, account)
    named = "/".join(account)
    if not roles:
        message = f"no RoleBinding of these manifests names the account {named}"
        yield Finding(owner, path, message, hint="check that another repository contains it", severity=INFO)
        return
    reported: set[tuple[tuple[str, str], str]] = set()
    for item in items:
        resource = resource_of(item)
        key = (item.kind, item.namespace)
        if resource is None or key in reported or is_granted(roles, resource, item.namespace):
            continue
        reported.add(key)
        place = f"in namespace {item.namespace}" if resource.is_namespaced else "in the cluster"
        message = f"account {named} has no permission to apply {resource.plural} {place}"
        related = (RelatedPlace(owner, path, "syncs as this account"),)
        yield Finding(
            item, ("kind",), message, hint="add the kind to a Role of the account, or remove the object", related=related
        )
