"""An environment or a project -> the ApplicationSet that lets Argo CD make the Applications itself.

Experiments are found by their folders, since all that an Application of one has to know is in the folder's path.
Environments are found by a file in each, which names the cluster: a folder could not.
A set prunes its Applications when the repository has no environments, so by default (`keep`) no Application is deleted
and none takes runs or data with it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from tjgen.cluster.synctools.table import ARGOCD
from tjgen.gitops.sync.access import GITOPS
from tjgen.gitops.sync.objects import (
    SyncObject,
    name_of,
    namespace_of,
    path_of,
    project_of,
    repository_of,
    revision_of,
    sync_object,
)
from tjgen.gitops.sync.site import Site
from tjgen.trees.manifests.manifest import PLATFORM, RUNS, STAGES, SYNC
from tjgen.trees.manifests.sourced import Sourced
from tjgen.trees.typing import Any

EXPERIMENTS = "experiments"
ENVIRONMENTS = "environments"
PARAMETERS = "_environment.yaml"
"""The file that a set of environments reads. No object has this name, so a pattern cannot match one."""
IN_CLUSTER = "https://kubernetes.default.svc"
_SET = (*GITOPS, "applicationSet")


def of_experiments(site: Site) -> SyncObject:
    """The set of an environment's experiments, by a directory generator."""
    runs = posixpath.normpath(f"{site.path}/{RUNS}")
    # Namespaces and experiments hold no dot, so no two folders give one name.
    name = f"{site.name}.{{{{index .path.segments {len(runs.split('/'))}}}}}.{{{{.path.basename}}}}"
    generator = {"directories": [{"path": path_of(site, f"{runs}/*/*")}]}
    spec = {
        "source": _source(site, "{{.path.path}}", {"recurse": True}),
        "destination": destination(site),
        # The runtime of a run is applied by another Application: a run that comes first is refused, and tried again.
        "syncPolicy": {**sync_policy(), **patient()},
    }
    return _set(site, generator, name, spec)


def of_environments(site: Site) -> SyncObject:
    """The set of a project's environments, by a files generator."""
    folder = f"{site.path}/*/{SYNC}" if site.environments else f"{site.path}/{SYNC}"
    generator = {"files": [{"path": path_of(site, posixpath.normpath(f"{folder}/{PARAMETERS}"))}]}
    spec: dict[str, Any] = {
        "source": _source(
            site, "{{.data.path}}", directory("" if site.environments else site.path, excluded=excluded_folders(site))
        ),
        "destination": {
            "server": "{{.data.server}}",
            "name": "{{.data.cluster}}",
            **({"namespace": "{{.data.namespace}}"} if site.access.names_namespace else {}),
        },
        "syncPolicy": {**sync_policy(), **(patient() if site.waits else {})},
    }
    if site.access.is_project_varied:
        spec["project"] = "{{.data.project}}"
    return _set(site, generator, "{{.data.name}}", spec)


def parameters(site: Site) -> SyncObject:
    """What such a set has to know of one environment, as an object that nothing applies."""
    where = destination(site)
    tree = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name_of(site),
            "namespace": namespace_of(site),
            "annotations": {"config.kubernetes.io/local-config": "true"},
        },
        "data": {
            "name": name_of(site),
            "path": path_of(site, site.path),
            "cluster": where.get("name", ""),
            "server": where.get("server", ""),
            **({"namespace": where["namespace"]} if "namespace" in where else {}),
            **({"project": project_of(site)} if site.access.is_project_varied else {}),
        },
    }
    return sync_object(tree, ARGOCD, file=PARAMETERS)


def destination(site: Site, *, of_platform: bool = False) -> dict[str, Any]:
    """The cluster, and for an AppProject that permits namespaces and selects accounts by it, a namespace.

    Each object has a namespace of its own, so that of the destination has no other effect.
    """
    access = site.access
    account = access.platform_account if of_platform else access.account
    if account is not None:
        field = "platformServiceAccountName" if of_platform else "serviceAccountName"
        return {**cluster_of(site), "namespace": Sourced(account.namespace, access.paths[field])}
    namespaces = sorted({place for _, _, place in site.platform_kinds if place}) if of_platform else site.namespaces
    named = {"namespace": next(iter(namespaces), "default")} if access.names_namespace else {}
    return {**cluster_of(site), **named}


def cluster_of(site: Site) -> dict[str, Any]:
    """The cluster: by its name in Argo CD, or the one that Argo CD runs in."""
    if site.cluster is None:
        return {"server": IN_CLUSTER}
    return {"name": Sourced(site.cluster, ("spec", "environments", site.environment or "", "cluster"))}


def directory(path: str, stages: Sequence[str] = STAGES, *, excluded: Sequence[str] = ()) -> dict[str, Any]:
    """What is synced of a tree at `path`, but never what makes the tool sync it, nor the folders `excluded`.

    At the root of a repository the tree shares its folder with the sources, so there only the stages are named.
    """
    if path == ".":
        return {"recurse": True, "include": _any_of(stages)}
    return {"recurse": True, "exclude": _any_of([SYNC, *excluded, *[stage for stage in STAGES if stage not in stages]])}


def patient() -> dict[str, Any]:
    """How long a sync is tried again that waits for what another Application applies: about half an hour."""
    return {"retry": {"limit": 10, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m0s"}}}


def excluded_folders(site: Site) -> list[str]:
    """The platforms' folder, if it is in the tree that is synced: without environments."""
    return [PLATFORM] if site.platform is not None and not site.environments else []


def _any_of(folders: Sequence[str]) -> str:
    patterns = [f"{folder}/*" for folder in folders]
    return patterns[0] if len(patterns) == 1 else f"{{{','.join(patterns)}}}"


def sync_policy() -> dict[str, Any]:
    """How Applications sync runs and what they need."""
    return {
        # Self-healing would restart a run that a person has stopped.
        "automated": {"prune": True, "selfHeal": False},
        # PruneLast is left out: it takes away the order in which runs and runtimes are pruned.
        "syncOptions": ["ApplyOutOfSyncOnly=true", "FailOnSharedResource=true"],
    }


def _source(site: Site, path: str, what: dict[str, Any]) -> dict[str, Any]:
    return {"repoURL": repository_of(site), "targetRevision": revision_of(site), "path": path, "directory": what}


def _set(site: Site, generator: dict[str, Any], name: str, spec: dict[str, Any]) -> SyncObject:
    policy = (*_SET, "onDeletion")
    tree = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": name_of(site), "namespace": namespace_of(site)},
        "spec": {
            "goTemplate": True,
            # A missing parameter must stop the set, not become "<no value>" in a name.
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"git": {"repoURL": repository_of(site), "revision": revision_of(site), **generator}}],
            "syncPolicy": {
                "applicationsSync": Sourced("sync" if site.deletes else "create-update", policy),
                "preserveResourcesOnDeletion": Sourced(not site.deletes, policy),
            },
            "template": {
                "metadata": {"name": name, "namespace": namespace_of(site)},
                "spec": {"project": project_of(site), **spec},
            },
        },
    }
    return sync_object(tree, ARGOCD)
