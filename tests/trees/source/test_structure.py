"""Documents, keys, anchors and merge keys, in both dialects."""

from __future__ import annotations

import pytest

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.reader import CORE, KUBERNETES, read

BOTH = pytest.mark.parametrize("dialect", [CORE, KUBERNETES])


def values(text: str, dialect: str = CORE) -> tuple[list[Tree], list[Diagnostic]]:
    documents, diagnostics = read(text, "f.yaml", dialect)
    return [document.value for document in documents], diagnostics


@BOTH
@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "---\n", "---\n---\n# x\n...\n", "\ufeff", "--- # x\n"])
def test_what_holds_nothing_is_no_document(text: str, dialect: str) -> None:
    assert values(text, dialect) == ([], [])


@BOTH
@pytest.mark.parametrize("text", ["null\n", "~", "--- \n!!null ''\n"])
def test_a_null_that_is_written_is_a_document(text: str, dialect: str) -> None:
    assert values(text, dialect) == ([None], [])


@BOTH
def test_documents_are_numbered_as_they_come(dialect: str) -> None:
    documents, _ = read("---\n---\na: 1\n---\n# none\n---\n- b\n...\n---\nc\n", "f.yaml", dialect)
    assert [(document.index, document.value) for document in documents] == [(0, {"a": 1}), (1, ["b"]), (2, "c")]
    assert {document.file for document in documents} == {"f.yaml"}


@BOTH
def test_the_order_of_keys_is_kept(dialect: str) -> None:
    ((value,), _) = values("c: 1\na: 2\nb: 3\n", dialect)
    assert list(value) == ["c", "a", "b"]


@BOTH
@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("a: 1\nb: 2\na: 3\n", "1:1", "3:1"),
        ("{a: 1, 'a': 3}\n", "1:2", "1:8"),
        ("x:\n  - a: 1\n    a: 3\n", "2:5", "3:5"),
        ("? a\n: 1\n? a\n: 3\n", "1:3", "3:3"),
    ],
)
def test_a_key_twice_is_an_error_that_shows_both_places(text: str, first: str, second: str, dialect: str) -> None:
    _, (error,) = values(text, dialect)
    assert (error.code, error.name, error.severity) == ("TJ003", "duplicate-key", "error")
    assert str(error.span) == f"f.yaml:{second}"
    assert [(note.message, str(note.span)) for note in error.related] == [("first defined here", f"f.yaml:{first}")]
    assert '"a"' in error.message


def test_keys_that_are_equal_to_kubectl_are_one_key_there() -> None:
    text = "true: 1\nyes: 2\n"
    assert [error.code for error in values(text, KUBERNETES)[1]] == ["TJ003"]
    assert [error.code for error in values(text, CORE)[1]] == ["TJ004"]
    assert [error.code for error in values("1: a\n'1': b\n", KUBERNETES)[1]] == ["TJ003"]


def test_each_duplicate_is_told() -> None:
    assert [str(error.span) for error in values("a: 1\na: 2\na: 3\nb: {c: 1, c: 2}\n")[1]] == [
        "f.yaml:2:1",
        "f.yaml:3:1",
        "f.yaml:4:11",
    ]


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "~: 1\n",
        "null: 1\n",
        "? \n: 1\n",
        "[a]: 1\n",
        "{a: 1}: 1\n",
        "? [a]\n: 1\n",
        "? {}\n",
        "x: &x [1]\ny: {*x : 1}\n",
    ],
)
def test_keys_that_are_no_strings_are_refused(text: str, dialect: str) -> None:
    assert "TJ005" in [error.code for error in values(text, dialect)[1]]


@BOTH
def test_a_refused_key_takes_its_value_with_it(dialect: str) -> None:
    ((value,), _) = values("a: 1\n? [x, {y: 2}]\n: {z: 3}\nb: 4\n", dialect)
    assert value == {"a": 1, "b": 4}


