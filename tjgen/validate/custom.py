"""A custom resource and its schema -> the errors of the API server's schema validation, stage by stage.

Mirrors k8s.io/apiextensions-apiserver 0.36: `pruning` for unknown fields, then defaulting, then
`validation.ValidateCustomResource` and `listtype.ValidateListSetsAndMaps` (both in `schema/walk.py`), then the scale
subresource (`registry/customresource/validator.go`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tjgen.fields.path import MISSING, Tree, get
from tjgen.schema import walk
from tjgen.schema.store import Schema
from tjgen.schema.walk import Finding
from tjgen.validate.fault import INVALID, NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID, WHOLE, Fault
from tjgen.validate.wording import duplicate, field, invalid, not_supported, shown, too_long, too_many

_INCOMPLETE = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
)
_BLOCKS_RULES = (TYPE_INVALID, REQUIRED, NOT_SUPPORTED, TOO_LONG, TOO_MANY)
_INTEGERS = ("int32", "int64", "integer", "integer,string")
_LARGEST_SCALE = 2**31 - 1


def structural(tree: Tree, schema: Schema) -> tuple[list[Finding], list[Finding]]:
    """What the schema does not know in `tree` (with its defaults), and what it does not agree with."""
    unknown: list[Finding] = []
    wrong: list[Finding] = []
    resets_status = schema["x-tjgen-resource"]["status"]
    for finding in walk.check(tree, schema):
        if finding.type == walk.UNKNOWN:
            unknown.append(finding)
        elif not (resets_status and finding.path[:1] == ("status",)):  # the server drops the status of a new object first
            wrong.append(finding)
    return unknown, wrong


def faults(wrong: list[Finding], schema: Schema) -> Iterator[Fault]:
    """Findings as the server words them, with the errors that it adds to some."""
    for finding in wrong:
        yield from _worded(finding, schema)


def incomplete(faults: list[Fault], schema: Schema) -> Iterator[Fault]:
    """The error that stands in for the schema's CEL rules where some of `faults` keep them from being run."""
    if any(fault.type in _BLOCKS_RULES for fault in faults) and has_rules(schema):
        yield Fault(INVALID, WHOLE, f"Invalid value: null: {_INCOMPLETE}", (), echo=True)


def scale(tree: Tree, schema: Schema) -> Iterator[Fault]:
    """The replicas that the scale subresource reads must be a number that it can hold."""
    where = schema["x-tjgen-resource"].get("scale", {}).get("specReplicasPath")
    if where is None:
        return
    path = tuple(where.removeprefix(".").split("."))
    value = get(tree, path)
    if value is MISSING:
        return
    if value.__class__ is not int:
        message = f"{where} accessor error: {value} is of the type {value.__class__.__name__}, expected int64"
        yield Fault(INVALID, where, f"Invalid value: 0: {message}", path, echo=True)
    elif value < 0:
        yield Fault(INVALID, where, f"Invalid value: {value}: should be a non-negative integer", path)
    elif value > _LARGEST_SCALE:
        yield Fault(INVALID, where, f"Invalid value: {value}: should be less than or equal to {_LARGEST_SCALE}", path)


def has_rules(schema: Schema) -> bool:
    """Whether CEL rules stand anywhere in the schema."""
    known = _with_rules.get(id(schema))
    if known is None:
        known = _with_rules[id(schema)] = (schema, _has_rules(schema))
    return known[1]


_with_rules: dict[int, tuple[Schema, bool]] = {}


def _has_rules(schema: Any) -> bool:
    if schema.__class__ is not dict:
        return False
    if "x-kubernetes-validations" in schema:
        return True
    below = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(_has_rules(part) for part in below)


def _worded(finding: Finding, schema: Schema) -> Iterator[Fault]:
    path, kind, message, value, known = finding
    if kind == walk.TYPE:
        yield from _type_invalid(finding)
    elif kind == walk.REQUIRED:
        yield Fault(REQUIRED, field(path), "Required value", path)
    elif kind == walk.UNSUPPORTED:
        yield not_supported(path, value, known)._replace(known=known)
    elif kind == walk.DUPLICATE:
        yield duplicate(path, value)._replace(field=field(path, schema))
    elif kind == walk.NOT_KEYED:
        yield invalid(path, value, message)._replace(field=field(path, schema), echo=True)
    elif kind == walk.TOO_LONG:
        yield too_long(path, int(message.split()[-2]))
    elif kind == walk.TOO_MANY:
        yield too_many(path, value, int(message.split()[-2]))
    elif kind == walk.RANGE:
        yield _unchecked(finding, message.removeprefix("must be of type "))
    else:
        detail = f"Invalid value: {shown(value)}: {field(path)} in body {message}"
        yield Fault(INVALID, field(path), detail, path, said=f"Invalid value: {shown(value)}: {message}")


def _type_invalid(finding: Finding) -> Iterator[Fault]:
    """A wrong type, and what the server's other validators then say of the same value."""
    path, _, message, value, _ = finding
    expected, _, found = message.removeprefix("must be of type ").partition(": ")
    name = field(path)
    said = f"Invalid value: {shown(value)}: must be of type {expected}"
    yield Fault(TYPE_INVALID, name, f"Invalid value: {found}: {name} in body {message}", path, said)
    if expected == "integer,string" and value is not None:
        # Both alternatives of its anyOf are tried, and the better one is reported too.
        yield Fault(INVALID, WHOLE, f'Invalid value: "": "{name}" must validate at least one schema (anyOf)', path, echo=True)
        detail = f"Invalid value: {found}: {name} in body must be of type integer: {found}"
        yield Fault(TYPE_INVALID, name, detail, path, echo=True)
    if expected in _INTEGERS and value.__class__ in (int, float):
        format_ = f"with format {expected}" if expected.startswith("int3") or expected == "int64" else "(default format)"
        yield _unchecked(finding, f"integer {format_}")._replace(echo=True)


def _unchecked(finding: Finding, wanted: str) -> Fault:
    detail = f'Invalid value: "": Checked value must be of type {wanted} in {field(finding.path)}'
    return Fault(INVALID, WHOLE, detail, finding.path, said=f"Invalid value: {shown(finding.value)}: must be of type {wanted}")
