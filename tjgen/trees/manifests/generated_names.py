"""An object with `generateName` and without a name -> the object with a name such as the API server gives it.

The server keeps the first 58 characters of the prefix and appends five random ones, here `xxxxx`.
Mirrors k8s.io/apiserver 0.36 `pkg/storage/names:GenerateName`.
"""

from __future__ import annotations

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

LONGEST_PREFIX = 58
"""Characters that the API server keeps of a `generateName`."""
_SUFFIX = "xxxxx"


def generated(metadata: dict[str, Any]) -> str:
    """Return the name of the object: its own, one generated from the prefix, or "" for neither."""
    name, prefix = metadata.get("name"), metadata.get("generateName")
    return name or (f"{prefix[:LONGEST_PREFIX]}{_SUFFIX}" if prefix else "")


def prefix_of(tree: Tree) -> str:
    """Return the prefix for the generated name of an object; "" for an object with a name, or with neither."""
    metadata = tree.get("metadata") if tree.__class__ is dict else None
    if metadata.__class__ is not dict or metadata.get("name"):
        return ""
    prefix = metadata.get("generateName")
    return prefix if prefix.__class__ is str else ""


def named(tree: Tree) -> Tree:
    """The object under the name that the server generates; `tree` itself where the name is not generated."""
    if not prefix_of(tree):
        return tree
    return {**tree, "metadata": {**tree["metadata"], "name": generated(tree["metadata"])}}
