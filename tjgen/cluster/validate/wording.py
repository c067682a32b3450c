"""Values and paths -> the text that the API server writes them as.

Mirrors k8s.io/apimachinery 0.36 `util/validation/field` (Error.ErrorBody) and Go's %q, %v, %T and JSON.
"""

from __future__ import annotations

from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import FieldPath, Tree

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_ESCAPED_IN_JSON = "<>&\u2028\u2029"
_LARGEST = 2**63
_GO_TYPES = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    type(None): "<nil>",
}


def field(path: FieldPath, schema: Schema | None = None) -> str:
    """The path as the server writes it: `spec.tasks[0].limits.nvidia.com/gpu`.

    With a schema, keys of maps are in brackets (`spec.replicaSpecs[Worker].template`): some of the server's checks
    write them so, and only the schema distinguishes a map's key from an object's field.
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
    if kind is float or (kind is int and not -_LARGEST <= value < _LARGEST):
        return number(to_float(value))
    if kind is dict or kind is list or kind is GoStruct:
        return as_json(value)
    return "null" if value is None else str(value).lower()


def to_float(value: float) -> float:
    """The nearest float; an infinite one for a whole number that is too large for any."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


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
    """A float as Go's %v writes it: with an exponent below 1e-4 and from 1e6 on."""
    sign, digits, exponent = _decimal(value)
    return sign + (_plain(digits, exponent) if -4 <= exponent < 6 else f"{_scientific(digits)}e{exponent:+03d}")


def _decimal(value: float) -> tuple[str, str, int]:
    """Sign, the digits that are needed, and the power of ten of the first."""
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = int(power or 0) + len(digits) - len(fraction) - 1
    sign = "-" if repr(value)[0] == "-" else ""
    return (sign, digits.rstrip("0"), exponent) if digits else (sign, "0", 0)


def _plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


def _scientific(digits: str) -> str:
    return f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits


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


class GoStruct(dict[str, Tree]):
    """Format a Go struct: its fields keep their own order, a map's keys are sorted."""


def as_json(value: Tree) -> str:
    """A value as encoding/json writes it."""
    kind = value.__class__
    if kind is GoStruct:
        return "{" + ",".join(f"{_json_string(key)}:{as_json(item)}" for key, item in value.items()) + "}"
    if kind is dict:
        return "{" + ",".join(f"{_json_string(key)}:{as_json(value[key])}" for key in sorted(value)) + "}"
    if kind is list:
        return "[" + ",".join(map(as_json, value)) + "]"
    if kind is str:
        return _json_string(value)
    if kind is not float:
        return shown(value)
    sign, digits, exponent = _decimal(value)
    return sign + (_plain(digits, exponent) if -6 <= exponent < 21 else f"{_scientific(digits)}e{exponent:+d}")


def _json_string(text: str) -> str:
    import json  # only messages about objects and lists need it

    text = json.dumps(text, ensure_ascii=False)
    for character in _ESCAPED_IN_JSON:
        if character in text:
            text = text.replace(character, f"\\u{ord(character):04x}")
    return text
