"""Values and paths -> the text that the API server writes them as, and what its error types say before a detail.

Mirrors k8s.io/apimachinery 0.36 `util/validation/field` (Error.ErrorBody, Path.String) and Go's %q, %v and JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from tjgen.fields.path import FieldPath, Tree
from tjgen.schema.store import Schema
from tjgen.validate.fault import DUPLICATE, FORBIDDEN, INVALID, NOT_FOUND, NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, Fault

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_GO_TYPES = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    type(None): "<nil>",
}


def required(path: FieldPath, detail: str = "") -> Fault:
    """`field.Required`."""
    return Fault(REQUIRED, field(path), f"Required value: {detail}" if detail else "Required value", path)


def invalid(path: FieldPath, value: Tree, detail: str) -> Fault:
    """`field.Invalid`."""
    return Fault(INVALID, field(path), f"Invalid value: {shown(value)}: {detail}", path)


def not_supported(path: FieldPath, value: Tree, supported: Sequence[str]) -> Fault:
    """`field.NotSupported`; the caller decides on the order of the supported values."""
    values = ", ".join(map(quote, supported))
    return Fault(NOT_SUPPORTED, field(path), f"Unsupported value: {shown(value)}: supported values: {values}", path)


def forbidden(path: FieldPath, detail: str) -> Fault:
    """`field.Forbidden`."""
    return Fault(FORBIDDEN, field(path), f"Forbidden: {detail}", path)


def duplicate(path: FieldPath, value: Tree) -> Fault:
    """`field.Duplicate`."""
    return Fault(DUPLICATE, field(path), f"Duplicate value: {shown(value)}", path)


def not_found(path: FieldPath, value: Tree) -> Fault:
    """`field.NotFound`."""
    return Fault(NOT_FOUND, field(path), f"Not found: {shown(value)}", path)


def too_long(path: FieldPath, most: int) -> Fault:
    """`field.TooLong`."""
    return Fault(TOO_LONG, field(path), f"Too long: may not be more than {most} bytes", path)


def too_many(path: FieldPath, count: int, most: int) -> Fault:
    """`field.TooMany`."""
    return Fault(TOO_MANY, field(path), f"Too many: {count}: must have at most {most} items", path)


def field(path: FieldPath, schema: Schema | None = None) -> str:
    """The path as the server writes it: `spec.tasks[0].limits.nvidia.com/gpu`.

    With a schema, keys of maps stand in brackets (`spec.replicaSpecs[Worker].template`): some of the server's checks
    write them so, and only the schema tells a map's key from an object's field.
    """
    text = ""
    for step in path:
        if step.__class__ is int:
            text += f"[{step}]"
            schema = schema.get("items") if schema else None
            continue
        properties = schema.get("properties", {}) if schema else {}
        if schema and step not in properties and "additionalProperties" in schema:
            text += f"[{step}]"
            schema = schema["additionalProperties"]
        else:
            text += f".{step}" if text else str(step)
            schema = properties.get(step)
    return text


def shown(value: Tree) -> str:
    """A value in the middle of a message."""
    kind = value.__class__
    if kind is str:
        return quote(value)
    if kind is float:
        return number(value)
    if kind is dict or kind is list:
        return as_json(value)
    return "null" if value is None else str(value).lower()


def quote(text: str) -> str:
    """The text in quotes as Go's %q writes it."""
    if text.isprintable() and "\\" not in text and '"' not in text:
        return f'"{text}"'
    return '"' + "".join(_ESCAPES.get(character) or _escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def number(value: float) -> str:
    """A float as Go's %v writes it: an exponent only below 1e-4 and from 1e21 on."""
    text = repr(value)
    if "e" in text and 1e-4 <= abs(value) < 1e21:
        text = f"{value:.0f}"
    return text.removesuffix(".0")


def printed(value: Tree) -> str:
    """A value as Go's %v writes it: strings without quotes, `map[key:value]`, `[a b]`."""
    kind = value.__class__
    if kind is dict:
        return "map[" + " ".join(f"{key}:{printed(value[key])}" for key in sorted(value)) + "]"
    if kind is list:
        return "[" + " ".join(map(printed, value)) + "]"
    if kind is str:
        return str(value)
    return "<nil>" if value is None else shown(value)


def go_type(value: Tree) -> str:
    """The type that a value of JSON has in Go, as %T writes it."""
    return _GO_TYPES[value.__class__]


def as_json(value: Tree) -> str:
    """A value as encoding/json writes it."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        if character in text:
            text = text.replace(character, f"\\u{ord(character):04x}")
    return text
