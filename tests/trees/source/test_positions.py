"""Where keys and values stand, found again from the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT, list_entries
from tjgen.trees.diagnostics.model import Span
from tjgen.trees.fields.path import FieldPath, Tree, named
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, KUBERNETES, read

TEXT = """\
# A comment
kind: Experiment  # another
metadata: {name: "a b", labels: {x: 'y'}}
base: &base
  one: 1
  list:
  - name: first
    value: |
      two
      lines
  - &second
    name: second
spec:
  <<: *base
  list:
    - *second
    - [x, [y]]
  empty:
  last: end
"""


def document(text: str = TEXT, dialect: str = CORE) -> Document:
    (found,), _ = read(text, "f.yaml", dialect)
    return found


def pieces(text: str, span: Span | None) -> str:
    """The text at a span."""
    assert span is not None
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("kind",), "Experiment", "kind"),
        (("metadata",), "{name: \"a b\", labels: {x: 'y'}}", "metadata"),
        (("metadata", "name"), '"a b"', "name"),
        (("metadata", "labels", "x"), "'y'", "x"),
        (("base", "one"), "1", "one"),
        (("base", "list", 0, "name"), "first", "name"),
        (("base", "list", named("first"), "value"), "|\n      two\n      lines\n", "value"),
        (("spec", "list", 1), "[x, [y]]", "[x, [y]]"),
        (("spec", "list", 1, 1, 0), "y", "y"),
        (("spec", "empty"), "", "empty"),
        (("spec", "last"), "end", "last"),
    ],
)
def test_values_and_keys_stand_where_they_are_written(path: FieldPath, value: str, key: str) -> None:
    assert pieces(TEXT, document().locate(path)) == value
    assert pieces(TEXT, document().locate(path, key=True)) == key


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("spec", "one"), "f.yaml:5:8"),
        (("spec", "list", 0, "name"), "f.yaml:12:11"),
        (("spec", "list", named("second")), "f.yaml:11:5"),
    ],
)
def test_what_came_by_an_alias_stands_at_its_anchor(path: FieldPath, place: str) -> None:
    assert str(document().locate(path)) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("nothing",), "f.yaml:2:1"),
        (("kind", "nothing", 3), "f.yaml:2:1"),
        (("metadata", "labels", "z"), "f.yaml:3:25"),
        (("base", "list", 7, "name"), "f.yaml:6:3"),
        (("base", "list", named("third"), "name"), "f.yaml:6:3"),
        (("base", "list", 0, "nothing"), "f.yaml:7:5"),
    ],
)
def test_the_nearest_ancestor_answers_for_what_does_not_exist(path: FieldPath, place: str) -> None:
    assert str(document().locate(path)) == place
    assert str(document().locate(path, key=True)) == place


def test_a_block_ends_with_its_last_value_not_with_the_comments_behind_it() -> None:
    text = "a:\n  b:\n  - c\n  - d: {e: f}\n  # comment\n\n\ng: 1\n"
    found = document(text)
    assert pieces(text, found.locate(("a",))) == "b:\n  - c\n  - d: {e: f}"
    assert pieces(text, found.locate(("a", "b"))) == "- c\n  - d: {e: f}"


def test_each_document_of_a_stream_has_its_own_places() -> None:
    text = "\ufeff%YAML 1.1\n---\na: 1\n--- # x\nb: [2]\n...\n---\nc:\n- é\n"
    documents, _ = read(text, "f.yaml", KUBERNETES)
    places = [str(found.locate(path)) for found, path in zip(documents, [("a",), ("b", 0), ("c", 0)], strict=True)]
    assert places == ["f.yaml:3:4", "f.yaml:5:5", "f.yaml:9:3"]


def test_keys_are_found_as_the_dialect_names_them() -> None:
    text = "on: 1\n0x10: 2\n! <<: 3\n"
    assert str(document("on: 1\n0x10: 2\n", KUBERNETES).locate(("true",), key=True)) == "f.yaml:1:1"
    assert str(document("on: 1\n0x10: 2\n", KUBERNETES).locate(("16",))) == "f.yaml:2:7"
    assert str(document(text.replace("! <<", "x"), CORE).locate(("0x10",))) == "f.yaml:2:7"


@pytest.mark.parametrize(
    "text", ["a: *none\nb: 1\n", "a: &a [*a]\nb: 1\n", "a: &a {<<: {<<: *a}}\nb: 1\n", "? [x, y]\n: 1\nb: 1\n", "~: 1\nb: 1\n"]
)
def test_documents_with_errors_have_places_too(text: str) -> None:
    assert str(document(text).locate(("b",))) == f"f.yaml:{len(text.splitlines())}:4"
    assert document(text).locate(("a", 0, "x", "y")) is not None


def walk(tree: Tree, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    yield path, tree
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, value in steps:
        yield from walk(value, (*path, step))


RECORDED = json.loads((Path(__file__).parent / "recorded" / "kubectl.json").read_text(encoding="utf-8"))["cases"]
FILES = sorted(path for folder in ("runtimes", "examples", "overlays") for path in list_entries(ROOT / folder, "**/*.yaml"))
FILES = [path for path in FILES if path.parent.name != "templates"]  # those of Helm are not YAML


@pytest.mark.parametrize("text", [path.read_text(encoding="utf-8") for path in FILES], ids=[path.name for path in FILES])
@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_every_value_of_our_files_reads_the_same_at_its_place(text: str, dialect: str) -> None:
    documents, _ = read(text, "f.yaml", dialect)
    assert documents
    for found in documents:
        for path, value in walk(found.value):
            span = found.locate(path)
            if span is not None and span.line == span.end_line and not isinstance(value, (dict, list)):
                again, _ = read(pieces(text, span), "piece.yaml", dialect)
                assert (again[0].value if again else None) == value, path


@pytest.mark.parametrize("text", [case["text"] for case in RECORDED if case.get("value") is not None])
def test_every_value_has_a_place(text: str) -> None:
    documents, _ = read(text, "f.yaml", KUBERNETES)
    assert documents
    for found in documents:
        assert all(found.locate(path) for path, _ in walk(found.value))
