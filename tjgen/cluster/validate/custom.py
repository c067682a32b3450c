"""A custom resource and its schema -> the errors of the API server's schema validation, stage by stage.

Mirrors k8s.io/apiextensions-apiserver 0.36: `pruning` for unknown fields, then defaulting, then
`validation.ValidateCustomResource` and `listtype.ValidateListSetsAndMaps` (both in `schema/walk.py`), then the scale
subresource (`registry/customresource/validator.go`), then CEL rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.schema import walk
from tjgen.cluster.schema.store import Schema
from tjgen.cluster.schema.walk import Mismatch
from tjgen.cluster.validate.cel import rules as cel
from tjgen.cluster.validate.fault import INVALID, NOT_SUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID, WHOLE, Fault
from tjgen.cluster.validate.place import Place, at
from tjgen.cluster.validate.wording import field, go_type, printed, shown
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tjgen.cluster.validate.update.pair import ObjectPair

_INCOMPLETE = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
)
_BLOCKS_RULES = (TYPE_INVALID, REQUIRED, NOT_SUPPORTED, TOO_LONG, TOO_MANY)
_INTEGERS = ("int32", "int64", "integer", "integer,string")
_LARGEST = 2**63
_LARGEST_SCALE = 2**31 - 1


def structural(tree: Tree, schema: Schema) -> tuple[list[Mismatch], list[Mismatch]]:
    """What the schema does not know in `tree` (with its defaults), and what it does not agree with."""
    unknown: list[Mismatch] = []
    wrong: list[Mismatch] = []
    resets_status = schema["x-tjgen-resource"]["status"]
    for finding in walk.check(tree, schema):
        if finding.type == walk.UNKNOWN:
            unknown.append(finding)
        elif not (resets_status and finding.path[:1] == ("status",)):  # the server drops the status of a new object first
            wrong.append(finding)
    return unknown, wrong


def faults(wrong: list[Mismatch], schema: Schema) -> Iterator[Fault]:
    """Findings as the server words them, with the errors that it adds to some."""
    for finding in wrong:
        yield from _worded(finding, schema)


def rules(tree: Tree, schema: Schema, schema_faults: list[Fault], pair: ObjectPair | None = None) -> Iterator[Fault]:
    """Yield the violated CEL rules; if an error in `schema_faults` prevents the evaluation, the error that reports it.

    At an update `pair` holds the object that `tree` replaces.
    """
    if not any(fault.type in _BLOCKS_RULES for fault in schema_faults):
        yield from cel.faults(tree, schema, pair)
    elif cel.plan(schema) is not None:
        yield Fault(INVALID, WHOLE, f"Invalid value: null: {_INCOMPLETE}", (), echo=True)


def scale(tree: Tree, schema: Schema) -> Iterator[Fault]:
    """The replicas that the scale subresource reads must be a number that it can hold."""
    where = schema["x-tjgen-resource"].get("scale", {}).get("specReplicasPath")
    if where is None:
        return
    path = tuple(where.removeprefix(".").split("."))
    value: Tree = tree
    for position, step in enumerate(path):
        if value.__class__ is not dict:
            detail = _accessor("." + ".".join(path[: position + 1]), value, "map[string]interface{}")
            yield Fault(INVALID, where, f"Invalid value: 0: {detail}", path, echo=True)
            return
        if step not in value:
            return
        value = value[step]
    if value.__class__ is not int:
        yield Fault(INVALID, where, f"Invalid value: 0: {_accessor(where, value, 'int64')}", path, echo=True)
    elif value < 0:
        yield Fault(INVALID, where, f"Invalid value: {value}: should be a non-negative integer", path)
    elif value > _LARGEST_SCALE:
        yield Fault(INVALID, where, f"Invalid value: {value}: should be less than or equal to {_LARGEST_SCALE}", path)


def _accessor(where: str, value: Tree, expected: str) -> str:
    return f"{where} accessor error: {printed(value)} is of the type {go_type(value)}, expected {expected}"


def _worded(finding: Mismatch, schema: Schema) -> Iterator[Fault]:
    path, kind, message, value, known = finding
    if kind == walk.TYPE:
        yield from _type_invalid(finding)
    elif kind == walk.REQUIRED:
        yield Fault(REQUIRED, field(path), "Required value", path)
    elif kind == walk.UNSUPPORTED:
        yield at(path).not_supported(value, known)
    elif kind == walk.DUPLICATE:
        yield Place(field(path, schema), path).duplicate(value)
    elif kind == walk.NOT_KEYED:
        yield Place(field(path, schema), path).invalid(value, message)._replace(echo=True)
    elif kind == walk.TOO_LONG:
        yield at(path).too_long(int(message.split()[-2]))
    elif kind == walk.TOO_MANY:
        yield at(path).too_many(value, int(message.split()[-2]))
    elif kind == walk.JOINED:
        yield Fault(INVALID, WHOLE, f'Invalid value: "": "{field(path)}" {message}', path, summary=f"Invalid value: {message}")
    elif kind == walk.RANGE:
        yield _unchecked(finding, message.removeprefix("must be of type "))
    else:
        detail = f"Invalid value: {shown(value)}: {field(path)} in body {message}"
        yield Fault(INVALID, field(path), detail, path, summary=f"Invalid value: {shown(value)}: {message}")


def _type_invalid(finding: Mismatch) -> Iterator[Fault]:
    """Yield a wrong type, and the errors of the server's other validators about the same value."""
    path, _, message, value, _ = finding
    expected, _, actual = message.removeprefix("must be of type ").partition(": ")
    name = field(path)
    words = f"Invalid value: {shown(value)}: must be of type {expected}"
    yield Fault(TYPE_INVALID, name, f"Invalid value: {actual}: {name} in body {message}", path, words)
    if expected == "integer,string" and value is not None:
        # Both alternatives of its anyOf are tried, and the better one is reported too.
        yield Fault(INVALID, WHOLE, f'Invalid value: "": "{name}" must validate at least one schema (anyOf)', path, echo=True)
        detail = f"Invalid value: {actual}: {name} in body must be of type integer: {actual}"
        yield Fault(TYPE_INVALID, name, detail, path, echo=True)
    if expected in _INTEGERS and value.__class__ in (int, float) and not (abs(value) < _LARGEST and value == int(value)):
        qualifier = f"with format {expected}" if expected.startswith("int3") or expected == "int64" else "(default format)"
        yield _unchecked(finding, f"integer {qualifier}")._replace(echo=True)


def _unchecked(finding: Mismatch, wanted: str) -> Fault:
    detail = f'Invalid value: "": Checked value must be of type {wanted} in {field(finding.path)}'
    return Fault(INVALID, WHOLE, detail, finding.path, summary=f"Invalid value: {shown(finding.value)}: must be of type {wanted}")
