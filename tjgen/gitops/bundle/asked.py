"""A tree in which values say which field of the Platform asked for them -> the manifest, and the origin of each field."""

from __future__ import annotations

from tjgen.trees.fields.managed import Origin, Owners
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.labels import MANAGED_BY
from tjgen.trees.manifests.leaves import lasting
from tjgen.trees.manifests.manifest import PLATFORM, Manifest
from tjgen.trees.typing import Any, NamedTuple

SPEC: FieldPath = ("spec",)


class Asked(NamedTuple):
    """A value that a field of the Platform asked for."""

    value: Any
    because: FieldPath


def manifest(api_version: str, kind: str, metadata: Tree, rest: Tree, because: FieldPath) -> Manifest:
    """An object of the platform: what no value says was asked for at `because`."""
    labels = {MANAGED_BY: "tjgen", **metadata.get("labels", {})}
    tree = {"apiVersion": api_version, "kind": kind, "metadata": {**metadata, "labels": labels}, **rest}
    owners: Owners = {(): (_origin(because),)}
    plain = _plain(tree, (), owners)
    # Whoever asks names elements of lists by their keys.
    return Manifest(plain, {lasting(plain, path): origins for path, origins in owners.items()}, PLATFORM)


def _origin(because: FieldPath) -> Origin:
    return Origin("platform", "platform", because)


def _plain(tree: Any, path: FieldPath, owners: Owners) -> Tree:
    if isinstance(tree, Asked):
        owners[path] = (_origin(tree.because),)
        return tree.value
    if tree.__class__ is dict:
        return {key: _plain(value, (*path, key), owners) for key, value in tree.items()}
    if tree.__class__ is list:
        return [_plain(value, (*path, position), owners) for position, value in enumerate(tree)]
    return tree
