"""A struct and defaults -> the struct with values if it has none."""

from __future__ import annotations

from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

Struct = dict[str, Any]


def filled(tree: Struct, **defaults: Tree) -> Struct:
    """Of fields that Go holds by value, whose empty text is as good as none."""
    missing = {key: value for key, value in defaults.items() if tree.get(key) in (None, "")}
    return {**tree, **missing} if missing else tree


def pointed(tree: Struct, **defaults: Tree) -> Struct:
    """Of fields that Go points to, where an empty text is a value."""
    missing = {key: value for key, value in defaults.items() if tree.get(key) is None}
    return {**tree, **missing} if missing else tree
