"""A tree and its schema -> why it cannot be put into types for server-side apply.

Mirrors sigs.k8s.io/structured-merge-diff v6 `typed/validate.go`: values of other types, fields that the schema does not
have, and elements of keyed lists and sets that cannot be distinguished.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema.store import Schema
from tjgen.cluster.validate.wording import as_json, printed, shown
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any, NamedTuple


class TypeProblem(NamedTuple):
    """One reason: in the server's words with its path, and for people."""

    path: FieldPath
    words: str
    summary: str
    hint: str


_SCALARS: dict[Any, tuple[str, tuple[type, ...]]] = {
    "boolean": ("boolean", (bool,)),
    "integer": ("numeric (int or float)", (int, float)),
    "number": ("numeric (int or float)", (int, float)),
    "string": ("string", (str,)),
}
_SAME = "remove or rename one of the two entries"


def problems(tree: Tree, schema: Schema, path: FieldPath = (), where: str = "") -> Iterator[TypeProblem]:
    """Every reason, in the order of the tree; `where` is the path as the server writes it."""
    if tree is None or ("x-kubernetes-preserve-unknown-fields" in schema and "properties" not in schema):
        return
    kind = schema.get("type")
    if kind == "object":
        yield from _object(tree, schema, path, where)
    elif kind == "array":
        if tree.__class__ is not list:
            yield _mismatch(path, where, "list", tree)
        else:
            yield from _list(tree, schema, path, where)
    elif "x-kubernetes-int-or-string" in schema:
        if tree.__class__ not in (int, float, str):
            yield _mismatch(path, where, "any scalar", tree)
    elif kind in _SCALARS and tree.__class__ not in _SCALARS[kind][1]:
        yield _mismatch(path, where, _SCALARS[kind][0], tree)


def _mismatch(path: FieldPath, where: str, wanted: str, tree: Tree) -> TypeProblem:
    words = f"expected {wanted}, got {printed(tree)}"
    return TypeProblem(path, f"{where}: {words}", f"{where.lstrip('.')}: {words}", "give the value the type that the field has")


def _object(tree: Tree, schema: Schema, path: FieldPath, where: str) -> Iterator[TypeProblem]:
    if tree.__class__ is not dict:
        yield _mismatch(path, where, "map", tree)
        return
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    for key, value in tree.items():
        below = properties.get(key, others)
        field = f"{where}.{key}"
        if below is None:
            if "x-kubernetes-preserve-unknown-fields" in schema:
                continue
            words = "field not declared in schema"
            yield TypeProblem(
                (*path, key), f"{field}: {words}", f"{field[1:]}: {words}", "remove it, or correct its name or place"
            )
        elif below.__class__ is dict:
            yield from problems(value, below, (*path, key), field)


def _list(tree: list[Tree], schema: Schema, path: FieldPath, where: str) -> Iterator[TypeProblem]:
    keys, kind = schema.get("x-kubernetes-list-map-keys"), schema.get("x-kubernetes-list-type")
    items: Schema = schema["items"]
    seen: set[str] = set()
    for position, item in enumerate(tree):
        field, name = (*path, position), f"[{position}]"
        if kind in ("map", "set"):
            wrong = _unusable(item, keys if kind == "map" else None, items)
            if wrong:
                words = f"{where}: element {position}: {wrong}"
                yield TypeProblem(
                    field, words, words.lstrip("."), "give the element its keys, which distinguish it from the others"
                )
                return
            name = _name(item, keys, items) if kind == "map" and keys else f"[={as_json(item)}]"
            if name in seen:
                words = f"{where}: duplicate entries for key {name}"
                yield TypeProblem(field, words, words.lstrip("."), _SAME)
            seen.add(name)
        yield from problems(item, items, field, where + name)


def _unusable(item: Tree, keys: Any, items: Schema) -> str:
    """The reason why an element of a list cannot be distinguished from the others; "" if it can."""
    if keys is None:
        if item is None:
            return "associative list without keys has an element that's an explicit null"
        return "associative list without keys has an element that's a map type" if item.__class__ is dict else ""
    if item is None:
        return "associative list with keys may not have a null element"
    if item.__class__ is not dict:
        return "associative list with keys may not have non-map elements"
    if any(key in item or "default" in items.get("properties", {}).get(key, {}) for key in keys):
        return ""
    names = " ".join(shown(key) for key in keys)
    words = "associative list with keys has an element that omits all key fields"
    return f"{words} [{names}] (and doesn't have default values for any key fields)"


def _name(item: dict[str, Tree], keys: Any, items: Schema) -> str:
    """The element's key, as in `[name="node"]`."""
    values = {key: item.get(key, items.get("properties", {}).get(key, {}).get("default")) for key in sorted(keys)}
    given = [f"{key}={as_json(value)}" for key, value in values.items() if value is not None or key in item]
    return f"[{','.join(given)}]"
