"""The manifests of a run that was suspended -> the same with an explicit `suspend: false`, as the lock records it."""

from __future__ import annotations

from tjgen.cluster.kinds.table import kind_of
from tjgen.language.runs import freeze
from tjgen.trees.fields.managed import Origin
from tjgen.trees.manifests.manifest import RUNS, Manifest


def resumed(manifests: list[Manifest], run: str) -> list[Manifest]:
    """The manifests of a run that runs again (see `freeze.resumed`)."""
    return [_resumed(manifest, Origin("lock", "lock", ("runs", run, "resumed"))) for manifest in manifests]


def _resumed(manifest: Manifest, origin: Origin) -> Manifest:
    kind = kind_of(manifest.tree)
    if manifest.stage != RUNS or kind is None or kind.suspend is None:
        return manifest
    owners = {**manifest.owners, kind.suspend: (origin,)}
    return Manifest(freeze.resumed(manifest.tree), owners, manifest.stage, expanded=manifest.expanded)
