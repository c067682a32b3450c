"""An environment, and the project as a whole -> the Applications that let Argo CD sync them.

Waves are in the annotations of the objects (annotations.py), so one Application syncs all stages. Where each
experiment has its own, waves cannot order objects of several: runs are tried again until the runtime
exists, and runtimes are never pruned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.argocd import TOOL, WAVE
from tjgen.cluster.synctools.table import ARGOCD
from tjgen.gitops.sync import applicationset, appproject, rbac
from tjgen.gitops.sync.access import GITOPS
from tjgen.gitops.sync.health import customizations
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
from tjgen.gitops.sync.ownership import Move
from tjgen.gitops.sync.site import Site
from tjgen.trees.manifests.manifest import PLATFORM, RUNS, STAGES, SYNC, Manifest
from tjgen.trees.manifests.sourced import Sourced
from tjgen.trees.typing import Any

_API = "argoproj.io/v1alpha1"
_NOT_APPLIED = (
    "# Checks of health for the ConfigMap argocd-cm. A sync leaves this file out; add them by hand:\n"
    "#   kubectl patch configmap argocd-cm -n {namespace} --type merge --patch-file {file}\n"
    f"{TOOL.unapplied_file}"
)
_HEALTH = "health/argocd-cm.yaml"


def objects(site: Site) -> list[SyncObject]:
    """The sync object of an environment: an Application, a set of them with one for the rest, or the input of a set."""
    platform = [_platform(site)] if site.platform is not None else []
    if not site.has_runs:
        return platform
    accounts = rbac.objects(site, ARGOCD)
    if site.application_set == applicationset.ENVIRONMENTS:
        return [*platform, applicationset.parameters(site), *accounts]
    excluded = applicationset.excluded_folders(site)
    if site.application_set == applicationset.EXPERIMENTS:
        rest = applicationset.directory(site.path, [stage for stage in STAGES if stage != RUNS], excluded=excluded)
        return [*platform, _application(site, rest), applicationset.of_experiments(site), *accounts]
    return [*platform, _application(site, applicationset.directory(site.path, excluded=excluded)), *accounts]


def shared(site: Site, sites: Sequence[Site]) -> list[SyncObject]:
    """What there is once for the project."""
    sync_objects = appproject.objects(site, sites)
    if site.application_set == applicationset.ENVIRONMENTS:
        sync_objects.append(applicationset.of_environments(site))
    if site.bootstrap:
        sync_objects.append(_bootstrap(site))
    if site.health != "none":
        sync_objects.append(_checks(site))
    return sync_objects


def release(move: Move) -> Iterator[str]:
    """The commands that delete the owners of a layout and keep their objects.

    An Application without a finalizer is deleted without its objects. An ApplicationSet would delete its Applications.
    """
    for one in move.old.owners():
        if one.kind == "ApplicationSet":
            yield f"kubectl delete applicationset {one.name} -n {one.namespace} --cascade=orphan"
    created = [move.old.name] if move.old.per == applicationset.ENVIRONMENTS else []
    if move.old.per == applicationset.EXPERIMENTS:
        created += [f"{move.old.name}.{namespace}.{experiment}" for namespace, experiment in move.experiments]
    named = [one.name for one in move.old.owners() if one.kind == "Application"]
    for name in [*named, *created]:
        yield f'kubectl patch application {name} -n {move.old.namespace} --type merge -p \'{{"metadata":{{"finalizers":null}}}}\''
        yield f"kubectl delete application {name} -n {move.old.namespace}"


def _application(site: Site, directory: dict[str, Any], *, suffix: str = "", path: str | None = None) -> SyncObject:
    """An Application. It has no finalizer: deleting it deletes no run."""
    is_platform = suffix == f"-{PLATFORM}"
    tree = {
        "apiVersion": _API,
        "kind": "Application",
        "metadata": {"name": name_of(site, suffix), "namespace": namespace_of(site)},
        "spec": {
            "project": appproject.platform_project(site) if is_platform else project_of(site),
            "source": {
                "repoURL": repository_of(site),
                "targetRevision": revision_of(site),
                "path": path_of(site, path or site.path),
                "directory": directory,
            },
            "destination": applicationset.destination(site, of_platform=is_platform),
            # Applications have no order, so runs are retried until the platform is ready.
            "syncPolicy": {**applicationset.sync_policy(), **(applicationset.patient() if site.waits else {})},
        },
    }
    return sync_object(tree, ARGOCD)


def _platform(site: Site) -> SyncObject:
    """The base of the cluster, applied first and on its own: none of it is pruned, even if it is removed from Git."""
    one = _application(site, {"recurse": True}, suffix=f"-{PLATFORM}", path=site.platform)
    tree = one.manifest.tree
    policy = {**tree["spec"]["syncPolicy"], "automated": {"prune": False, "selfHeal": True}}
    metadata = {**tree["metadata"], "annotations": {WAVE: "-10"}}
    changed = {**tree, "metadata": metadata, "spec": {**tree["spec"], "syncPolicy": policy}}
    return one._replace(manifest=Manifest(changed, one.manifest.owners, SYNC))


def _bootstrap(site: Site) -> SyncObject:
    """An Application of Applications, itself among them, for the cluster that Argo CD runs in."""
    folders = [SYNC]
    if site.application_set != applicationset.ENVIRONMENTS:
        # By name: `*` also matches a slash, and a namespace may have the name of the folder.
        folders += [f"{environment}/{SYNC}" for environment in (*site.environments, *site.former)]
    patterns = [f"{folder}/*" for folder in folders]
    include = patterns[0] if len(patterns) == 1 else f"{{{','.join(patterns)}}}"
    directory = {"recurse": True, "include": include, "exclude": f"*/{applicationset.PARAMETERS}"}
    if site.application_set != applicationset.ENVIRONMENTS:
        del directory["exclude"]
    return _application(site._replace(cluster=None, platform=None, waits=False), directory, suffix=f"-{SYNC}")


def _checks(site: Site) -> SyncObject:
    tree = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm", "namespace": namespace_of(site)},
        "data": Sourced(dict(customizations(site.health)), (*GITOPS, "health")),
    }
    note = _NOT_APPLIED.format(namespace=site.namespace, file=f"{site.path}/{SYNC}/{_HEALTH}")
    return sync_object(tree, ARGOCD, file=_HEALTH, note=note)
