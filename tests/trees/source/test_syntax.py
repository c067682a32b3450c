"""Text that is not YAML: the place, the words and the hint."""

from __future__ import annotations

import pytest

from tjgen.trees.source.reader import CORE, KUBERNETES, read


@pytest.mark.parametrize(
    ("text", "place", "message", "beginning"),
    [
        ("a:\n\t- 1\n", "2:1", "a tab indents this line", None),
        ("a: |\n\tx\n", "2:1", "a tab indents this line", None),
        ("a: b: c\n", "1:5", "a colon stands where no key can end", None),
        ("a: 1\n  b: 2\n", "2:4", "a colon stands where no key can end", None),
        ("a: - b\n", "1:4", 'a list item ("- ") stands where none can begin', None),
        ("a: 1\nfoo\nb: 2\n", "2:1", 'the text is neither "key: value" nor a list item', None),
        ("a:\n  - x\n b: 1\n", "3:2", "the line does not fit the mapping in which it stands", "1:1"),
        ("- a\nb: 1\n", "2:1", "the line does not fit the list in which it stands", "1:1"),
        ("a: [1, 2\nb: 3\n", "1:4", "the list that begins here is never closed", "2:2"),
        ("a: {b: 1\nc: 3\n", "1:4", "the mapping that begins here is never closed", "2:2"),
        ("a: [1 ]: 2]\n", "1:8", "a colon stands where no key can end", None),
        ("a: ['b' 'c']\n", "1:9", "the list in brackets does not go on here", "1:4"),
        ("a: {b: 'c' 'd'}\n", "1:12", "the mapping in braces does not go on here", "1:4"),
        ("a: [1, 2\n", "1:4", "the list that begins here is never closed", None),
        ("a: {b: 1\n", "1:4", "the mapping that begins here is never closed", None),
        ("a: [1,\n\n", "1:7", "the text ends inside brackets", None),
        ("a: ]\n", "1:4", "no value can begin here", None),
        ("a: 'it\nb: c\n", "1:4", "the quotes that open here are never closed", None),
        ('a: "it\n', "1:4", "the quotes that open here are never closed", None),
        ("a: 'x\n---\nb'\n", "2:1", "the document ends inside quotes", "1:4"),
        ('a: "C:\\d"\n', "1:7", "the backslash begins no escape that YAML knows", "1:4"),
        ('a: "\\ud83d"\n', "1:7", "the escape is not a character", "1:4"),
        ("a: @x\n", "1:4", "no value can begin with @", None),
        ("a: `x`\n", "1:4", "no value can begin with `", None),
        ("a: 1\n...\nb: 2\n", "3:1", "the document has ended, and no other begins here", None),
        ("a: |x\n b\n", "1:5", "text stands where the line has to end", None),
        ("a: &\n", "1:5", "no name follows the & or *", None),
        ("a: !x!y z\n", "1:4", "the tag has a handle that is not declared", None),
        ("%YAML 2.0\n---\na: 1\n", "1:1", "the file names a version of YAML that nobody reads", None),
        ("{a:}\n", "1:3", "the colon of a key has no space behind it", None),
    ],
)
@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_syntax_errors(text: str, place: str, message: str, beginning: str | None, dialect: str) -> None:
    _, (error,) = read(text, "f.yaml", dialect)
    assert (error.code, error.name, error.severity) == ("TJ001", "yaml-syntax", "error")
    assert (str(error.span), error.message) == (f"f.yaml:{place}", message)
    assert [str(note.span) for note in error.related] == ([f"f.yaml:{beginning}"] if beginning else [])
    assert error.hint


def test_documents_before_the_fault_are_read() -> None:
    documents, (error,) = read("a: 1\n---\nb: 2\n---\nc: [\n", "f.yaml", KUBERNETES)
    assert [document.value for document in documents] == [{"a": 1}, {"b": 2}]
    assert error.span is not None
    assert error.span.line == 5


def test_what_was_found_before_the_fault_is_told_too() -> None:
    _, found = read("a: no\na: 1\nc: ]\n", "f.yaml", CORE)
    assert [(diagnostic.code, diagnostic.span.line) for diagnostic in found if diagnostic.span] == [
        ("TJ004", 1),
        ("TJ003", 2),
        ("TJ001", 3),
    ]


def test_places_count_characters_and_lines_as_editors_do() -> None:
    _, (error,) = read("é: \U0001f600\r\nk: 'x\u2028y'\r日: *none\n", "f.yaml", CORE)
    assert str(error.span) == "f.yaml:3:4"
