"""A manifest that was applied, the new one and the live object -> the result of server-side apply.

Mirrors sigs.k8s.io/structured-merge-diff v6 `merge/update.go:Apply` where one manager applies: fields are merged, elements of
keyed lists by their keys, and what the manager no longer names is removed with all that is in it.
"""

from __future__ import annotations

from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate.update.pair import identical
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

_NONE: dict[str, Tree] = {}


def applied(original: Tree, modified: Tree, live: Tree, schema: Schema) -> Any:
    """The merged object; the schema is that of the whole, its metadata included."""
    if modified.__class__ is dict and live.__class__ is dict and _is_granular(schema):
        return _object(original if original.__class__ is dict else _NONE, modified, live, schema)
    if modified.__class__ is list and live.__class__ is list and _keys(schema) is not None:
        return _list(original if original.__class__ is list else [], modified, live, schema)
    return modified


def _is_granular(schema: Schema) -> bool:
    return bool(schema.get("type") == "object" and schema.get("x-kubernetes-map-type") != "atomic")


def _keys(schema: Schema) -> Any:
    """The keys of a keyed list, an empty tuple for a set, None for a list that is one value."""
    kind = schema.get("x-kubernetes-list-type")
    return schema.get("x-kubernetes-list-map-keys", ()) if kind in ("map", "set") else None


def _object(original: dict[str, Tree], modified: dict[str, Tree], live: dict[str, Tree], schema: Schema) -> Tree:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    result: dict[str, Tree] = {}
    for key in [*live, *(key for key in modified if key not in live)]:
        below = properties.get(key, others)
        known: Schema = below if below.__class__ is dict else {}
        if key in modified:
            result[key] = applied(original.get(key), modified[key], live.get(key), known)
        elif key not in original:
            result[key] = live[key]
    # Upstream leaves a null where it takes the last field out of what is still named.
    return result if result or not original else None


def _list(original: list[Tree], modified: list[Tree], live: list[Tree], schema: Schema) -> list[Tree]:
    keys, items = _keys(schema), schema["items"]
    before = [(_name(item, keys, items), item) for item in live]
    owned = [(_name(item, keys, items), item) for item in original]
    named = [(_name(item, keys, items), item) for item in modified]
    result = [applied(_of(owned, name), item, _of(before, name), items) for name, item in named]
    return result + [item for name, item in before if _of(named, name) is None and _of(owned, name) is None]


def _of(elements: list[tuple[Tree, Tree]], name: Tree) -> Tree:
    return next((item for known, item in elements if identical(known, name)), None)


def _name(item: Tree, keys: Any, items: Schema) -> Tree:
    """The key of an element."""
    if not keys or item.__class__ is not dict:
        return item
    return [item.get(key, items.get("properties", {}).get(key, {}).get("default")) for key in keys]
