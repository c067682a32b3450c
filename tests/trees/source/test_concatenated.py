"""Several JSON objects in one text, which kubectl reads, and YAML does not know."""

from __future__ import annotations

import pytest

from tjgen.trees.source.edits import Stream
from tjgen.trees.source.reader import CORE, KUBERNETES, read

TEXT = '{"a": "}{", "b": [1]}\n{\n  "c": "\\"{"\n}{"d": null}\n'


def test_each_object_is_a_document_with_its_place() -> None:
    documents, found = read(TEXT, "a.json", KUBERNETES)
    assert found == []
    assert [document.value for document in documents] == [{"a": "}{", "b": [1]}, {"c": '"{'}, {"d": None}]
    assert [str(document.locate(path)) for document, path in zip(documents, [("b", 0), ("c",), ("d",)], strict=True)] == [
        "a.json:1:19",
        "a.json:3:8",
        "a.json:4:8",
    ]


def test_one_of_the_objects_can_be_edited() -> None:
    stream = Stream(TEXT, "a.json", KUBERNETES)
    text = stream.document(0)
    assert text is not None
    edited = stream.edited(text, ("b", 0), 2)
    assert edited is not None
    stream.put(0, edited)
    assert stream.text == TEXT.replace("[1]", "[2]")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1} x',
        '{"a": 1}\n{"b": 2',
        '{"a": 1}\n}',
        '{"a": 1}\n[1]',
        '{"a": 1}{"b": @}',
        '{"a"}\n{"b": 1}',
        '{"a": NaN}{"b": 1}',
    ],
)
def test_what_is_not_a_sequence_of_objects_stays_an_error(text: str) -> None:
    _, found = read(text, "a.json", KUBERNETES)
    assert [one.code for one in found] == ["TJ001"]


def test_files_of_tjgen_are_yaml() -> None:
    assert [one.code for one in read(TEXT, "a.json", CORE)[1]] == ["TJ001"]


def test_a_duplicate_key_is_reported_in_its_object() -> None:
    _, found = read('{"a": 1}\n{"b": 1, "b": 2}', "a.json", KUBERNETES)
    assert [(one.code, str(one.span)) for one in found] == [("TJ003", "a.json:2:10")]
