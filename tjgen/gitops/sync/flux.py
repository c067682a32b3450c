"""An environment -> the GitRepository and the Kustomizations that let Flux sync it, one for each stage.

Flux dry-runs a Kustomization as a whole before it applies any of it, and a run is refused as long as its
runtime does not exist: in one Kustomization both would wait forever. All stages have one, also stages
without files: so existing objects need not be applied again when a stage gets its first file, and the last
run of an environment is pruned like any other. Flux requires the folder, but accepts an empty one
(fluxcd/pkg kustomize `Generator`), so a text file keeps it in Git.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.cluster.synctools.flux import DOMAIN
from tjgen.cluster.synctools.table import FLUX
from tjgen.gitops.sync import rbac
from tjgen.gitops.sync.access import GITOPS
from tjgen.gitops.sync.health import checks
from tjgen.gitops.sync.objects import SyncObject, name_of, namespace_of, path_of, repository_of, revision_of, sync_object
from tjgen.gitops.sync.ownership import Move
from tjgen.gitops.sync.site import Site
from tjgen.trees import regex
from tjgen.trees.manifests.manifest import PLATFORM, RUNS, STAGES, SYNC
from tjgen.trees.manifests.sourced import Sourced
from tjgen.trees.typing import Any

_SOURCE = "source.toolkit.fluxcd.io/v1"
_KUSTOMIZE = f"{DOMAIN}/v1"
_SHORT_SSH = regex.compile(r"^([^\s/@:]+@[^\s/:]+):/?")


def objects(site: Site) -> list[SyncObject]:
    """The source, and a Kustomization for each stage; that of the runs depends on the others."""
    stages = ((PLATFORM,) if site.platform is not None else ()) + (STAGES if site.has_runs else ())
    if not stages:
        return []
    created = [] if site.access.source_ref is not None else [sync_object(_repository(site), FLUX)._replace(is_entry=True)]
    created += [sync_object(_kustomization(site, stage), FLUX) for stage in stages]
    if site.bootstrap:
        created.append(sync_object(_kustomization(site, SYNC), FLUX)._replace(is_entry=True))
    return [*created, *rbac.objects(site, FLUX)]


def shared(site: Site, sites: Sequence[Site]) -> list[SyncObject]:
    """Nothing: each environment's Flux reads what is for it."""
    del site, sites
    return []


def kept_folders(site: Site) -> list[str]:
    """The stages whose folders hold no manifest: something has to keep them in Git."""
    return [stage for stage in STAGES if stage not in site.stages] if site.has_runs else []


def release(move: Move) -> Iterator[str]:
    """The commands that delete the Kustomizations of a layout and keep their objects: prune is off before."""
    keep = '{"spec":{"prune":false,"deletionPolicy":"Orphan"}}'
    for one in move.old.owners():
        if one.kind == "Kustomization":
            yield f"kubectl patch kustomization {one.name} -n {one.namespace} --type merge -p '{keep}'"
            yield f"kubectl delete kustomization {one.name} -n {one.namespace}"


def _repository(site: Site) -> dict[str, Any]:
    access = site.access
    repository = repository_of(site)
    # Flux reads the form of Git, `git@HOST:PATH`, only as a URL.
    url = repository._replace(value=_SHORT_SSH.sub(r"ssh://\1/", repository.value))
    spec: dict[str, Any] = {"interval": "1m0s", "url": url, "ref": {"branch": revision_of(site)}}
    if access.provider is not None:
        spec["provider"] = Sourced(access.provider, access.paths["provider"])
    if access.secret_ref is not None:
        spec["secretRef"] = {"name": Sourced(access.secret_ref, access.paths["secretRef"])}
    metadata = {"name": name_of(site), "namespace": namespace_of(site)}
    return {"apiVersion": _SOURCE, "kind": "GitRepository", "metadata": metadata, "spec": spec}


def _source(site: Site) -> dict[str, Any]:
    existing = site.access.source_ref
    if existing is None:
        return {"kind": "GitRepository", "name": name_of(site)}
    path = site.access.paths["sourceRef"]
    reference = {"kind": existing.kind, "name": existing.name, "namespace": existing.namespace}
    return {field: Sourced(value, (*path, field)) for field, value in reference.items() if value is not None}


def _target(site: Site, stage: str) -> dict[str, Any]:
    """The account that Flux impersonates, and the cluster that it syncs to. Its own objects are in its own cluster."""
    access = site.access
    if stage == SYNC:
        return {}
    fields: dict[str, Any] = {}
    field = "platformServiceAccountName" if stage == PLATFORM else "serviceAccountName"
    account = access.platform_account if stage == PLATFORM else access.account
    if account is not None:
        fields["serviceAccountName"] = Sourced(account.name, access.paths[field])
    if access.kube_config is not None:
        at, one = access.paths["kubeConfig"], access.kube_config
        if one.secret_ref is not None:
            key = {"key": Sourced(one.secret_ref.key, (*at, "secretRef", "key"))} if one.secret_ref.key is not None else {}
            fields["kubeConfig"] = {"secretRef": {"name": Sourced(one.secret_ref.name, (*at, "secretRef")), **key}}
        else:
            fields["kubeConfig"] = {"configMapRef": {"name": Sourced(one.config_map_ref, (*at, "configMapRef"))}}
    return fields


def _required(site: Site, stage: str) -> list[dict[str, Any]]:
    """What must be ready before the first stages: Kustomizations of other projects."""
    if stage in (RUNS, SYNC) or (site.platform is not None and stage != PLATFORM):
        return []
    return [
        {
            field: Sourced(value, (*GITOPS, "dependsOn", position))
            for field, value in (("name", one.name), ("namespace", one.namespace))
            if value
        }
        for position, one in enumerate(site.access.depends_on)
    ]


def _kustomization(site: Site, stage: str) -> dict[str, Any]:
    before = _required(site, stage)
    before += [{"name": name_of(site, f"-{other}")} for other in STAGES if other != RUNS] if stage == RUNS else []
    if site.platform is not None and stage in STAGES:
        # Namespaces and classes of the platform are what all others are refused without.
        before = [{"name": name_of(site, f"-{PLATFORM}")}, *before]
    watched = stage == RUNS and site.health != "none"
    return {
        "apiVersion": _KUSTOMIZE,
        "kind": "Kustomization",
        "metadata": {"name": name_of(site, f"-{stage}"), "namespace": namespace_of(site)},
        "spec": {
            "interval": "10m0s",
            "retryInterval": "1m0s",
            "timeout": "5m0s",
            "path": path_of(site, f"./{site.platform if stage == PLATFORM else f'{site.path}/{stage}'}"),
            "prune": True,
            # Nothing else waits for health: a claim that waits for its first consumer is not ready before its run.
            "wait": Sourced(True, (*GITOPS, "health")) if watched else False,
            # Deleting the Kustomization deletes no run and no data.
            "deletionPolicy": "Orphan",
            "sourceRef": _source(site),
            **_target(site, stage),
            **({"dependsOn": before} if before else {}),
            **({"healthCheckExprs": Sourced(checks(site.health), (*GITOPS, "health"))} if watched else {}),
        },
    }
