"""Changes of single fields: the text around them stays as it is, or the change is not made."""

from __future__ import annotations

import pytest

from tjgen.trees.fields.path import MISSING, FieldPath, Tree
from tjgen.trees.source.edits import changed, edited
from tjgen.trees.source.reader import KUBERNETES, read

NAME: FieldPath = ("metadata", "name")
NOTE: FieldPath = ("metadata", "annotations", "wave")


def after(text: str, path: FieldPath, value: Tree, index: int = 0) -> str | None:
    return edited(text, "file.yaml", KUBERNETES, index, path, value)


@pytest.mark.parametrize(
    ("before", "path", "value", "wanted"),
    [
        pytest.param("a: 1 # one\nb: 2\n", ("a",), 3, "a: 3 # one\nb: 2\n", id="scalar with a comment"),
        pytest.param("a: {b: x, c: y}\n", ("a", "b"), "-10", 'a: {b: "-10", c: y}\n', id="scalar in flow style"),
        pytest.param("a: 'old'\n", ("a",), "true", 'a: "true"\n', id="what looks like something else is quoted"),
        pytest.param(
            "metadata:\n  name: x\n", NOTE, "5", 'metadata:\n  name: x\n  annotations:\n    wave: "5"\n', id="new mapping"
        ),
        pytest.param(
            "metadata:\n  annotations:\n    # why\n    b: c # so\n\n# spec\nspec: {}\n",
            NOTE,
            "5",
            'metadata:\n  annotations:\n    # why\n    b: c # so\n    wave: "5"\n\n# spec\nspec: {}\n',
            id="behind the last entry, before what comes next",
        ),
        pytest.param("metadata: {name: x}\n", NOTE, "5", 'metadata: {name: x, annotations: {wave: "5"}}\n', id="flow style"),
        pytest.param(
            "metadata:\n  name: x", NOTE, "5", 'metadata:\n  name: x\n  annotations:\n    wave: "5"', id="no break at the end"
        ),
        pytest.param(
            "metadata:\r\n  name: x\r\n", ("metadata", "a"), 1, "metadata:\r\n  name: x\r\n  a: 1\r\n", id="breaks stay"
        ),
        pytest.param(
            "s:\n- name: x\n  a: 1\n", ("s", 0, "b"), 2, "s:\n- name: x\n  a: 1\n  b: 2\n", id="in an element of a list"
        ),
        pytest.param("a: {b: x}\n", ("a", "b"), "y,z", 'a: {b: "y,z"}\n', id="what flow style would take apart is quoted"),
        pytest.param("a: {b: x}\n", ("a", "c"), "y,z", 'a: {b: x, c: "y,z"}\n', id="also where it is new"),
        pytest.param("s:\n  t: 5 # ttl\n  # jobs\n  r: []\n", ("s", "t"), MISSING, "s:\n  # jobs\n  r: []\n", id="removal"),
        pytest.param("s: {t: 5, r: []}\n", ("s", "t"), MISSING, "s: {r: []}\n", id="removal in flow style"),
        pytest.param("s: {r: [], t: 5}\n", ("s", "t"), MISSING, "s: {r: []}\n", id="removal of the last in flow style"),
        pytest.param("m:\n  n: x\n  a:\n    w: 5\n", ("m", "a", "w"), MISSING, "m:\n  n: x\n", id="what is left empty goes too"),
        pytest.param('{"s": {"t": 5, "r": 1}}', ("s", "t"), MISSING, '{"s": {"r": 1}}', id="JSON"),
        pytest.param('{\n  "s": {"r": 1}\n}\n', ("s", "t"), 5, '{\n  "s": {"r": 1, "t": 5}\n}\n', id="JSON, new entry"),
        pytest.param("a: é # ö\nb: x\n", ("b",), "ü", "a: é # ö\nb: ü\n", id="other letters"),
        pytest.param('a: "x\x85y"\nb: x\n', ("b",), "z", 'a: "x\x85y"\nb: z\n', id="signs that end no line"),
    ],
)
def test_one_field_is_changed(before: str, path: FieldPath, value: Tree, wanted: str) -> None:
    assert after(before, path, value) == wanted


def test_other_documents_stay_as_they_are() -> None:
    text = "# one\na: 1\n---\n# two\na: 1 # here\n---\na: 1\n"
    assert after(text, ("a",), 2, 1) == "# one\na: 1\n---\n# two\na: 2 # here\n---\na: 1\n"


@pytest.mark.parametrize(
    ("before", "path", "value"),
    [
        pytest.param("a: &x {b: 1}\nc: *x\n", ("c", "b"), 2, id="what an alias shares"),
        pytest.param("x: &x\n  b: 1\nc:\n  <<: *x\n  d: 1\n", ("c", "b"), 2, id="what a merge key brings"),
        pytest.param("a: |\n  text\n", ("a",), "b", id="a block of text"),
        pytest.param("a:\n  b: 1\n", ("a",), "b", id="a mapping"),
        pytest.param("a:\n", ("a", "b"), 1, id="nothing to add to"),
        pytest.param("- a: 1\n  b: 2\n", (0, "a"), MISSING, id="the first line of an element"),
        pytest.param("a: [1, 2\n", ("a",), 2, id="no YAML"),
    ],
)
def test_what_cannot_be_changed_alone_is_not_changed(before: str, path: FieldPath, value: Tree) -> None:
    assert after(before, path, value) is None


def test_the_tree_is_changed_as_the_text_is() -> None:
    (document,), _ = read("m:\n  name: x\n  a: {w: 5}\ns: [{t: 1}]\n", "file.yaml", KUBERNETES)
    tree = document.value
    assert changed(tree, ("m", "a", "w"), MISSING) == {"m": {"name": "x"}, "s": [{"t": 1}]}
    assert changed(tree, ("s", 0, "t"), MISSING) == {"m": {"name": "x", "a": {"w": 5}}}
    assert changed({"r": [1, 2]}, ("r", 0), MISSING) == {"r": [2]}
    assert changed({"q": 1, "r": [1]}, ("r", 0), MISSING) == {"q": 1}
    assert changed({"r": [[], 2]}, ("r", 1), 3) == {"r": [[], 3]}
    assert changed(tree, ("s", 0, "t"), 2) == {"m": {"name": "x", "a": {"w": 5}}, "s": [{"t": 2}]}
    assert tree == {"m": {"name": "x", "a": {"w": 5}}, "s": [{"t": 1}]}
