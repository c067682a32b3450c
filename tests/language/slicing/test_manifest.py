"""Manifest files: what they say, and what is wrong with them, with its line."""

from __future__ import annotations

import pytest

from tjgen.language.slicing import manifest
from tjgen.language.slicing.items import DataItem

SAID = [
    pytest.param("a.txt", b"x/1\nx/2\n", [DataItem("x/1"), DataItem("x/2")], id="text: a path a line"),
    pytest.param(
        "a.txt", b"\xef\xbb\xbfx/1\r\n\r\nb c,d\r\n", [DataItem("x/1"), DataItem("b c,d")], id="text: from Windows, blank lines"
    ),
    pytest.param("a.txt", "é/ü".encode(), [DataItem("é/ü")], id="text: no line end"),
    pytest.param(
        "a.jsonl", b'{"path": "a", "size": 7}\n{"size": 0, "path": "b"}\n', [DataItem("a", 7), DataItem("b", 0)], id="jsonl"
    ),
    pytest.param(
        "a.jsonl",
        b'{"path": "a"}\n\n {"path": "b", "size": "2Ki", "x": 1}',
        [DataItem("a"), DataItem("b", 2048)],
        id="jsonl: odd",
    ),
    pytest.param("a.jsonl", b'{"path": "a:b", "size": 1}\n', [DataItem("a:b", 1)], id="jsonl: a colon in the path"),
    pytest.param("a.ndjson", b'{"path": "a"}\r\n', [DataItem("a")], id="jsonl by its other name"),
    pytest.param("a.csv", b"path,size\na,1\nb,0\n", [DataItem("a", 1), DataItem("b", 0)], id="csv"),
    pytest.param(
        "a.csv", b"path,size\na,1\n\nb,\nc,1.5Ki", [DataItem("a", 1), DataItem("b"), DataItem("c", 1536)], id="csv: odd"
    ),
    pytest.param("a.csv", b'path,size\n"a, b",1\n"c ""d""",2\n', [DataItem("a, b", 1), DataItem('c "d"', 2)], id="csv: quoted"),
    pytest.param("a.csv", b"id, size , path\n1,5,a\n", [DataItem("a", 5)], id="csv: other columns, another order"),
    pytest.param("a.csv", b"path\na\n", [DataItem("a")], id="csv: without sizes"),
    pytest.param("A.CSV", b"path,size\na,1\n", [DataItem("a", 1)], id="an ending in capitals"),
]


@pytest.mark.parametrize(("file", "content", "wanted"), SAID)
def test_what_a_manifest_says(file: str, content: bytes, wanted: list[DataItem]) -> None:
    items, diagnostics = manifest.read(content, file)
    assert diagnostics == []
    assert list(items) == wanted


WRONG = [
    pytest.param("a.txt", b"a\n/b\n", "2", "TJ311", "the path '/b' is absolute", id="an absolute path"),
    pytest.param("a.txt", b"a/../b\n", "1", "TJ311", "points outside the folder", id="a path that leads out"),
    pytest.param("a.txt", b"a \n", "1", "TJ311", "begins or ends with a space", id="a blank at the end"),
    pytest.param("a.txt", b"a\tb\n", "1", "TJ311", "contains a control character", id="a tab"),
    pytest.param("a.txt", b"a\nb\n\na\n", "4", "TJ312", "'a' is listed twice", id="a path twice"),
    pytest.param("a.txt", b"\n\n", "1", "TJ315", "has no items", id="nothing"),
    pytest.param("a.txt", b"a\n\xff\n", "2", "TJ310", "is not UTF-8", id="bytes that are not valid UTF-8"),
    pytest.param("a.json", b"[]", "1", "TJ310", "ends in .json", id="another format"),
    pytest.param("a.jsonl", b'{"path": "a"}\n{"path": \n', "2", "TJ311", "not valid JSON", id="jsonl: unfinished"),
    pytest.param("a.jsonl", b'{"path": "a", "path": "b"}\n', "1", "TJ311", "contains a key twice", id="jsonl: a key twice"),
    pytest.param(
        "a.jsonl", b'{"path": "a", "size": 1}, {"path": "b"}\n', "1", "TJ311", "not valid JSON", id="jsonl: two in a line"
    ),
    pytest.param("a.jsonl", b'{"path": 1}\n', "1", "TJ311", "has no path", id="jsonl: a path that is none"),
    pytest.param("a.jsonl", b"[1]\n", "1", "TJ311", "has no path", id="jsonl: no object"),
    pytest.param("a.jsonl", b'{"path": "a", "size": -1}\n', "1", "TJ313", "the size of 'a' is -1", id="jsonl: a size below 0"),
    pytest.param("a.jsonl", b'{"path": "a", "size": true}\n', "1", "TJ313", "is True", id="jsonl: a size that is none"),
    pytest.param("a.jsonl", b'{"path": "a", "size": NaN}\n', "1", "TJ313", "is nan", id="jsonl: no number"),
    pytest.param(
        "a.jsonl", b'{"path": "a", "size": 9223372036854775808}\n', "1", "TJ313", "is 9223372036854775808", id="too large"
    ),
    pytest.param("a.jsonl", b'{"path": "\\ud800", "size": 1}\n', "1", "TJ311", "not valid UTF-8", id="jsonl: half a character"),
    pytest.param("a.jsonl", b"[" * 100_000 + b"\n", "1", "TJ311", "nested too deep", id="jsonl: nested too deep"),
    pytest.param("a.jsonl", b'{"path": "a", "size": ' + b"1" * 5000 + b"}", "1", "TJ311", "", id="jsonl: far too many digits"),
    pytest.param("a.csv", b"name,size\na,1\n", "1", "TJ310", "the header is 'name,size'", id="csv: no header"),
    pytest.param("a.csv", b"path,path\na,1\n", "1", "TJ310", "the header is", id="csv: a column twice"),
    pytest.param("a.csv", b"path,size\na,1,2\n", "2", "TJ311", "has 3 fields, but the header has 2", id="csv: a comma too many"),
    pytest.param("a.csv", b"path,size\na,1,2\n3\n", "2", "TJ311", "has 3 fields", id="csv: commas that would add up"),
    pytest.param("a.csv", b"path,size\na,one\n", "2", "TJ313", "the size of 'a' is 'one'", id="csv: a size that is none"),
    pytest.param("a.csv", b"path,size\na," + b"1" * 5000, "2", "TJ313", "the size of 'a'", id="csv: far too many digits"),
    pytest.param("a.csv", b'path,size\n"a\nb",1\n', "3", "TJ311", "control character", id="csv: a line end in a path"),
    pytest.param("a.csv", b'path,size\n"a,1\n', "2", "TJ311", "not valid CSV", id="csv: an open quotation mark"),
]


