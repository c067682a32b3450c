"""The AppProjects, accounts and roles among the manifests -> what each sync may apply.

Mirrors argo-cd v3.5 `AppProject.IsGroupKindNamePermitted`, `isDestinationMatched` and `IsSourcePermitted`
(pkg/apis/application/v1alpha1/app_project_types.go), and `DeriveServiceAccountToImpersonate` (util/settings/impersonation.go).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from tjgen.cluster.kinds.table import find
from tjgen.cluster.schema import store
from tjgen.gitops.lint.kinds import APPLICATION, APPLICATION_SET
from tjgen.gitops.lint.rule import ARGOCD
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.units import OF_SET, is_included
from tjgen.trees.typing import Any, NamedTuple

APP_PROJECT = ("argoproj.io", "AppProject")
_RBAC = "rbac.authorization.k8s.io"
ROLES = ((_RBAC, "Role"), (_RBAC, "ClusterRole"))
BINDINGS = ((_RBAC, "RoleBinding"), (_RBAC, "ClusterRoleBinding"))
NEEDED = ("get", "create", "patch")
"""The verbs of a server-side apply."""


class Resource(NamedTuple):
    """What the API server calls the kind of an object."""

    group: str
    plural: str
    is_namespaced: bool


class Sync(NamedTuple):
    """An Application, or the Applications of an ApplicationSet, and what one of them applies."""

    owner: AppliedObject
    spec: dict[str, Any]
    """The spec of the Application, or of the template."""
    path: tuple[str, ...]
    """The path of that spec in the object."""
    items: tuple[AppliedObject, ...]

    def destination(self, field: str) -> str:
        """A field of the destination."""
        place = self.spec.get("destination")
        return str(place.get(field) or "") if place.__class__ is dict else ""


def syncs(scene: Scene) -> Iterator[Sync]:
    """The Applications of the scene, without those that a template with expressions makes for other clusters."""
    for owner in scene.of(APPLICATION):
        yield Sync(owner, owner.map("spec"), ("spec",), tuple(_applied(owner.map("spec"), scene.synced_by(ARGOCD, owner.name))))
    for owner in scene.of(APPLICATION_SET):
        units = dict.fromkeys(item.unit(ARGOCD) for item in scene.items if item.unit(ARGOCD).startswith(f"{owner.name}{OF_SET}"))
        items = [item for unit in units for item in scene.synced_by(ARGOCD, unit)]
        yield Sync(owner, owner.map("spec", "template", "spec"), ("spec", "template", "spec"), tuple(items))


def app_project_of(scene: Scene, sync: Sync) -> AppliedObject | None:
    """The AppProject of the Applications, if it is in the scene."""
    return scene.named(APP_PROJECT, str(sync.spec.get("project") or "default"))


def permits_kind(project: AppliedObject, item: AppliedObject, resource: Resource) -> bool:
    """Whether an AppProject permits the kind of an object."""
    scope = "namespace" if resource.is_namespaced else "cluster"
    permitted, denied = f"{scope}ResourceWhitelist", f"{scope}ResourceBlacklist"
    # Without a list, every kind in a namespace is permitted, and no kind of the cluster as a whole.
    is_open = resource.is_namespaced and project.get("spec", permitted) is None
    return (is_open or _lists(project, permitted, item)) and not _lists(project, denied, item)


def permits_destination(project: AppliedObject, sync: Sync, namespace: str) -> bool:
    """Whether an AppProject permits a namespace of the cluster of an Application. Unknown clusters count as permitted."""
    places = [one for _, one in project.maps("spec", "destinations")]
    return any(_is_place(one, sync, namespace) for one in places)


def permits_source(project: AppliedObject, url: str) -> bool:
    """Whether an AppProject permits a repository."""
    permitted = project.get("spec", "sourceRepos", default=[])
    return any(_matches(str(one), url) for one in permitted) if permitted.__class__ is list else True


def account_of(project: AppliedObject, sync: Sync) -> tuple[str, str] | None:
    """Namespace and name of the account that Argo CD impersonates for an Application; None if none fits."""
    namespace = sync.destination("namespace")
    for _, one in project.maps("spec", "destinationServiceAccounts"):
        server = sync.destination("server")
        if (not server or _matches(str(one.get("server")), server)) and _matches(str(one.get("namespace") or ""), namespace):
            home, _, name = str(one.get("defaultServiceAccount")).rpartition(":")
            return home or namespace or sync.owner.namespace, name
    return None


def resource_of(item: AppliedObject) -> Resource | None:
    """The resource of an object; None if neither a schema nor the table of kinds has its kind."""
    schema = store.find(str(item.tree.get("apiVersion", "")), item.kind[1])
    if schema is not None and "x-tjgen-resource" in schema:
        resource = schema["x-tjgen-resource"]
        plural = str(resource.get("plural") or f"{item.kind[1].lower()}s")
        return Resource(item.kind[0], plural, resource.get("scope", "Namespaced") == "Namespaced")
    kind = find(*item.kind)
    return Resource(kind.group, kind.plural, is_namespaced=True) if kind is not None else None


def roles_of(scene: Scene, account: tuple[str, str]) -> list[tuple[str | None, AppliedObject | None]]:
    """The roles of an account: the namespace of each (None: the whole cluster), and the role (None: not in the scene)."""
    roles: list[tuple[str | None, AppliedObject | None]] = []
    for binding in scene.of(*BINDINGS):
        subjects = [one for _, one in binding.maps("subjects")]
        if any(_is_account(one, account, binding.namespace) for one in subjects):
            reference = binding.map("roleRef")
            kind = (_RBAC, str(reference.get("kind")))
            place = binding.namespace if binding.kind == BINDINGS[0] else None
            named = [one for one in scene.of(kind) if one.name == reference.get("name")]
            own = [one for one in named if kind == ROLES[1] or one.namespace == binding.namespace]
            roles.append((place, own[0] if own else None))
    return roles


def is_granted(roles: Sequence[tuple[str | None, AppliedObject | None]], resource: Resource, namespace: str) -> bool:
    """Whether roles permit an object. A role that is not in the scene may permit everything."""
    applicable = [role for place, role in roles if place is None or (resource.is_namespaced and place == namespace)]
    if any(role is None for role in applicable):
        return True
    rules = [
        rule
        for role in applicable
        if role is not None
        for _, rule in role.maps("rules")
        if _names(rule, "apiGroups", resource.group)
        and _names(rule, "resources", resource.plural)
        and not rule.get("resourceNames")
    ]
    return all(any(_names(rule, "verbs", verb) for rule in rules) for verb in NEEDED)


def _applied(spec: dict[str, Any], items: Sequence[AppliedObject]) -> Iterator[AppliedObject]:
    """The objects in the files that `directory` includes."""
    source = spec.get("source")
    source = source if source.__class__ is dict else {}
    parts = tuple(part for part in str(source.get("path") or "").split("/") if part not in ("", "."))
    for item in items:
        file = os.path.abspath(item.file).split(os.sep)
        starts = [at for at in range(len(file)) if tuple(file[at : at + len(parts)]) == parts]
        below = "/".join(file[starts[0] + len(parts) :]) if starts else file[-1]
        if is_included(below, source.get("directory")):
            yield item


def _lists(project: AppliedObject, field: str, item: AppliedObject) -> bool:
    return any(
        _matches(str(one.get("group", "")), item.kind[0])
        and _matches(str(one.get("kind", "")), item.kind[1])
        and _matches(str(one.get("name") or "*"), item.name)
        for _, one in project.maps("spec", field)
    )


def _is_place(entry: dict[str, Any], sync: Sync, namespace: str) -> bool:
    if not _matches(str(entry.get("namespace") or ""), namespace):
        return False
    pairs = [(str(entry.get(field) or ""), sync.destination(field)) for field in ("server", "name")]
    if any("{{" in value for _, value in pairs) or not any(permitted and value for permitted, value in pairs):
        return True  # one has the name of the cluster, the other its URL
    return any(permitted and value and _matches(permitted, value) for permitted, value in pairs)


def _matches(pattern: str, value: str) -> bool:
    return not fnmatchcase(value, pattern[1:]) if pattern.startswith("!") else fnmatchcase(value, pattern)


def _is_account(subject: dict[str, Any], account: tuple[str, str], namespace: str) -> bool:
    if subject.get("kind") == "ServiceAccount":
        return (str(subject.get("namespace") or namespace), subject.get("name")) == account
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{account[0]}", "system:authenticated")
    user = f"system:serviceaccount:{account[0]}:{account[1]}"
    return (subject.get("kind"), subject.get("name")) in (("User", user), *(("Group", group) for group in groups))


def _names(rule: dict[str, Any], field: str, value: str) -> bool:
    names = rule.get(field)
    return names.__class__ is list and ("*" in names or value in names)
