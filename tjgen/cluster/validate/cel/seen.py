"""A value that may be of a wrong type, and its schema -> the value as rules see it.

Mirrors k8s.io/apiserver 0.36 `pkg/cel/common:UnstructuredToVal`: map lists compare as maps and sets as sets, and what is
of another type than that of the schema is an error for the rule that reads it. A new object never has such a value, for
its rules run only where all types are right; one that was stored before may.
"""

from __future__ import annotations

from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate.cel.values import Wrong
from tjgen.cluster.validate.wording import as_json, go_type
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

_CLASSES: dict[Any, tuple[str, tuple[type, ...]]] = {
    "string": ("string", (str,)),
    "integer": ("int", (int,)),
    "number": ("float", (int, float)),
    "boolean": ("bool", (bool,)),
}


def seen(tree: Tree, schema: Schema) -> Tree:
    """The tree with errors where its types are wrong."""
    if tree is None:
        return None if schema.get("nullable") else Wrong("invalid data, got null for schema with nullable=false")
    if "x-kubernetes-int-or-string" in schema:
        words = "invalid data, expected XIntOrString value to be either a string or integer"
        return tree if tree.__class__ in (int, str) else Wrong(words)
    expected = schema.get("type")
    if expected == "object":
        return _object(tree, schema)
    if expected == "array":
        if tree.__class__ is not list:
            return Wrong("invalid data, expected an array for the provided schema with type=array")
        return [seen(item, schema["items"]) for item in tree]
    if expected in _CLASSES:
        name, classes = _CLASSES[expected]
        return tree if tree.__class__ in classes else Wrong(f"invalid data, expected {name}, got {go_type(tree)}")
    return tree


def _object(tree: Tree, schema: Schema) -> Tree:
    if tree.__class__ is not dict:
        return Wrong("invalid data, expected a map for the provided schema with type=object")
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    below = {key: properties.get(key, others) for key in tree}
    return {key: seen(value, below[key]) if below[key].__class__ is dict else value for key, value in tree.items()}


def in_order(tree: Tree, schema: Schema, *, is_left: bool = False) -> Tree:
    """The tree with its map lists and sets in one order.

    Of elements with the same keys the server compares the last of the list on the left with each of those on the right.
    """
    if tree.__class__ is dict:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        below = {key: properties.get(key, others) for key in tree}
        return {
            key: in_order(value, below[key], is_left=is_left) if below[key].__class__ is dict else value
            for key, value in tree.items()
        }
    if tree.__class__ is list and schema.get("items").__class__ is dict:
        items = [in_order(item, schema["items"], is_left=is_left) for item in tree]
        keys = schema.get("x-kubernetes-list-map-keys", ())
        if schema.get("x-kubernetes-list-type") == "set":
            return sorted(items, key=as_json)
        if not keys:
            return items
        last = {tuple(_key(item, keys)): item for item in items} if is_left else {}
        items = [last.get(tuple(_key(item, keys)), item) for item in items]
        return sorted(items, key=lambda item: _key(item, keys))
    return tree


def _key(item: Tree, keys: tuple[str, ...]) -> list[str]:
    return [as_json(item.get(key)) for key in keys] if item.__class__ is dict else []
