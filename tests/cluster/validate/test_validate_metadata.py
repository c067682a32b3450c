"""Names, labels and the rest of the metadata; how Go types are decoded; the server's spelling of values."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.cluster.schema.times import is_go_time
from tjgen.cluster.schema.walk import TYPE, UNKNOWN
from tjgen.cluster.validate import metadata
from tjgen.cluster.validate.decode import mismatches
from tjgen.cluster.validate.wording import as_json, field, number, printed, quote, shown
from tjgen.trees.k8s import syntax

QUANTITY = {"x-kubernetes-int-or-string": True, "pattern": "p"}


def faults(given: dict[str, Any], *, kind: str = "ConfigMap", group: str = "", built_in: bool = True) -> list[tuple[str, str]]:
    named = {"name": "a", **given}
    found = metadata.faults(named, group=group, kind=kind, namespaced=True, built_in=built_in)
    return [(fault.field, fault.detail.partition(": ")[2]) for fault in found]


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        pytest.param({}, [], id="a name"),
        pytest.param({"name": "a.b-c"}, [], id="a subdomain"),
        pytest.param({"name": ""}, ["metadata.name"], id="no name"),
        pytest.param({"name": "", "generateName": "a-"}, [], id="a name to be made up"),
        pytest.param({"name": "", "generateName": "a" * 300}, ["metadata.generateName"], id="a prefix that is cut anyway"),
        pytest.param({"name": "", "generateName": "Ab-"}, ["metadata.generateName", "metadata.name"], id="a bad prefix"),
        pytest.param({"name": "", "generateName": "A-"}, ["metadata.name"], id="a dash hides the character before it"),
        pytest.param({"name": "a" * 254}, ["metadata.name"], id="too long"),
        pytest.param({"namespace": "a.b"}, ["metadata.namespace"], id="a namespace has no dots"),
        pytest.param({"labels": {"a b": "c"}}, ["metadata.labels"], id="label key"),
        pytest.param({"labels": {"a": "b c"}}, ["metadata.labels"], id="label value"),
        pytest.param({"labels": {"x.y/a": ""}}, [], id="an empty label value"),
        pytest.param({"labels": {"/a": "b"}}, ["metadata.labels"], id="a prefix of nothing"),
        pytest.param({"annotations": {"A.B/c": "x y\nz"}}, [], id="annotations take any text, and prefixes in upper case"),
        pytest.param({"annotations": {"a/b/c": ""}}, ["metadata.annotations"], id="annotation key"),
        pytest.param({"annotations": {"a": "x" * 262144}}, ["metadata.annotations"], id="annotations that are too large"),
        pytest.param({"annotations": {"a": "x" * 262143}}, [], id="annotations that just fit"),
        pytest.param({"finalizers": ["kubernetes", "a.b/c"]}, [], id="finalizers"),
        pytest.param({"finalizers": ["mine"]}, ["metadata.finalizers[0]"], id="a finalizer without a domain"),
        pytest.param({"finalizers": ["orphan", "foregroundDeletion"]}, ["metadata.finalizers"], id="finalizers that clash"),
        pytest.param({"managedFields": [{"operation": "Update"}]}, [], id="managed fields"),
        pytest.param({"managedFields": [{"operation": "Make"}]}, ["metadata.managedFields[0].operation"], id="no such operation"),
    ],
)
def test_metadata(given: dict[str, Any], fields: list[str]) -> None:
    assert [name for name, _ in faults(given)] == fields


def test_owners() -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
    assert faults({"ownerReferences": [owner]}) == []
    assert [name for name, _ in faults({"ownerReferences": [None]})] == [
        f"metadata.ownerReferences.{key}" for key in ("apiVersion", "kind", "name", "uid")
    ]
    assert len(faults({"ownerReferences": [{**owner, "controller": True}, {**owner, "controller": True}]})) == 1
    assert len(faults({"ownerReferences": [{**owner, "kind": "Event"}]})) == 1


@pytest.mark.parametrize(
    ("group", "kind", "good", "bad"),
    [
        ("", "ConfigMap", "a.b", "a_b"),
        ("", "Namespace", "1a", "a.b"),
        ("", "Service", "1a", "a.b"),
        ("rbac.authorization.k8s.io", "Role", "system:a_B c", "a/b"),
        ("policy", "PodDisruptionBudget", "A b", ".."),
        ("jobset.x-k8s.io", "JobSet", "1.a", "A"),
    ],
)
def test_kinds_have_their_own_names(group: str, kind: str, good: str, bad: str) -> None:
    assert faults({"name": good}, group=group, kind=kind) == []
    assert [name for name, _ in faults({"name": bad}, group=group, kind=kind)] == ["metadata.name"]


def test_custom_resources_may_have_any_finalizer() -> None:
    assert faults({"finalizers": ["mine"]}, built_in=False) == []


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (syntax.dns1123_label, ["a", "1-a", "a" * 63], ["", "-a", "a-", "a.b", "A", "a\n", "a" * 64]),
        (syntax.dns1123_subdomain, ["a.b", "a" * 253], ["", "a..b", ".a", "a_b", "a" * 254]),
        (syntax.dns1035_label, ["a", "a1"], ["1a", "", "A"]),
        (syntax.label_key, ["a", "A_b.c-d", "x.y/a"], ["", "/a", "a/", "a/b/c", "X/a", "_a", "a" * 64]),
        (syntax.label_value, ["", "a", "A_b"], ["-", "a b", "a" * 64]),
        (syntax.path_segment, ["A b", ":"], [".", "..", "a/b", "a%"]),
        (syntax.config_key, ["a", ".a", "A_b-c"], ["", "a b", ".", "..", "..a"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_syntax(check: syntax.Check, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if check(text)] == []
    assert [text for text in bad if not check(text)] == []


@pytest.mark.parametrize(
    ("value", "schema", "good"),
    [
        (None, {"type": "object"}, True),
        ("x", {"type": "string"}, True),
        (5, {"type": "string"}, False),
        (5, {"type": "integer", "format": "int32"}, True),
        (5.0, {"type": "integer"}, False),
        (2**31, {"type": "integer", "format": "int32"}, False),
        (2**63, {"type": "integer", "format": "int64"}, False),
        (True, {"type": "integer"}, False),
        (1.5, {"type": "number"}, True),
        (0, {"type": "boolean"}, False),
        ([], {"type": "object"}, False),
        ({}, {"type": "array", "items": {}}, False),
        ([None, "a"], {"type": "array", "items": {"type": "string"}}, True),
        ("80", {"x-kubernetes-int-or-string": True}, True),
        (1.5, {"x-kubernetes-int-or-string": True}, False),
        (2**31, {"x-kubernetes-int-or-string": True}, False),
        ("1Gi", QUANTITY, True),
        (1.5, QUANTITY, True),
        ("1K", QUANTITY, False),
        ("", QUANTITY, False),
        (True, QUANTITY, False),
        ("2026-01-02T03:04:05Z", {"type": "string", "format": "date-time"}, True),
        ("yesterday", {"type": "string", "format": "date-time"}, False),
        ("aGk=", {"type": "string", "format": "byte"}, True),
        ("hi", {"type": "string", "format": "byte"}, False),
        ([104, None], {"type": "string", "format": "byte"}, True),
        ([256], {"type": "string", "format": "byte"}, False),
        ({"a": [1]}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, True),
    ],
)
def test_decoding(value: Any, schema: dict[str, Any], *, good: bool) -> None:
    found = list(mismatches({"f": value}, {"type": "object", "properties": {"f": schema}}))
    assert [(finding.path, finding.type) for finding in found] == ([] if good else [(("f",), TYPE)])


def test_decoding_finds_unknown_fields_in_any_depth() -> None:
    schema = {
        "type": "object",
        "properties": {"l": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}},
    }
    found = list(mismatches({"l": [{"A": "x"}], "z": None}, schema))
    assert [(finding.path, finding.type) for finding in found] == [(("l", 0, "A"), UNKNOWN), (("z",), UNKNOWN)]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("2026-01-02T03:04:05Z", True),
        ("2026-01-02T3:04:05Z", True),
        ("2026-01-02T03:04:05,5+24:60", True),
        ("2026-01-02t03:04:05z", False),
        ("2026-02-30T03:04:05Z", False),
        ("2026-01-02T03:04:05", False),
        ("2026-01-02T03:04:05+25:00", False),
        ("", False),
    ],
)
def test_times_of_go(text: str, *, good: bool) -> None:
    assert is_go_time(text) is good


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ('a"\\\n\x00\x7f\u2028ä\U0001f600\U000e0001', r'"a\"\\\n\x00\x7f\u2028ä😀\U000e0001"'),
        (None, "null"),
        (True, "true"),
        (-5, "-5"),
        (2**63, "9.223372036854776e+18"),
        (1.5, "1.5"),
        ({"b": [1, "x"], "a": None}, '{"a":null,"b":[1,"x"]}'),
        ({"n": {}}, '{"n":{}}'),
    ],
)
def test_values_in_messages(value: Any, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "general", "json"),
    [
        (0.0, "0", "0"),
        (2.0, "2", "2"),
        (-0.25, "-0.25", "-0.25"),
        (123456.5, "123456.5", "123456.5"),
        (1234567.0, "1.234567e+06", "1234567"),
        (1e10, "1e+10", "10000000000"),
        (1e21, "1e+21", "1e+21"),
        (0.0001, "0.0001", "0.0001"),
        (0.00001, "1e-05", "0.00001"),
        (2.5e-7, "2.5e-07", "2.5e-7"),
        (1e300, "1e+300", "1e+300"),
    ],
)
def test_floats(value: float, general: str, json: str) -> None:
    assert number(value) == general
    assert as_json(value) == json


def test_json_escapes_what_html_would_read() -> None:
    assert as_json("<a&b>\u2028ä") == '"\\u003ca\\u0026b\\u003e\\u2028ä"'


def test_printing_as_go_does() -> None:
    assert printed({"b": [1, "x y", None], "a": {}}) == "map[a:map[] b:[1 x y <nil>]]"


def test_paths() -> None:
    schema = {
        "type": "object",
        "properties": {"m": {"type": "object", "additionalProperties": {"type": "array", "items": {"properties": {"n": {}}}}}},
    }
    path = ("m", "k", 0, "n")
    assert field(path) == "m.k[0].n"
    assert field(path, schema) == "m[k][0].n"
    assert quote("plain") == '"plain"'
