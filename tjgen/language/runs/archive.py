"""The manifests of a run -> the same with the marks of a record: a sync leaves them alone, and never starts them.

Argo CD neither applies nor prunes an object whose only hook is `Skip` (gitops-engine `pkg/sync/hook`),
whether it is in the cluster or not; Flux does not apply one with `ssa: Ignore` (fluxcd/pkg
`ssa/utils/meta.go`), and keeps it as long as it is in Git. So a run in the cluster is left as it is, and
one that does not exist, since its cluster was created again, is not trained again.
"""

from __future__ import annotations

from tjgen.cluster.synctools.guards import annotated
from tjgen.cluster.synctools.table import LEFT_ALONE
from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import Tree, get, mapping_at
from tjgen.trees.manifests.manifest import RUNS, Manifest

BY_EXPERIMENT = Origin("experiment", "experiment", ("spec", "state"))


def by_lock(run: str) -> Origin:
    """The origin of the marks of a run that was archived by itself."""
    return Origin("lock", "lock", ("runs", run, "archived"))


def archived(manifests: list[Manifest], origin: Origin) -> list[Manifest]:
    """The manifests of a run as a record. What it shares with other runs, a runtime or a claim, stays as it is."""
    return [_archived(manifest, origin) if manifest.stage == RUNS else manifest for manifest in manifests]


def _archived(manifest: Manifest, origin: Origin) -> Manifest:
    owners: Owners = {("metadata", "annotations", key): (origin,) for key in LEFT_ALONE}
    return Manifest(marked(manifest.tree), {**manifest.owners, **owners}, manifest.stage, expanded=manifest.expanded)


def marked(tree: Tree) -> Tree:
    """A manifest with the marks of a record."""
    return annotated(tree, {**(get(tree, ("metadata", "annotations"), None) or {}), **LEFT_ALONE})


def is_marked(tree: Tree) -> bool:
    """Whether a manifest has these marks."""
    annotations = mapping_at(tree, ("metadata", "annotations"))
    return all(annotations.get(key) == value for key, value in LEFT_ALONE.items())


def unmarked(tree: Tree) -> Tree:
    """A manifest without them."""
    annotations = get(tree, ("metadata", "annotations"), None) or {}
    return annotated(tree, {key: value for key, value in annotations.items() if LEFT_ALONE.get(key) != value})
