"""The core dialect reads by YAML 1.2's core schema, and says where kubectl would read something else."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import CORE, KUBERNETES, read


def read_one(text: str, dialect: str = CORE) -> tuple[Tree, list[Diagnostic]]:
    documents, diagnostics = read(text, "experiment.yaml", dialect)
    return documents[0].value, diagnostics


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("~", None),
        ("", None),
        ("nULL", "nULL"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("0", 0),
        ("12", 12),
        ("-7", -7),
        ("+7", 7),
        ("0o17", 15),
        ("0x1F", 31),
        ("9223372036854775807", 9223372036854775807),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("12e03", 12000.0),
        ("-2E+05", -200000.0),
        ("1e-3", 0.001),
        ("-0.0", -0.0),
        ("a b", "a b"),
        ("v1", "v1"),
        ("64Gi", "64Gi"),
        ("10m", "10m"),
        ("1.2.3", "1.2.3"),
        ("0x", "0x"),
        ("0o8", "0o8"),
        ("1e", "1e"),
        ("12:30:45", "12:30:45"),
        ("2001-12-14", "2001-12-14"),
        ("<<", "<<"),
        ("=", "="),
        ("-", None),
        ("--x", "--x"),
        ("nan", "nan"),
    ],
)
def test_unambiguous_scalars(text: str, value: Any) -> None:
    found, diagnostics = read_one(f"v: {text}\n" if text != "-" else "v:\n-\n")
    expected = value if text != "-" else [None]
    assert diagnostics == []
    assert found == {"v": expected}
    assert type(found["v"]) is type(expected)


@pytest.mark.parametrize(
    ("text", "here", "there"),
    [
        ("no", "no", "the boolean false"),
        ("Yes", "Yes", "the boolean true"),
        ("on", "on", "the boolean true"),
        ("y", "y", "the boolean true"),
        ("0777", 777, "the number 511"),
        ("-010", -10, "the number -8"),
        ("0b101", "0b101", "the number 5"),
        ("1_000", "1_000", "the number 1000"),
        ("+0x10", "+0x10", "the number 16"),
        ("0O17", "0O17", "the number 15"),
        ("123456789012345678901", 123456789012345678901, "the number 1.2345678901234568e+20"),
    ],
)
def test_ambiguous_scalars_are_read_by_yaml_12_and_warned_of(text: str, here: Any, there: str) -> None:
    found, (warning,) = read_one(f"v: {text}\n")
    assert found == {"v": here}
    assert (warning.code, warning.name, warning.severity) == ("TJ004", "ambiguous-scalar", "warning")
    assert str(warning.span) == "experiment.yaml:1:4"
    assert text in warning.message
    assert warning.message.endswith(f"but {there} to kubectl")
    assert warning.hint is not None
    assert f'"{text}"' in warning.hint


@pytest.mark.parametrize("text", ['"no"', "'0777'", "!!str no", "! 1_000", "|\n  no", ">-\n  yes"])
def test_what_is_quoted_is_not_ambiguous(text: str) -> None:
    assert read_one(f"v: {text}\n")[1] == []


def test_the_hint_is_the_way_to_the_value_that_is_meant() -> None:
    assert read_one("v: off\n")[1][0].hint == 'quote it ("off"), or write false'
    assert read_one("v: 0777\n")[1][0].hint == 'quote it if text is meant ("0777"), or write 777'


def test_keys_are_text_and_warned_of_where_kubectl_reads_another() -> None:
    found, warnings = read_one("1: a\n1.10: b\non: c\n0x10: d\ntrue: e\n0777: f\nplain: g\n")
    assert found == {"1": "a", "1.10": "b", "on": "c", "0x10": "d", "true": "e", "0777": "f", "plain": "g"}
    assert [(warning.code, warning.span.line) for warning in warnings if warning.span] == [
        ("TJ004", 2), ("TJ004", 3), ("TJ004", 4), ("TJ004", 6),
    ]  # fmt: skip
    assert warnings[1].message == 'the key on is "on" here (YAML 1.2), but is "true" to kubectl'


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", "1e400", "-1e999"])
def test_numbers_that_json_cannot_hold_are_refused(text: str) -> None:
    _, (error,) = read_one(f"v: {text}\n")
    assert (error.code, error.name) == ("TJ010", "not-a-json-number")
    assert text in error.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!str 1", "1"),
        ("!!int '3'", 3),
        ("!!float 3", 3.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("! 12", "12"),
        ("!!str", ""),
    ],
)
def test_tags_of_the_schema(text: str, value: Any) -> None:
    found, diagnostics = read_one(f"v: {text}\n")
    assert (found["v"], type(found["v"]), diagnostics) == (value, type(value), [])


@pytest.mark.parametrize(
    "text", ["!!int x", "!!bool yes", "!!float x", "!!null x", "!foo x", "!!binary aGk=", "!!timestamp 2001-01-01"]
)
def test_other_tags_are_refused(text: str) -> None:
    assert [error.code for error in read_one(f"v: {text}\n")[1]] == ["TJ009"]


@pytest.mark.parametrize("text", ["!foo {a: 1}", "!!str {a: 1}", "!!set {a: }", "!!seq {a: 1}", "!!map [1]", "!foo\n- 1"])
def test_tags_of_mappings_and_lists_have_to_fit(text: str) -> None:
    assert [error.code for error in read_one(f"v: {text}\n")[1]] == ["TJ009"]
    assert [warning.code for warning in read_one(f"v: {text}\n", KUBERNETES)[1]] == ["TJ014"]


@pytest.mark.parametrize("text", ["!!map {a: 1}", "!!seq [1]", "! {a: 1}", "! [1]"])
def test_tags_that_fit_say_nothing_new(text: str) -> None:
    assert read_one(f"v: {text}\n")[1] == read_one(f"v: {text}\n", KUBERNETES)[1] == []


def test_a_tag_that_kubectl_ignores_is_warned_of() -> None:
    found, (warning,) = read_one("v: !Ref x\n", KUBERNETES)
    assert found == {"v": "x"}
    assert (warning.code, warning.severity) == ("TJ014", "warning")
    assert "!Ref" in warning.message


@pytest.mark.parametrize(
    ("dialect", "version", "codes"),
    [(CORE, "1.2", []), (CORE, "1.1", ["TJ011"]), (KUBERNETES, "1.1", []), (KUBERNETES, "1.2", ["TJ011"])],
)
def test_the_version_has_to_be_the_one_that_is_read(dialect: str, version: str, codes: list[str]) -> None:
    assert [error.code for error in read(f"%YAML {version}\n---\na: 1\n", "f.yaml", dialect)[1]] == codes


def test_text_behind_a_separator_is_refused_as_kubectl_does() -> None:
    documents, (error,) = read("a: 1\n--- {b: 2}\n--- # a comment\nc: 3\n", "f.yaml", KUBERNETES)
    assert [document.value for document in documents] == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert (error.code, str(error.span)) == ("TJ012", "f.yaml:2:1")
    assert read("a: 1\n--- {b: 2}\n", "f.yaml", CORE)[1] == []


def test_escapes_are_those_of_kubectl() -> None:
    assert [error.code for error in read('a: "\\/"\n', "f.yaml", KUBERNETES)[1]] == ["TJ016"]
    assert read('a: "\\\\/"\n', "f.yaml", KUBERNETES)[1] == []
    documents, diagnostics = read('{"a": "\\/ \\ud83d\\ude00 \\\\ud83d"}', "f.json", KUBERNETES)
    assert diagnostics == []
    assert documents[0].value == {"a": "/ \U0001f600 \\ud83d"}
