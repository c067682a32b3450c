"""A project and its environments -> the AppProjects of Argo CD that permit what the runs need, and no more.

The objects of a Platform are mostly of the cluster as a whole, so they have an AppProject of their own: the one for the runs
permits no such kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tjgen.cluster.kinds.permissions import managed
from tjgen.cluster.synctools.table import ARGOCD
from tjgen.gitops.sync.access import GITOPS, Account
from tjgen.gitops.sync.applicationset import cluster_of, destination
from tjgen.gitops.sync.objects import SyncObject, project_of, repository_of, sync_object
from tjgen.gitops.sync.rbac import FOLDER
from tjgen.gitops.sync.site import Permissions, Site
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import PLATFORM
from tjgen.trees.manifests.sourced import Sourced, value_of

_SETTING = (*GITOPS, "appProject")


def objects(whole: Site, sites: Sequence[Site]) -> list[SyncObject]:
    """The AppProjects that the environments name, and those of their platforms; none if the AppProjects exist."""
    if whole.access.app_project is None:
        return []
    created = []
    for name in dict.fromkeys(site.access.project for site in sites):
        own = [site for site in sites if site.access.project == name]
        created.append(_of_runs(own, whole.former_permissions))
        platforms = [site for site in own if site.platform_kinds]
        if platforms:
            created.append(_of_platforms(platforms, whole.former_permissions))
    return created


def platform_project(site: Site) -> Sourced:
    """The project of Argo CD for the objects of the site's platform."""
    project = project_of(site)
    return project if site.access.app_project is None else project._replace(value=f"{project.value}-{PLATFORM}")


def _of_runs(sites: Sequence[Site], former: Mapping[str, Permissions]) -> SyncObject:
    one = sites[0]
    app_project = one.access.app_project
    assert app_project is not None, "the caller has checked"
    roles = [
        {
            "name": name,
            "groups": list(role.groups),
            "policies": [
                f"p, proj:{one.access.project}:{name}, applications, {action}, {one.access.project}/*, allow"
                for action in role.actions or ("get",)
            ],
        }
        for name, role in app_project.roles.items()
    ]
    kinds = [{"group": kind.group, "kind": kind.name} for kind in managed()]
    accounts = [(site, site.access.account, "serviceAccountName") for site in sites]
    destinations = _destinations(sites, of_platform=False)
    return _project(
        sites,
        project_of(one),
        destinations,
        [],
        kinds,
        _accounts(accounts),
        Sourced(roles, (*_SETTING, "roles")) if roles else None,
        former,
    )


def _of_platforms(sites: Sequence[Site], former: Mapping[str, Permissions]) -> SyncObject:
    kinds = sorted({(group, kind, bool(namespace)) for site in sites for group, kind, namespace in site.platform_kinds})
    whole = [{"group": group, "kind": kind} for group, kind, is_namespaced in kinds if not is_namespaced]
    inner = [{"group": group, "kind": kind} for group, kind, is_namespaced in kinds if is_namespaced]
    accounts = [(site, site.access.platform_account, "platformServiceAccountName") for site in sites]
    destinations = _destinations(sites, of_platform=True)
    return _project(sites, platform_project(sites[0]), destinations, whole, inner, _accounts(accounts), None, former)


def _project(
    sites: Sequence[Site],
    name: Sourced,
    destinations: list[Tree],
    cluster_kinds: list[Tree],
    kinds: list[Tree],
    accounts: list[Tree],
    roles: Sourced | None,
    former: Mapping[str, Permissions],
) -> SyncObject:
    """The AppProject, in the namespace of Argo CD."""
    one = sites[0]
    kept = former.get(str(name.value))
    if kept is not None:
        destinations = _with(destinations, kept.destinations)
        accounts = _with(accounts, kept.accounts)
    app_project = one.access.app_project
    assert app_project is not None, "the caller has checked"
    home = app_project.namespace or one.namespace
    path = (*_SETTING, "namespace") if app_project.namespace else one.access.paths["namespace"]
    elsewhere = sorted({site.namespace for site in sites} - {home})
    tree = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": name, "namespace": Sourced(home, path)},
        "spec": {
            "sourceRepos": [repository_of(one)],
            **({"sourceNamespaces": elsewhere} if elsewhere else {}),
            "destinations": destinations,
            "clusterResourceWhitelist": cluster_kinds,
            "namespaceResourceWhitelist": kinds,
            **({"destinationServiceAccounts": accounts} if accounts else {}),
            **({"roles": roles} if roles is not None else {}),
        },
    }
    return sync_object(tree, ARGOCD, file=f"{FOLDER}/appproject-{name.value}.yaml")


def _with(entries: list[Tree], kept: Sequence[Tree]) -> list[Tree]:
    """The entries, and those of `kept` that are not among them."""
    plain = [{key: value_of(value) for key, value in entry.items()} for entry in entries]
    return [*entries, *[one for one in kept if one not in plain]]


def _destinations(sites: Sequence[Site], *, of_platform: bool) -> list[Tree]:
    """Each cluster and namespace once: those of the objects, and that which the Application names."""
    known: dict[tuple[str | None, str], Tree] = {}
    for site in sites:
        own = [place for _, _, place in site.platform_kinds if place] if of_platform else site.namespaces
        chosen = destination(site, of_platform=of_platform)["namespace"]
        for namespace in sorted({*own, value_of(chosen)}):
            known.setdefault((site.cluster, namespace), {**cluster_of(site), "namespace": namespace})
    return list(known.values())


def _accounts(accounts: Sequence[tuple[Site, Account | None, str]]) -> list[Tree]:
    """The account for the namespace that each Application names. Argo CD compares URLs of clusters, and some are not known."""
    known: dict[str, Tree] = {}
    for site, account, field in accounts:
        if account is not None:
            name = Sourced(f"{account.namespace}:{account.name}", site.access.paths[field])
            server = "*" if site.cluster is not None else cluster_of(site)["server"]
            known.setdefault(
                f"{server} {account.namespace}",
                {"server": server, "namespace": account.namespace, "defaultServiceAccount": name},
            )
    return list(known.values())
