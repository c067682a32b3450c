"""A tree and its schema -> the tree as the API server stores it: nulls dropped, defaults filled in.

Mirrors k8s.io/apiextensions-apiserver 0.36 `schema/defaulting`: PruneNonNullableNullsWithoutDefaults,
then Default. A null counts as not given unless the field is nullable; defaults fill objects that
exist, and a missing parent is created only if it has a default of its own.
"""

from __future__ import annotations

from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

_filled: dict[int, tuple[Schema, dict[str, Tree]]] = {}


def with_defaults(tree: Tree, schema: Schema) -> Tree:
    """`tree` with the schema's defaults; shares with `tree` and the schema all that stays as it is."""
    kind = tree.__class__
    if kind is dict:
        return _object(tree, schema)
    if kind is list:
        items = schema.get("items")
        if items is not None:
            return _list(tree, items)
    return tree


def _object(tree: dict[str, Any], schema: Schema) -> dict[str, Any]:
    properties = schema.get("properties")
    others = schema.get("additionalProperties")
    if others.__class__ is not dict:
        others = None
    if properties is None:
        if others is None:
            return tree
        properties = {}
    fresh: dict[str, Any] | None = None
    for key, value in tree.items():
        kind = value.__class__
        if kind is str or kind is int or kind is bool:
            continue
        below = properties.get(key, others)
        if below is None:
            continue
        if value is None:
            if below.get("nullable"):
                continue
            if fresh is None:
                fresh = tree.copy()
            if "default" in below:
                fresh[key] = with_defaults(below["default"], below)
            else:
                del fresh[key]
            continue
        if kind is dict:
            changed: Any = _object(value, below)
        elif kind is list and "items" in below:
            changed = _list(value, below["items"])
        else:
            continue
        if changed is not value:
            if fresh is None:
                fresh = tree.copy()
            fresh[key] = changed
    if properties:
        for key, value in _defaults(properties).items():
            if key not in tree:
                if fresh is None:
                    fresh = tree.copy()
                fresh[key] = value
    return tree if fresh is None else fresh


def _list(tree: list[Any], items: Schema) -> list[Any]:
    fresh: list[Any] | None = None
    for position, value in enumerate(tree):
        if value.__class__ is str:
            continue
        # A null in a list stays, unless the items have a default.
        changed = items.get("default") if value is None and not items.get("nullable") else with_defaults(value, items)
        if changed is not value:
            if fresh is None:
                fresh = tree.copy()
            fresh[position] = changed
    return tree if fresh is None else fresh


def _defaults(properties: Schema) -> dict[str, Tree]:
    """The defaults of an object's properties, each with its own inner defaults.

    Remembered by the identity of the schema, which the entry keeps alive: most objects have dozens
    of properties and no default.
    """
    known = _filled.get(id(properties))
    if known is None:
        defaults = {key: with_defaults(below["default"], below) for key, below in properties.items() if "default" in below}
        known = _filled[id(properties)] = (properties, defaults)
    return known[1]
