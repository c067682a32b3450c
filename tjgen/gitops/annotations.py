"""The manifests of a run, and the tool that syncs them -> the same with the annotations that keep it from doing harm.

A runtime has to be there before its runs, and to stay as long as one of them: Trainer 2.3 refuses every
update of a TrainJob whose runtime is gone, so a foreground deletion never ends
(pkg/runtime/core `ValidateObjects`). An earlier wave gives both orders, since Argo CD prunes backwards.
A claim stays in the wave of its runs: one that waits for its first consumer would hold an earlier wave up
for ever. Claims are never pruned, from the first sync on: what counts is the annotation in the cluster.
Runs carry no force and no replace, which would delete and train them again.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.fields.managed import Origin, Owners
from tjgen.fields.path import get
from tjgen.manifests.manifest import DATA, RUNS, RUNTIMES, Manifest

_ASKED = Origin("gitops", "project", ("spec", "gitops"))
_WAVE = "argocd.argoproj.io/sync-wave"
_OPTIONS = "argocd.argoproj.io/sync-options"
_COMPARE = "argocd.argoproj.io/compare-options"

ANNOTATIONS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "argocd": {
        # Server-side apply: webhooks fill in list elements that a client-side apply would send back without them,
        # and a client-side apply keeps the whole manifest in an annotation of limited size.
        RUNTIMES: {_WAVE: "-10", _OPTIONS: "ServerSideApply=true"},
        # Prune is about removal from Git, Delete about that of the Application; without IgnoreExtraneous a claim that
        # was removed from Git keeps the Application out of sync.
        DATA: {_OPTIONS: "ServerSideApply=true,Prune=false,Delete=false", _COMPARE: "IgnoreExtraneous"},
        RUNS: {_OPTIONS: "ServerSideApply=true"},
    },
    "flux": {
        DATA: {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
    },
}
"""Tool -> stage -> annotations of every object of that stage."""


def annotated(manifests: list[Manifest], tool: str) -> list[Manifest]:
    """The manifests for a tool (argocd, flux or none). What the user has annotated otherwise stays so."""
    stages = ANNOTATIONS.get(tool, {})
    return [_annotated(manifest, stages[manifest.stage]) if manifest.stage in stages else manifest for manifest in manifests]


def _annotated(manifest: Manifest, wanted: Mapping[str, str]) -> Manifest:
    metadata = manifest.tree["metadata"]
    said = get(metadata, ("annotations",), None) or {}
    missing = {key: value for key, value in wanted.items() if key not in said}
    owners: Owners = {("metadata", "annotations", key): (_ASKED,) for key in missing}
    tree = {**manifest.tree, "metadata": {**metadata, "annotations": {**said, **missing}}}
    return Manifest(tree, {**manifest.owners, **owners}, manifest.stage, expanded=manifest.expanded)
