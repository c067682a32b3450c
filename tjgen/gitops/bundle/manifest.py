"""A tree in which values name their field of the Platform -> the manifest, and the origin of each field."""

from __future__ import annotations

from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.labels import MANAGED_BY
from tjgen.trees.manifests.leaves import lasting
from tjgen.trees.manifests.manifest import PLATFORM, Manifest
from tjgen.trees.manifests.sourced import plain

SPEC: FieldPath = ("spec",)


def manifest(api_version: str, kind: str, metadata: Tree, rest: Tree, because: FieldPath) -> Manifest:
    """An object of the platform: the source of values without one of their own is `because`."""
    labels = {MANAGED_BY: "tjgen", **metadata.get("labels", {})}
    tree = {"apiVersion": api_version, "kind": kind, "metadata": {**metadata, "labels": labels}, **rest}
    content, owners = plain(tree, _origin)
    # Explanations name elements of lists by their keys.
    named = {lasting(content, path): origins for path, origins in owners.items()}
    return Manifest(content, {(): (_origin(because),), **named}, PLATFORM)


def _origin(because: FieldPath) -> Origin:
    return Origin("platform", "platform", because)
