"""A value and a schema with allOf, anyOf, oneOf, not or multipleOf -> what the value breaks of them.

Mirrors k8s.io/kube-openapi `validation/validate/schema_props.go:schemaPropsValidator.Validate`. Only kinds that
users bring have these words; `definition.py` marks their schemas with `x-tjgen-junctors`.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.cluster.schema.store import Schema
from tjgen.trees.fields.path import Tree
from tjgen.trees.typing import Any

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


def multiple_problem(value: float, factor: float) -> str:
    """`MultipleOf` of a number; of an integer `MultipleOfNativeType`, which cuts off what is behind the factor's point."""
    if value.__class__ is int:
        whole = int(factor)
        if whole <= 0:
            return "cannot be a multiple of a fraction, for it is whole"
        return "" if value % whole == 0 else f"should be a multiple of {whole}"
    quotient = 1 / factor * value if factor < 1 else value / factor
    return "" if quotient == int(quotient) else f"should be a multiple of {factor}"
