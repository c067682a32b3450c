"""An environment -> the GitRepository and the Kustomizations that let Flux sync it, one for each stage.

Flux dry-runs a Kustomization as a whole before it applies any of it, and a run is refused as long as its
runtime does not exist: in one Kustomization both would wait forever. All stages have one, also stages
without files: so existing objects need not be applied again when a stage gets its first file, and the last
run of an environment is pruned like any other. Flux requires the folder, but accepts an empty one
(fluxcd/pkg kustomize `Generator`), so a text file keeps it in Git.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.synctools.flux import DOMAIN
from tjgen.cluster.synctools.table import FLUX
from tjgen.gitops.sync.health import checks
from tjgen.gitops.sync.objects import GITOPS, SyncObject, name_of, namespace_of, path_of, repository_of, revision_of, sync_object
from tjgen.gitops.sync.ownership import Move
from tjgen.gitops.sync.site import Site
from tjgen.trees.manifests.manifest import PLATFORM, RUNS, STAGES, SYNC
from tjgen.trees.manifests.sourced import Sourced
from tjgen.trees.typing import Any

_SOURCE = "source.toolkit.fluxcd.io/v1"
_KUSTOMIZE = f"{DOMAIN}/v1"


def objects(site: Site) -> list[SyncObject]:
    """The source, and a Kustomization for each stage; that of the runs depends on the others."""
    repository = {
        "apiVersion": _SOURCE,
        "kind": "GitRepository",
        "metadata": {"name": name_of(site), "namespace": namespace_of(site)},
        "spec": {"interval": "1m0s", "url": repository_of(site), "ref": {"branch": revision_of(site)}},
    }
    stages = ((PLATFORM,) if site.platform is not None else ()) + STAGES
    sync_objects = [sync_object(repository, FLUX), *[sync_object(_kustomization(site, stage), FLUX) for stage in stages]]
    return [*sync_objects, sync_object(_kustomization(site, SYNC), FLUX)] if site.bootstrap else sync_objects


def shared(site: Site) -> list[SyncObject]:
    """Nothing: each environment's Flux reads what is for it."""
    del site
    return []


def kept_folders(site: Site) -> list[str]:
    """The stages whose folders hold no manifest: something has to keep them in Git."""
    return [stage for stage in STAGES if stage not in site.stages]


def release(move: Move) -> Iterator[str]:
    """The commands that delete the Kustomizations of a layout and keep their objects: prune is off before."""
    keep = '{"spec":{"prune":false,"deletionPolicy":"Orphan"}}'
    for one in move.old.owners():
        if one.kind == "Kustomization":
            yield f"kubectl patch kustomization {one.name} -n {one.namespace} --type merge -p '{keep}'"
            yield f"kubectl delete kustomization {one.name} -n {one.namespace}"


def _kustomization(site: Site, stage: str) -> dict[str, Any]:
    before = [{"name": name_of(site, f"-{other}")} for other in STAGES if other != RUNS] if stage == RUNS else []
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
            "sourceRef": {"kind": "GitRepository", "name": name_of(site)},
            **({"dependsOn": before} if before else {}),
            **({"healthCheckExprs": Sourced(checks(site.health), (*GITOPS, "health"))} if watched else {}),
        },
    }
