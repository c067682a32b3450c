"""The structural walk: what it finds, where, and in which words."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.schema.walk import Mismatch, check

INT_OR_STRING = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
KEYED = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
    "items": {"type": "object", "properties": {"port": {"type": "integer"}, "protocol": {"type": "string"}}},
}


def of(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}}


def said(tree: Any, schema: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [finding[:3] for finding in check(tree, schema)]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        pytest.param("x", {"type": "string"}, id="string"),
        pytest.param(1, {"type": "integer"}, id="integer"),
        pytest.param(2.0, {"type": "integer", "format": "int32"}, id="a float without a fraction is an integer"),
        pytest.param(1, {"type": "number"}, id="an integer is a number"),
        pytest.param(True, {"type": "boolean"}, id="boolean"),
        pytest.param(None, {"type": "string", "nullable": True}, id="null where it may be"),
        pytest.param(5, INT_OR_STRING, id="int-or-string, integer"),
        pytest.param("50%", INT_OR_STRING, id="int-or-string, string"),
        pytest.param({"any": [{"thing": None}]}, {"x-kubernetes-preserve-unknown-fields": True}, id="anything"),
        pytest.param({"a": {"b": 1}}, {"type": "object", "additionalProperties": True}, id="an open map"),
        pytest.param({"a": "x"}, {"type": "object", "additionalProperties": {"type": "string"}}, id="a map of strings"),
        pytest.param("2026-01-02t03:04:05.6z", {"type": "string", "format": "date-time"}, id="a time in lower case"),
        pytest.param("x", {"type": "string", "format": "made-up"}, id="a format nobody knows"),
        pytest.param(["a", "b"], {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}, id="a set"),
        pytest.param([{"port": 1}, {"port": 1, "protocol": "TCP"}], KEYED, id="keys that differ by a missing field"),
        pytest.param(False, {"type": ["string", "boolean"]}, id="one of two types"),
        pytest.param("h100:8", {"type": "object", "x-tjgen-short": {"type": "string"}}, id="a short form"),
        pytest.param("", {"type": "string", "minLength": 0, "maxLength": 3}, id="an empty string"),
        pytest.param("äöü", {"type": "string", "maxLength": 3}, id="length counts characters, not bytes"),
        pytest.param("ab\n", {"type": "string", "pattern": "^ab"}, id="a pattern that is not anchored at the end"),
    ],
)
def test_what_agrees(value: Any, schema: dict[str, Any]) -> None:
    assert check({"f": value}, of("f", schema)) == []


@pytest.mark.parametrize(
    ("value", "schema", "kind", "message"),
    [
        pytest.param(1, {"type": "string"}, "TypeInvalid", 'must be of type string: "integer"', id="no conversion to string"),
        pytest.param("1", {"type": "integer"}, "TypeInvalid", 'must be of type integer: "string"', id="no conversion to integer"),
        pytest.param(
            True, {"type": "integer", "format": "int32"}, "TypeInvalid", 'must be of type int32: ""', id="a boolean is no number"
        ),
        pytest.param(1.5, {"type": "integer"}, "TypeInvalid", 'must be of type integer: "number"', id="a fraction"),
        pytest.param(
            1.5,
            {"type": "integer", "format": "int32"},
            "TypeInvalid",
            'must be of type int32: "float64"',
            id="a fraction, with format",
        ),
        pytest.param(2**63, {"type": "integer"}, "TypeInvalid", 'must be of type integer: "number"', id="beyond 64 bits"),
        pytest.param(
            2**31,
            {"type": "integer", "format": "int32"},
            "Range",
            "must be of type integer with format int32",
            id="beyond 32 bits",
        ),
        pytest.param(1.5, INT_OR_STRING, "TypeInvalid", 'must be of type integer,string: "number"', id="int-or-string, fraction"),
        pytest.param(
            True, INT_OR_STRING, "TypeInvalid", 'must be of type integer,string: "boolean"', id="int-or-string, boolean"
        ),
        pytest.param(None, {"type": "string"}, "TypeInvalid", 'must be of type string: "null"', id="null"),
        pytest.param("x", {"type": "array"}, "TypeInvalid", 'must be of type array: "string"', id="a scalar for a list"),
        pytest.param("5", {"type": "string", "enum": ["1", "2"]}, "Unsupported", 'supported values: "1", "2"', id="enum"),
        pytest.param(True, {"enum": [1]}, "Unsupported", "supported values: 1", id="true is not 1"),
        pytest.param("abc", {"type": "string", "maxLength": 2}, "TooLong", "may not be more than 2 bytes", id="too long"),
        pytest.param("", {"type": "string", "minLength": 1}, "Invalid", "should be at least 1 chars long", id="too short"),
        pytest.param(
            "ab\n", {"type": "string", "pattern": "^ab$"}, "Invalid", "should match '^ab$'", id="the end is the end of the text"
        ),
        pytest.param("\u0663", {"type": "string", "pattern": r"^\d$"}, "Invalid", r"should match '^\d$'", id="digits are ASCII"),
        pytest.param(0, {"type": "integer", "minimum": 1}, "Invalid", "should be greater than or equal to 1", id="minimum"),
        pytest.param(9, {"type": "integer", "maximum": 8}, "Invalid", "should be less than or equal to 8", id="maximum"),
        pytest.param(
            8,
            {"type": "integer", "maximum": 8, "exclusiveMaximum": True},
            "Invalid",
            "should be less than 8",
            id="exclusive maximum",
        ),
        pytest.param(
            1,
            {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            "Invalid",
            "should be greater than 1",
            id="exclusive minimum",
        ),
        pytest.param(
            [], {"type": "array", "items": {}, "minItems": 1}, "Invalid", "should have at least 1 items", id="too few items"
        ),
        pytest.param(
            [1, 2], {"type": "array", "items": {}, "maxItems": 1}, "TooMany", "must have at most 1 items", id="too many items"
        ),
        pytest.param(
            {}, {"type": "object", "minProperties": 1}, "Invalid", "should have at least 1 properties", id="too few properties"
        ),
        pytest.param(
            "x", {"type": "string", "format": "date-time"}, "TypeInvalid", 'must be of type date-time: "x"', id="no time"
        ),
        pytest.param(
            7,
            {"type": "string", "format": "date-time"},
            "TypeInvalid",
            'must be of type date-time: "int64"',
            id="a number for a time",
        ),
        pytest.param(
            7,
            {"type": "object", "x-tjgen-short": {"type": "string"}},
            "TypeInvalid",
            'must be of type string: "integer"',
            id="a wrong short form",
        ),
    ],
)
def test_what_does_not(value: Any, schema: dict[str, Any], kind: str, message: str) -> None:
    assert said({"f": value}, of("f", schema)) == [(("f",), kind, message)]


def test_a_string_breaks_one_rule_at_a_time() -> None:
    schema = of("f", {"type": "string", "maxLength": 2, "pattern": "^a"})
    assert said({"f": "bbb"}, schema) == [(("f",), "TooLong", "may not be more than 2 bytes")]


def test_a_wrong_type_is_still_compared_with_the_enum() -> None:
    assert [finding.type for finding in check({"f": 1.5}, of("f", {"type": "string", "enum": ["a"]}))] == [
        "TypeInvalid",
        "Unsupported",
    ]


def test_unknown_fields_come_with_the_known_ones() -> None:
    assert check({"nam": 1}, of("name", {"type": "string"})) == [Mismatch(("nam",), "Unknown", "unknown field", 1, ("name",))]


def test_every_field_of_an_object_in_a_scalars_place_is_unknown() -> None:
    assert said({"f": {"a": {"b": 1}}}, of("f", {"type": "string"})) == [
        (("f",), "TypeInvalid", 'must be of type string: "object"'),
        (("f", "a"), "Unknown", "unknown field"),
    ]


def test_named_fields_are_checked_where_unknown_ones_are_kept() -> None:
    schema = {**of("a", {"type": "string"}), "x-kubernetes-preserve-unknown-fields": True}
    assert said({"a": 1, "b": {"c": []}}, schema) == [(("a",), "TypeInvalid", 'must be of type string: "integer"')]


def test_required_fields_are_named_where_they_are_missing() -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}}
    assert said({"f": [{"n": "x"}, {}]}, of("f", schema)) == [(("f", 1, "n"), "Required", "")]


@pytest.mark.parametrize(
    ("items", "places"),
    [
        pytest.param([{"port": 1, "protocol": "TCP"}, {"port": 1, "protocol": "TCP"}], [1], id="the second one"),
        pytest.param([{"port": 1}, {"port": 1}, {"port": 1}], [1], id="a third one is not said again"),
        pytest.param([{}, {}], [1], id="no keys at all"),
        pytest.param([{"port": 1}, {"port": 1.0}], [], id="1 and 1.0 are not one key to a JSON reader"),
        pytest.param([{"port": 1}, {"port": True}], [], id="1 and true"),
    ],
)
def test_keys_of_a_list_map_are_unique(items: list[Any], places: list[int]) -> None:
    found = [finding.path[-1] for finding in check({"f": items}, of("f", KEYED)) if finding.type == "Duplicate"]
    assert found == places


def test_something_else_in_a_keyed_list() -> None:
    assert [(finding.path, finding.type) for finding in check({"f": ["x", "y"]}, of("f", KEYED))] == [
        (("f", 0), "TypeInvalid"),
        (("f", 1), "TypeInvalid"),
        (("f", 0), "NotKeyed"),
    ]


def test_members_of_a_set_are_compared_as_values() -> None:
    schema = of("f", {"type": "array", "items": {"type": "object", "additionalProperties": {}}, "x-kubernetes-list-type": "set"})
    assert said({"f": [{"a": 1, "b": 2}, {"b": 2, "a": 1}]}, schema) == [(("f", 1), "Duplicate", "")]


def test_metadata_of_an_object_has_a_schema_of_its_own() -> None:
    schema = {
        "type": "object",
        "properties": {"metadata": {"type": "object"}},
        "required": ["metadata"],
        "x-tjgen-resource": {},
    }
    assert check({"metadata": {"anything": 1}}, schema) == []
    assert said({}, schema) == [(("metadata",), "Required", "")]
