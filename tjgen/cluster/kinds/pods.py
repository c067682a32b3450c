"""A manifest -> the sets of pods that its controller starts from it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import Pods
from tjgen.cluster.kinds.table import find
from tjgen.trees.manifests.manifest import Manifest


def starts_pods(manifest: Manifest) -> bool:
    """Whether a controller starts pods of a run directly from the manifest."""
    kind = find(manifest.api_version.partition("/")[0], manifest.kind)
    return kind is not None and kind.run is not None and kind.run.pods is not None


def pods_of(manifest: Manifest) -> Iterator[Pods]:
    """The sets of pods; none for kinds that start no pods, or whose pods are those of another object."""
    kind = find(manifest.api_version.partition("/")[0], manifest.kind)
    if kind is not None and kind.run is not None and kind.run.pods is not None:
        yield from kind.run.pods(manifest.tree)
