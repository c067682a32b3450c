"""An object -> its kind, namespace and name: as it is written, or as a cluster distinguishes objects."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import ObjectRef
from tjgen.trees.fields.path import FieldPath, Tree, get

_PARTS: tuple[FieldPath, ...] = (("apiVersion",), ("kind",), ("metadata", "namespace"), ("metadata", "name"))


def ref_of(tree: Tree) -> ObjectRef:
    """The kind, namespace and name as they are written; empty texts for those that are missing."""
    return ObjectRef(*[str(get(tree, path, "")) for path in _PARTS])


def identity_of(tree: Tree) -> ObjectRef:
    """The identity of an object in a cluster: of its apiVersion only the group, and the default if it has no namespace."""
    ref = ref_of(tree)
    return ref._replace(api_version=ref.api_version.rpartition("/")[0], namespace=ref.namespace or "default")
