"""An environment -> the GitRepository and the Kustomizations that let Flux sync it, one for each stage.

Flux dry-runs a Kustomization as a whole before it applies any of it, and a run is refused as long as its
runtime is not there: in one Kustomization both would wait for ever.
"""

from __future__ import annotations

from tjgen.fields.path import Tree
from tjgen.gitops.site import Site
from tjgen.manifests.manifest import RUNS

NAMESPACE = "flux-system"
_SOURCE = "source.toolkit.fluxcd.io/v1"
_KUSTOMIZE = "kustomize.toolkit.fluxcd.io/v1"


def objects(site: Site) -> list[Tree]:
    """The source, and a Kustomization for each stage that there is; that of the runs depends on the others."""
    repository = {
        "apiVersion": _SOURCE,
        "kind": "GitRepository",
        "metadata": {"name": site.name, "namespace": site.namespace},
        "spec": {"interval": "1m0s", "url": site.repository, "ref": {"branch": site.revision}},
    }
    return [repository, *[_kustomization(site, stage) for stage in site.stages]]


def _kustomization(site: Site, stage: str) -> Tree:
    before = [{"name": f"{site.name}-{other}"} for other in site.stages if other != stage] if stage == RUNS else []
    return {
        "apiVersion": _KUSTOMIZE,
        "kind": "Kustomization",
        "metadata": {"name": f"{site.name}-{stage}", "namespace": site.namespace},
        "spec": {
            "interval": "10m0s",
            "retryInterval": "1m0s",
            "timeout": "5m0s",
            "path": f"./{site.path}/{stage}",
            "prune": True,
            # Nothing waits for health: a claim that waits for its first consumer is not ready before its run.
            "wait": False,
            # Whoever deletes the Kustomization deletes no training and no data.
            "deletionPolicy": "Orphan",
            "sourceRef": {"kind": "GitRepository", "name": site.name},
            **({"dependsOn": before} if before else {}),
        },
    }
