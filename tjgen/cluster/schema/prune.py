"""A tree and its schema -> the tree without the fields that the schema does not know.

What the API server does to a custom resource without strict field validation.
Mirrors k8s.io/apiextensions-apiserver 0.36 `schema/pruning/algorithm.go:prune`.
"""

from __future__ import annotations

from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any


def pruned(tree: Tree, schema: Schema) -> Tree:
    """`tree` without unknown fields; at the root, apiVersion, kind and metadata are always known."""
    if tree.__class__ is not dict:
        return _pruned(tree, schema)
    always = {key: tree[key] for key in ("apiVersion", "kind", "metadata") if key in tree}
    rest = _pruned({key: value for key, value in tree.items() if key not in always}, schema)
    return {key: always.get(key, rest.get(key)) for key in tree if key in always or key in rest}


def _pruned(value: Tree, schema: Schema | None) -> Tree:
    if value.__class__ is dict:
        return _pruned_object(value, schema or {})
    if value.__class__ is list:
        if schema and schema.get("x-kubernetes-preserve-unknown-fields") and "items" not in schema:
            return value
        return [_pruned(item, schema.get("items") if schema else None) for item in value]
    return value


def _pruned_object(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties")
    keeps = schema.get("x-kubernetes-preserve-unknown-fields") or others is True
    kept: dict[str, Any] = {}
    for key, item in value.items():
        if key in properties:
            kept[key] = _pruned(item, properties[key])
        elif others.__class__ is dict:
            kept[key] = _pruned(item, others)
        elif keeps:
            kept[key] = item
    return kept
