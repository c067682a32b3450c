"""An object of the platform, and the tool that syncs it -> the same with the annotations that keep it where it is.

The base of a cluster is never pruned: a class that is removed from Git by mistake would leave claims pending, a
namespace takes all runs and data in it with it. Argo CD orders by waves; Flux applies namespaces first by itself.
"""

from __future__ import annotations

from tjgen.cluster.synctools.table import BY_NAME
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import get
from tjgen.trees.manifests.manifest import Manifest

_ORIGIN = Origin("gitops", "project", ("spec", "gitops"))
_WAVES = {"Namespace": -30, "ClusterQueue": -15, "LocalQueue": -14, "ClusterTrainingRuntime": -10}
_WAVE_OF_OTHERS = -20
_WAVE_OF_CHILDREN = -18
"""Queues of Volcano with a parent: its webhook looks for the parent."""


def annotated(manifest: Manifest, tool: str) -> Manifest:
    """The object for a tool (a name of `synctools.table`). What the Platform annotates otherwise stays so."""
    wanted, wave_key = dict(BY_NAME[tool].kept), BY_NAME[tool].wave
    if not wanted:
        return manifest
    if wave_key:
        wave = _WAVES.get(manifest.kind, _WAVE_OF_OTHERS)
        if manifest.kind == "Queue" and get(manifest.tree, ("spec", "parent"), None):
            wave = _WAVE_OF_CHILDREN
        wanted = {wave_key: str(wave), **wanted}
    metadata = manifest.tree.get("metadata")
    annotations = get(metadata, ("annotations",), None) or {}
    if metadata.__class__ is not dict or annotations.__class__ is not dict:
        return manifest  # the result of a patch, which the API server refuses
    missing = {key: value for key, value in wanted.items() if key not in annotations}
    owners: Owners = {("metadata", "annotations", key): (_ORIGIN,) for key in missing}
    tree = {**manifest.tree, "metadata": {**metadata, "annotations": {**annotations, **missing}}}
    return Manifest(tree, {**manifest.owners, **owners}, manifest.stage)
