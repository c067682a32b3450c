"""A tree and its structural schema -> what is wrong with it, as the API server's schema validation sees it.

Mirrors k8s.io/kube-openapi `validation/validate` and k8s.io/apiextensions-apiserver 0.36
`schema/listtype` and `schema/pruning`, in one walk over the tree (the schema is only looked at where
the tree goes). Defaults are not applied here: give the tree of `with_defaults` where they matter.

Beyond CustomResourceDefinitions it supports lists of types (`type: [string, boolean]`),
`x-tjgen-short`: the schema of a short form that may replace the object, and `x-tjgen-exact`:
a whole number with a decimal point is not an integer.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.schema.patterns import mismatch
from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.typing import Any, NamedTuple

REQUIRED = "Required"
TYPE = "TypeInvalid"
INVALID = "Invalid"
UNSUPPORTED = "Unsupported"
DUPLICATE = "Duplicate"
TOO_LONG = "TooLong"
TOO_MANY = "TooMany"
UNKNOWN = "Unknown"
RANGE = "Range"
"""A number that its integer format cannot hold."""
JOINED = "Joined"
"""A value that does not agree with schemas joined by anyOf, oneOf, allOf or not."""
NOT_KEYED = "NotKeyed"
"""Something else than an object in a list that is keyed by fields of its objects."""


class Mismatch(NamedTuple):
    """One thing that is wrong at `path` (list indexes as int), in words that follow the path: "should match 'x'"."""

    path: FieldPath
    type: str
    message: str
    value: Tree = None
    known: tuple[str, ...] = ()
    """The fields that an object has (Unknown) or the values that a field takes (Unsupported)."""


_JSON_TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_LARGEST = 2**63 - 1
_EXACT = 2**53 - 1
_FORMATS_OF_NUMBERS = {"integer": "int64", "number": "float64"}
_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), _LARGEST)}

_Place = Any
"""The position of a walk: None at the root, else (parent position, step). Cheaper than growing tuples."""


def check(tree: Tree, schema: Schema) -> list[Mismatch]:
    """Everything in `tree` that does not agree with `schema`, in the order of the tree.

    Where the schema is that of a whole Kubernetes object, its metadata is not looked into: it has a
    schema of its own (`store.object_meta`).
    """
    findings: list[Mismatch] = []
    if "x-tjgen-resource" in schema and tree.__class__ is dict and "metadata" in tree:
        tree = {**tree, "metadata": {}}
    _walk(tree, schema, None, findings)
    return findings


def _walk(value: Tree, schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    kind = value.__class__
    expected = schema.get("type")
    json_type = _JSON_TYPES.get(kind, "")
    if json_type != expected or (kind is int and not -_LARGEST - 1 <= value <= _LARGEST):
        if "x-tjgen-short" in schema and kind is not dict:
            _walk(value, schema["x-tjgen-short"], place, findings)
            return
        if not _agrees(value, json_type, expected, schema, place, findings):
            _strangers(value, schema, place, findings)
            if kind is int or kind is float:
                _number(value, schema, place, findings)
            _listed(value, schema, place, findings)
            return
    if kind is dict:
        _object(value, schema, place, findings)
    elif kind is list:
        _list(value, schema, place, findings)
    elif len(schema) > 1 or expected is None:
        if kind is str:
            _string(value, schema, place, findings)
        elif kind is int or kind is float:
            _number(value, schema, place, findings)
    if "enum" in schema:
        _listed(value, schema, place, findings)
    if "x-tjgen-junctors" in schema and value is not None and kind is not dict:
        _joined(value, schema, place, findings)


def _agrees(value: Tree, json_type: str, expected: Any, schema: Schema, place: _Place, findings: list[Mismatch]) -> bool:
    """Return whether a value of another type is accepted anyway (`type.go:typeValidator.Validate`)."""
    if json_type == "integer" and not -_LARGEST - 1 <= value <= _LARGEST:
        json_type = "number"  # what does not fit into 64 bits is decoded as a float
    if expected is None:
        if "x-kubernetes-int-or-string" not in schema:
            return True
        expected = ["integer", "string"]
    types = expected if expected.__class__ is list else [expected]
    if json_type in types or (json_type == "integer" and "number" in types):
        return True
    if json_type == "number" and "integer" in types and _is_whole(value) and "x-tjgen-exact" not in schema:
        return True
    if json_type == "null":
        if schema.get("nullable"):
            return True
    elif "format" in schema and types == ["string"] and json_type == "array":
        return True  # upstream leaves it to the format, which only looks at strings
    elif "format" in schema and json_type not in ("string", "array"):
        # Here upstream names formats instead of types.
        findings.append(_mismatch(place, value, schema["format"], _FORMATS_OF_NUMBERS.get(json_type, "")))
        return False
    findings.append(_mismatch(place, value, ",".join(types), json_type))
    return False


def _mismatch(place: _Place, value: Tree, expected: str, json_type: str) -> Mismatch:
    return Mismatch(_path(place), TYPE, f'must be of type {expected}: "{json_type}"', value)


def _is_whole(value: float) -> bool:
    """Whether a float counts as an integer (swag.IsFloat64AJSONInteger)."""
    return -_EXACT <= value <= _EXACT and value == int(value)


def _object(value: dict[str, Any], schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    properties = schema.get("properties")
    others = schema.get("additionalProperties")
    if properties is None:
        properties = {}
    for key, item in value.items():
        below = properties.get(key)
        if below is None:
            if others.__class__ is dict:
                below = others
            elif others is True or "x-kubernetes-preserve-unknown-fields" in schema:
                continue
            else:
                findings.append(Mismatch(_path((place, key)), UNKNOWN, "unknown field", item, tuple(properties)))
                continue
        kind = item.__class__
        if kind is str:
            if len(below) == 1 and below.get("type") == "string":
                continue  # most leaves are plain strings
        elif kind is dict and below.get("type") == "object" and "enum" not in below:
            _object(item, below, (place, key), findings)
            continue
        _walk(item, below, (place, key), findings)
    if "required" in schema:
        for key in schema["required"]:
            if key not in value:
                findings.append(Mismatch(_path((place, key)), REQUIRED, "", None))
    if "x-tjgen-junctors" in schema:
        _joined(value, schema, place, findings)
    if "minProperties" in schema and len(value) < schema["minProperties"]:
        findings.append(Mismatch(_path(place), INVALID, f"should have at least {schema['minProperties']} properties", len(value)))
    if "maxProperties" in schema and len(value) > schema["maxProperties"]:
        findings.append(Mismatch(_path(place), TOO_MANY, f"must have at most {schema['maxProperties']} items", len(value)))


def _list(value: list[Any], schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    items = schema.get("items")
    if items is None:
        if "x-kubernetes-preserve-unknown-fields" not in schema:
            _strangers(value, schema, place, findings)
    else:
        for position, item in enumerate(value):
            if item.__class__ is str and len(items) == 1 and items.get("type") == "string":
                continue
            _walk(item, items, (place, position), findings)
    if "minItems" in schema and len(value) < schema["minItems"]:
        findings.append(Mismatch(_path(place), INVALID, f"should have at least {schema['minItems']} items", len(value)))
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        findings.append(Mismatch(_path(place), TOO_MANY, f"must have at most {schema['maxItems']} items", len(value)))
    if "x-kubernetes-list-type" in schema:
        if schema["x-kubernetes-list-type"] == "map":
            _keyed(value, schema["x-kubernetes-list-map-keys"], place, findings)
        elif schema["x-kubernetes-list-type"] == "set":
            _unique(value, value, place, findings)


def _keyed(value: list[Any], keys: list[str], place: _Place, findings: list[Mismatch]) -> None:
    for position, item in enumerate(value):
        if item is not None and item.__class__ is not dict:
            findings.append(
                Mismatch(_path((place, position)), NOT_KEYED, "must be an object for an array of list-type map", item)
            )
            return
    if len(value) > 1 and not _has_unique_key(value, keys[0]):
        _unique(value, [{key: item[key] for key in keys if key in item} if item else {} for item in value], place, findings)


def _has_unique_key(items: list[Any], key: str) -> bool:
    """Whether all elements have the key, with texts that are all different: the ordinary case, seen at once."""
    marks = {item[key] for item in items if item and item.get(key).__class__ is str}
    return len(marks) == len(items)


def _unique(value: list[Any], marks: list[Any], place: _Place, findings: list[Mismatch]) -> None:
    """Report the elements whose mark occurs for the second time (a third time is not reported again)."""
    if len(marks) < 2:
        return
    for position in _repeated(marks):
        findings.append(Mismatch(_path((place, position)), DUPLICATE, "", marks[position]))


def _string(value: str, schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    # One of the three is reported, as upstream does (`validator.go:stringValidator.Validate`).
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        findings.append(Mismatch(_path(place), TOO_LONG, f"may not be more than {schema['maxLength']} bytes", value))
    elif "minLength" in schema and len(value) < schema["minLength"]:
        findings.append(Mismatch(_path(place), INVALID, f"should be at least {schema['minLength']} chars long", value))
    elif "pattern" in schema:
        words = mismatch(value, schema["pattern"])
        if words:
            findings.append(Mismatch(_path(place), INVALID, words, value))
    if "format" in schema and not _has_format(value, schema["format"]):
        findings.append(Mismatch(_path(place), TYPE, f'must be of type {schema["format"]}: "{value}"', value))


def _has_format(value: str, name: str) -> bool:
    from tjgen.cluster.schema import formats  # few strings have one

    return formats.matches(name, value)


def _number(value: float, schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    if "format" in schema and schema.get("type") == "integer":
        least, most = _RANGES.get(schema["format"], _RANGES["int64"])
        if not least <= value <= most:
            findings.append(Mismatch(_path(place), RANGE, f"must be of type integer with format {schema['format']}", value))
    if "maximum" in schema:
        limit = schema["maximum"]
        if not value <= limit or (value == limit and schema.get("exclusiveMaximum")):  # not a number is never within
            words = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
            findings.append(Mismatch(_path(place), INVALID, f"should be {words} {limit}", value))
    if "minimum" in schema:
        limit = schema["minimum"]
        if value < limit or (value == limit and schema.get("exclusiveMinimum")):
            words = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
            findings.append(Mismatch(_path(place), INVALID, f"should be {words} {limit}", value))


def _joined(value: Tree, schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    """What the value breaks of schemas that are joined with `and`, `or` and `not`: they know nothing of unknown fields."""

    def walk(value: Tree, part: Schema) -> list[Mismatch]:
        below: list[Mismatch] = []
        _walk(value, part, place, below)
        return [finding for finding in below if finding.type != UNKNOWN]

    for message, below in problems(value, schema, walk):
        findings.append(Mismatch(_path(place), JOINED, message, value))
        findings += below
    factor = schema.get("multipleOf")
    if factor is not None and value.__class__ in (int, float):
        problem = _multiple_problem(value, factor)
        if problem:
            findings.append(Mismatch(_path(place), INVALID, problem, value))


def _strangers(value: Tree, schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    """Report every field of a value that is not of the type that it should have: none of them is known."""
    if value.__class__ is dict:
        for key, item in value.items():
            if "x-kubernetes-preserve-unknown-fields" not in schema:
                findings.append(Mismatch(_path((place, key)), UNKNOWN, "unknown field", item))
    elif value.__class__ is list:
        for position, item in enumerate(value):
            _strangers(item, {}, (place, position), findings)


def _listed(value: Tree, schema: Schema, place: _Place, findings: list[Mismatch]) -> None:
    if "enum" not in schema:
        return
    for entry in schema["enum"]:
        if value == entry and (value.__class__ is bool) == (entry.__class__ is bool):  # True == 1 in Python, but not in JSON
            return
    supported = ", ".join(map(shown, schema["enum"]))
    findings.append(Mismatch(_path(place), UNSUPPORTED, f"supported values: {supported}", value, tuple(map(str, schema["enum"]))))


def _path(place: _Place) -> FieldPath:
    steps: list[Any] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return tuple(reversed(steps))


# JSON values -> which of them are equal; the order of keys does not matter.


def _repeated(values: list[Tree]) -> list[int]:
    """The position of the second of several equal values."""
    counts: dict[str, int] = {}
    positions = []
    for position, value in enumerate(values):
        text = _identity(value)
        counts[text] = counts.get(text, 0) + 1
        if counts[text] == 2:
            positions.append(position)
    return positions


def shown(value: Tree) -> str:
    """The value as messages show it: strings in double quotes."""
    return f'"{value}"' if value.__class__ is str else _identity(value)


def _identity(value: Tree) -> str:
    """A text that two values share only if they are equal as JSON values; the order of keys does not matter."""
    kind = value.__class__
    if kind is dict:
        return "{" + ",".join([f"{key!r}:{_identity(value[key])}" for key in sorted(value)]) + "}"
    if kind is list:
        return "[" + ",".join(map(_identity, value)) + "]"
    return repr(value)


# A value and a schema with allOf, anyOf, oneOf, not or multipleOf -> what the value breaks of them.
#
# Mirrors k8s.io/kube-openapi `validation/validate/schema_props.go:schemaPropsValidator.Validate`. Only kinds that users bring
# have these words; `definition.py` marks their schemas with `x-tjgen-junctors`.

Walk = Callable[[Tree, Schema], list[Any]]
"""What a schema, which may be part of another, has against a value."""
Problem = tuple[str, list[Any]]
"""Errors about the value itself ("" for none), and errors about the values inside it."""


def problems(value: Tree, schema: Schema, walk: Walk) -> list[Problem]:
    """What the value breaks, in upstream's order."""
    result: list[Problem] = []
    if "anyOf" in schema:
        result += _any_of([walk(value, part) for part in schema["anyOf"]])
    if "oneOf" in schema:
        result += _one_of([walk(value, part) for part in schema["oneOf"]])
    if "allOf" in schema:
        result += _all_of([walk(value, part) for part in schema["allOf"]])
    if "not" in schema and not walk(value, schema["not"]):
        result.append(("must not validate the schema (not)", []))
    return result


def _any_of(answers: list[list[Any]]) -> list[Problem]:
    return [] if not all(answers) else [("must validate at least one schema (anyOf)", answers[0])]


def _one_of(answers: list[list[Any]]) -> list[Problem]:
    valid = sum(not answer for answer in answers)
    if valid == 1:
        return []
    detail = f"Found {valid} valid alternatives" if valid else "Found none valid"
    return [(f"must validate one and only one schema (oneOf). {detail}", [] if valid else answers[0])]


def _all_of(answers: list[list[Any]]) -> list[Problem]:
    below = [finding for answer in answers for finding in answer]
    if not below:
        return []
    return [(f"must validate all the schemas (allOf){'. None validated' if all(answers) else ''}", below)]


def _multiple_problem(value: float, factor: float) -> str:
    """`MultipleOf` of a number; of an integer `MultipleOfNativeType`, which cuts off what is behind the factor's point."""
    if value.__class__ is int:
        whole = int(factor)
        if whole <= 0:
            return "cannot be a multiple of a fraction, for it is whole"
        return "" if value % whole == 0 else f"should be a multiple of {whole}"
    quotient = 1 / factor * value if factor < 1 else value / factor
    return "" if quotient == int(quotient) else f"should be a multiple of {factor}"
