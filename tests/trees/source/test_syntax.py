"""Text that is not YAML: the place, the words and the hint."""

from __future__ import annotations

import pytest

from tjgen.trees.source.reader import CORE, KUBERNETES, read


@pytest.mark.parametrize(
    ("text", "place", "message", "beginning"),
    [
        ("a:\n\t- 1\n", "2:1", "a tab indents this line", None),
        ("a: |\n\tx\n", "2:1", "a tab indents this line", None),
        ("a: b: c\n", "1:5", 'the value contains ": ", which starts a mapping in YAML', None),
        ("a: 1\n  b: 2\n", "2:1", "the line is indented with 2 spaces, but the line before it with 0 spaces", "1:1"),
        ("a: - b\n", "1:4", 'a list item ("- ") is not allowed here', None),
        ("a: 1\nfoo\nb: 2\n", "2:1", 'the text is neither "key: value" nor a list item', None),
        ("a:\n  - x\n b: 1\n", "3:2", "the line does not continue the mapping before it", "1:1"),
        ("- a\nb: 1\n", "2:1", "the line does not continue the list before it", "1:1"),
        ("a: [1, 2\nb: 3\n", "1:4", "the list that starts here is not closed", "2:2"),
        ("a: {b: 1\nc: 3\n", "1:4", "the mapping that starts here is not closed", "2:2"),
        ("a: [1 ]: 2]\n", "1:8", 'the value contains ": ", which starts a mapping in YAML', None),
        ("a: ['b' 'c']\n", "1:9", "the list in brackets ends with ] or continues with a comma", "1:4"),
        ("a: {b: 'c' 'd'}\n", "1:12", "the mapping in braces ends with } or continues with a comma", "1:4"),
        ("a: [1, 2\n", "1:4", "the list that starts here is not closed", None),
        ("a: {b: 1\n", "1:4", "the mapping that starts here is not closed", None),
        ("a: [1,\n\n", "1:7", "the text ends inside brackets", None),
        ("a: ]\n", "1:4", "a value is missing here", None),
        ("a: 'it\nb: c\n", "1:4", "the quotes that start here are not closed", None),
        ('a: "it\n', "1:4", "the quotes that start here are not closed", None),
        ("a: 'x\n---\nb'\n", "2:1", "the document ends inside quotes", "1:4"),
        ('a: "C:\\d"\n', "1:7", "the backslash does not start an escape of YAML", "1:4"),
        ('a: "\\ud83d"\n', "1:7", "the escape is not a character", "1:4"),
        ("a: @x\n", "1:4", "a value cannot start with @", None),
        ("a: `x`\n", "1:4", "a value cannot start with `", None),
        ("a: 1\n...\nb: 2\n", "3:1", "the document ends before this line", None),
        ("a: |x\n b\n", "1:5", "the line must end before this text", None),
        ("a: &\n", "1:5", "a name is missing after & or *", None),
        ("a: !x!y z\n", "1:4", "the tag has an undeclared handle", None),
        ("%YAML 2.0\n---\na: 1\n", "1:1", "the file requires a version of YAML that tjgen does not read", None),
        ("{a:}\n", "1:3", "a space is missing after the colon of a key", None),
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


@pytest.mark.parametrize("before", ["", "a: 1\n"])
def test_a_merge_conflict_is_reported_at_its_first_line(before: str) -> None:
    text = f"{before}<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> branch\n"
    documents, diagnostics = read(text, "e.yaml", CORE)
    assert [(one.code, one.message, one.span.line) for one in diagnostics if one.span is not None] == [
        ("TJ001", "the file has a merge conflict", len(before.splitlines()) + 1)
    ]
    assert diagnostics[0].hint == "choose between the two sides, and remove the lines of Git"
    assert documents == [] or all(document.value is None for document in documents)


def test_one_marker_alone_is_not_a_merge_conflict() -> None:
    diagnostics = read("a: 1\n<<<<<<< HEAD\n", "e.yaml", CORE)[1]
    assert all("merge conflict" not in one.message for one in diagnostics)
    assert diagnostics
