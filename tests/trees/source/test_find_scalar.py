"""The range of a scalar is the same, whether the document is read as far as the scalar or as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import list_entries
from tests.program import TESTS
from tjgen.trees.source import positions
from tjgen.trees.source.document import Document
from tjgen.trees.source.reader import CORE, read

NAME = ("metadata", "name")
TEXTS = {
    "flow style": "{kind: A, metadata: {labels: {name: b}, name: a}}",
    "quoted keys": '"metadata": {"name": "a"}',
    "a name of labels first": "metadata:\n  labels: {name: b}\n  name: a\n",
    "a block": "metadata:\n  name: >-\n    a\n    b\nspec: {}\n",
    "an alias": "x: &x a\nmetadata: {name: *x}\n",
    "an alias of a mapping": "x: &x {name: a}\nmetadata: *x\nspec: {a: b}\n",
    "a merge": "x: &x {name: a}\nmetadata: {<<: *x}\nspec: {a: b}\n",
    "a merge that the name overrides": "x: &x {name: a}\nmetadata: {<<: *x, name: b}\n",
    "a mapping": "metadata: {name: {a: b}}\nspec: {a: b}\n",
    "an empty name": "metadata:\n  name:\nspec: {a: b}\n",
    "no name": "metadata: {}\nspec: {a: b}\n",
    "a sequence": "- metadata\n- name\n",
    "a second document": "a: b\n---\nmetadata: {name: a}\n",
    "a plain beginning": "# c\napiVersion: a.b/c-1\nkind: A\nmetadata:\n  name: a-1\n  labels: {name: b}\nspec: {a: b}\n",
    "a plain beginning of a second document": "a: b\n---\nkind: A\nmetadata:\n  name: a\nspec: {a: b}\n",
    "a name of two lines": "kind: A\nmetadata:\n  name: a\n    b\nspec: {a: b}\n",
    "a name with a break in it": "kind: A\nmetadata:\n  name: a\n\n    b\nspec: {a: b}\n",
    "a kind of two lines": "kind: A\n  metadata\nmetadata:\n  name: a\nspec: {a: b}\n",
    "a kind that ends as metadata": "kind: A\n  metadata:\nspec: {a: b}\n",
    "a comment behind the name": "kind: A\nmetadata:\n  name: a # b\nspec: {a: b}\n",
    "a name at the end": "kind: A\nmetadata:\n  name: a",
    "a name under a name": "kind: A\nmetadata:\n  name: a: b\nspec: {a: b}\n",
    "carriage returns": "kind: A\r\nmetadata:\r\n  name: a\r\nspec: {a: b}\r\n",
    "a deeper mapping": "kind: A\nspec:\n  metadata:\n    name: b\nmetadata:\n  name: a\nkinds: b\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_both_ways_find_the_same(text: str) -> None:
    for document in read(text, "a.yaml", CORE)[0]:
        _compare(document)


@pytest.mark.parametrize("file", list_entries(TESTS, "cases/*/experiment.yaml")[::4], ids=lambda file: file.parent.name)
def test_both_ways_find_the_same_in_cases(file: Path) -> None:
    for document in read(file.read_bytes(), "a.yaml", CORE)[0]:
        assert _compare(document)


def test_the_name_of_a_plain_beginning_is_found_without_a_reader() -> None:
    text = TEXTS["a plain beginning"]
    found = positions.find_name(text, 0)
    assert found is not None
    assert text[slice(*found)] == "a-1"


def _compare(document: Document) -> bool:
    """Whether the name is found without the rest of the document."""
    content = document.source.content
    whole = positions.compose(content, *document.extent, dialect=document.dialect)
    expected = positions.find(whole, document.value, NAME, key=False)
    found = positions.find_scalar(content, *document.extent, NAME, dialect=document.dialect)
    assert found in (None, expected)
    assert positions.find_name(content, document.extent[0]) in (None, expected)
    assert document.locate(NAME) == document.source.span(*(expected or document.extent))
    return found is not None