@pytest.mark.parametrize(("file", "content", "line", "code", "words"), WRONG)
def test_what_is_wrong_with_a_manifest(file: str, content: bytes, line: str, code: str, words: str) -> None:
    _, diagnostics = manifest.read(content, file)
    assert [diagnostic.code for diagnostic in diagnostics][:1] == [code]
    assert words in diagnostics[0].message
    assert str(diagnostics[0].span) == f"{file}:{line}:1"


def test_a_path_twice_shows_both_places() -> None:
    _, [diagnostic] = manifest.read(b"path,size\nb,1\na,1\nb,2\n", "a.csv")
    assert [str(note.span) for note in diagnostic.related] == ["a.csv:2:1"]


WARNED = [
    pytest.param("a.txt", b"a\n# list\n", "2", "'# list' looks like a comment, but a list has no comments", id="a comment"),
    pytest.param("a.txt", b"a\nb  # x\n#c\n", "2", "no comments, and 1 more like it", id="a comment after a path"),
    pytest.param("a.csv", b"path\ns3://x/f\n", "2", "'s3://x/f' is a URL", id="a URL"),
    pytest.param("a.jsonl", b'{"path": "https://x/f"}\n', "1", "'https://x/f' is a URL", id="jsonl: a URL"),
]


@pytest.mark.parametrize(("file", "content", "line", "words"), WARNED)
def test_a_path_that_looks_like_something_else_is_an_item_with_a_warning(
    file: str, content: bytes, line: str, words: str
) -> None:
    items, [diagnostic] = manifest.read(content, file)
    assert len(items) == content.count(b"\n") - file.endswith(".csv")
    assert (diagnostic.code, diagnostic.severity, str(diagnostic.span)) == ("TJ311", "warning", f"{file}:{line}:1")
    assert words in diagnostic.message


def test_a_number_sign_in_a_name_is_no_comment() -> None:
    assert manifest.read(b"song #1.wav\na#b\n", "a.txt")[1] == []


def test_of_many_faults_some_are_shown_and_the_rest_counted() -> None:
    _, diagnostics = manifest.read(b"/a\n" * 50, "a.txt")
    assert len(diagnostics) == 21
    assert diagnostics[-1].message == "30 more items cannot be used"


@pytest.mark.parametrize("file", ["a.txt", "a.jsonl", "a.csv"])
def test_a_fault_among_thousands_does_not_change_the_others(file: str) -> None:
    line = {"a.txt": "{}", "a.jsonl": '{{"path": "{}", "size": 5}}', "a.csv": "{},5"}[file]
    names = [f"part-{number}" for number in range(5000)]
    names[3333] = "/absolute"
    text = "path,size\n" * (file == "a.csv") + "\n".join(map(line.format, names))
    items, [diagnostic] = manifest.read(text.encode(), file)
    assert list(items.paths) == names[:3333] + names[3334:]
    assert diagnostic.span is not None
    assert diagnostic.span.line == 3334 + (file == "a.csv")
