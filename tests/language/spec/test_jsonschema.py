"""The JSON Schemas that editors get."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tjgen.language.spec.jsonschema import KINDS, json_schema


@pytest.mark.parametrize("kind", KINDS)
def test_is_a_schema(kind: str) -> None:
    Draft202012Validator.check_schema(json_schema(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: str) -> None:
    schema = json_schema(kind)
    undescribed = [
        f"{name}.{field}"
        for name, definition in {kind: schema, **schema["$defs"]}.items()
        for field, value in definition.get("properties", {}).items()
        if not _described(value, schema)
    ]
    assert undescribed == []


def _described(value: Any, schema: Any) -> bool:
    """A field of a kind that is described itself needs no words of its own when they would be the same."""
    if "description" in value:
        return True
    refs = [one["$ref"] for one in (value, *value.get("anyOf", [])) if "$ref" in one]
    return len(refs) == 1 and "description" in schema["$defs"][refs[0].rpartition("/")[2]]


NULLS = {
    "an experiment may leave a default out": ("experiment", {"spec": {"gpu": None, "env": {"A": None}}}),
    "an overlay may remove": ("overlay", {"spec": {"experiment": {"gpu": None, "volumes": {"d": None}}}}),
    "an overlay may say a field that is called like a word of JSON Schema": (
        "overlay",
        {"spec": {"experiment": {"schedule": {"topology": {"required": "example.com/rack"}}}}},
    ),
    "an overlay may say a part": (
        "overlay",
        {"spec": {"experiment": {"gpu": {"count": 2}, "data": {"path": "train"}, "volumes": {"d": {"pvc": {"create": {}}}}}}},
    ),
}


@pytest.mark.parametrize(("kind", "tree"), NULLS.values(), ids=NULLS)
def test_accepts(kind: str, tree: Any) -> None:
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": kind.capitalize(), "metadata": {"name": "a"}}
    assert [error.message for error in Draft202012Validator(json_schema(kind)).iter_errors({**head, **tree})] == []


def test_an_experiment_may_not_say_a_part() -> None:
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "a"}}
    tree = {**head, "spec": {"data": {"path": "train"}}}
    assert not Draft202012Validator(json_schema("experiment")).is_valid(tree)