@BOTH
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &q [1, 2]\nb: *q\n", {"a": [1, 2], "b": [1, 2]}),
        ("a: &q 1\nb: &q 2\nc: *q\n", {"a": 1, "b": 2, "c": 2}),
        ("a: &q\nb: *q\n", {"a": None, "b": None}),
        ("&k a: *k\n", {"a": "a"}),
        ("- &k b\n- {*k : c}\n", ["b", {"b": "c"}]),
        ("a: &o {b: &i [1], c: *i}\nd: *o\n", {"a": {"b": [1], "c": [1]}, "d": {"b": [1], "c": [1]}}),
        ("a: &q '1'\nb: *q\n", {"a": "1", "b": "1"}),
    ],
)
def test_aliases_stand_for_what_was_anchored_last(text: str, value: Tree, dialect: str) -> None:
    assert values(text, dialect) == ([value], [])


@BOTH
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: *none\n", "1:4"),
        ("a: &a [1, *a]\n", "1:11"),
        ("a: &a {b: {c: *a}}\n", "1:15"),
        ("a: &a 1\n---\nb: *a\n", "3:4"),
        ("*a : 1\n", "1:1"),
    ],
)
def test_aliases_without_an_anchor_are_errors(text: str, place: str, dialect: str) -> None:
    (error,) = [found for found in values(text, dialect)[1] if found.code == "TJ006"]
    assert str(error.span) == f"f.yaml:{place}"


@BOTH
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x: &x {a: 1, b: 1}\nz: {<<: *x, b: 2}\n", {"a": 1, "b": 2}),
        ("x: &x {a: 1}\nw: &w {a: 3, b: 2}\nz: {<<: [*x, *w], c: 3}\n", {"a": 1, "b": 2, "c": 3}),
        ("x: &x {a: 1}\nw: &w {<<: *x, b: 2}\nz: {<<: *w, c: 3}\n", {"a": 1, "b": 2, "c": 3}),
        ("z: {<<: {a: 1}, b: 2}\n", {"a": 1, "b": 2}),
        ("z: {b: 2, <<: {a: 1}}\n", {"a": 1, "b": 2}),
        ("z: {<<: [], b: 2}\n", {"b": 2}),
        ("z: {'<<': {a: 1}}\n", {"<<": {"a": 1}}),
        ("z: {!!str <<: {a: 1}}\n", {"<<": {"a": 1}}),
        ("z: {!!merge '<<': {a: 1}}\n", {"a": 1}),
        ("m: &m <<\nz: {*m : {a: 1}}\n", {"<<": {"a": 1}}),
    ],
)
def test_merge_keys(text: str, value: Tree, dialect: str) -> None:
    ((found,), diagnostics) = values(text, dialect)
    assert diagnostics == []
    assert found["z"] == value


def test_a_merge_key_behind_another_key_overrides_it_in_kubectl_only() -> None:
    text = "z: {a: 2, <<: {a: 1, b: 1}}\n"
    assert values(text, CORE) == ([{"z": {"a": 2, "b": 1}}], [])
    ((found,), (warning,)) = values(text, KUBERNETES)
    assert found == {"z": {"a": 1, "b": 1}}
    assert (warning.code, str(warning.span), str(warning.related[0].span)) == ("TJ013", "f.yaml:1:11", "f.yaml:1:5")


def test_two_merge_keys_are_a_duplicate_except_to_kubectl() -> None:
    text = "z: {<<: {a: 1, b: 1}, <<: {a: 2}}\n"
    assert [error.code for error in values(text, CORE)[1]] == ["TJ003"]
    assert values(text, KUBERNETES) == ([{"z": {"a": 2, "b": 1}}], [])


@BOTH
@pytest.mark.parametrize(
    "text", ["z: {<<: 1}\n", "z: {<<: }\n", "z: {<<: [1]}\n", "z: {<<: [[{a: 1}]]}\n", "s: &s x\nz: {<<: *s}\n"]
)
def test_what_is_merged_has_to_be_mappings(text: str, dialect: str) -> None:
    ((found,), (error,)) = values(text, dialect)
    assert error.code == "TJ007"
    assert found["z"] == {}


def test_kubectl_wants_the_list_of_a_merge_key_in_place() -> None:
    text = "l: &l [{a: 1}]\nz: {<<: *l}\n"
    assert values(text, CORE)[0][0]["z"] == {"a": 1}
    assert [error.code for error in values(text, KUBERNETES)[1]] == ["TJ007"]
