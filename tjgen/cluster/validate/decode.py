"""A tree and the schema of Go types -> what the API server cannot read, and the fields that the types do not have.

Built-in kinds, and the metadata of every kind, are decoded into Go structs: no conversions, case matters, a null is as
good as nothing, and the first value of a wrong type ends it (HTTP 400). Mirrors sigs.k8s.io/json and the UnmarshalJSON
of k8s.io/apimachinery 0.36 `Quantity`, `IntOrString`, `Time`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema.store import Schema
from tjgen.cluster.schema.walk import TYPE, UNKNOWN, Mismatch
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import Any

_BITS = {"int32": 31, "int64": 63}
_TYPES = {"string": str, "boolean": bool}
_EMPTY: dict[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": float}


def mismatches(tree: Tree, schema: Schema, path: FieldPath = ()) -> Iterator[Mismatch]:
    """Every value that cannot be decoded (TypeInvalid) and every unknown field (Unknown), in the order of the tree."""
    if tree is None or ("x-kubernetes-preserve-unknown-fields" in schema and "properties" not in schema):
        return
    expected = schema.get("type")
    if expected == "object":
        yield from _object(tree, schema, path)
    elif expected == "array":
        if tree.__class__ is not list:
            yield _mismatch(path, tree, "must be a list")
            return
        for position, item in enumerate(tree):
            yield from mismatches(item, schema["items"], (*path, position))
    else:
        wrong = _scalar(tree, schema)
        if wrong:
            yield _mismatch(path, tree, wrong)


def decoded(tree: Tree, schema: Schema) -> Tree:
    """A tree without mismatches as Go holds it: nulls are not given; in lists and maps they are empty values."""
    if "x-kubernetes-preserve-unknown-fields" in schema and "properties" not in schema:
        return tree
    if tree.__class__ is list and schema.get("type") == "array":
        items = schema["items"]
        return [_empty(items) if item is None else decoded(item, items) for item in tree]
    if tree.__class__ is not dict:
        return tree
    properties, others = schema.get("properties"), schema.get("additionalProperties")
    if properties is not None:
        return {key: decoded(value, properties[key]) for key, value in tree.items() if value is not None and key in properties}
    return {key: _empty(others) if value is None else decoded(value, others) for key, value in tree.items()} if others else tree


def _empty(schema: Schema) -> Tree:
    if "x-kubernetes-int-or-string" in schema:
        return 0
    return _EMPTY.get(str(schema.get("type")), list)()


def _object(tree: Tree, schema: Schema, path: FieldPath) -> Iterator[Mismatch]:
    if tree.__class__ is not dict:
        yield _mismatch(path, tree, "must be a mapping")
        return
    properties: dict[str, Any] = schema.get("properties", {})
    others = schema.get("additionalProperties")
    for key, value in tree.items():
        below = properties.get(key, others)
        if below is None:
            yield Mismatch((*path, key), UNKNOWN, "unknown field", value, tuple(properties))
        elif value.__class__ is not str or below.get("type") != "string" or len(below) > 1:
            yield from mismatches(value, below, (*path, key))


def _scalar(value: Tree, schema: Schema) -> str:
    """Why a value cannot be read into a field of that type; "" if it can."""
    expected = schema.get("type")
    if "x-kubernetes-int-or-string" in schema:
        return _quantity(value) if "pattern" in schema else _integer_or_string(value)
    if expected == "integer":
        return _integer(value, schema.get("format", "int64"))
    if expected == "number":
        return "" if value.__class__ in (int, float) else "must be a number"
    if schema.get("format") == "byte" and value.__class__ is list:
        return "" if all(item is None or _is_byte(item) for item in value) else "must be base64, or a list of bytes"
    wanted = _TYPES.get(str(expected))
    if wanted is not None and value.__class__ is not wanted:
        return f"must be a {expected}"
    return _formatted(value, schema["format"]) if "format" in schema else ""


def _formatted(value: Tree, name: str) -> str:
    from tjgen.cluster.schema import formats, times  # times and bytes are rare in manifests

    if name == "date-time" and not times.is_go_time(value):
        return "must be a time as RFC 3339 has it, such as 2006-01-02T15:04:05Z"
    if name == "byte" and not formats.is_base64(value):
        return "must be base64"
    return ""


def _is_byte(value: Tree) -> bool:
    return value.__class__ is int and 0 <= value <= 255


def _integer(value: Tree, integer_format: str) -> str:
    if value.__class__ is not int:
        return "must be an integer"
    limit = 1 << _BITS.get(integer_format, 63)
    return "" if -limit <= value < limit else f"must be an integer of {_BITS.get(integer_format, 63) + 1} bits"


def _integer_or_string(value: Tree) -> str:
    if value.__class__ is str:
        return ""
    return "must be an integer or a string" if value.__class__ is not int else _integer(value, "int32")


def _quantity(value: Tree) -> str:
    if value.__class__ not in (str, int, float):
        return "must be a quantity"
    try:
        quantity.parse(value)
    except ValueError as error:
        return str(error)
    return ""


def _mismatch(path: FieldPath, value: Tree, message: str) -> Mismatch:
    return Mismatch(path, TYPE, message, value)
