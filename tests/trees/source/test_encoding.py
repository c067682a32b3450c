"""Bytes and text that may not be YAML at all."""

from __future__ import annotations

import codecs

import pytest

from tjgen.trees.source.reader import CORE, KUBERNETES, read


@pytest.mark.parametrize(
    "text",
    [
        "é: 1\n",
        "\ufeffé: 1\n",
        "é: 1\n".encode(),
        codecs.BOM_UTF8 + "é: 1\n".encode(),
        "\ufeffé: 1\n".encode("utf-16-le"),
        "\ufeffé: 1\n".encode("utf-16-be"),
        "é:\r\n  1\r\n",
        "é:\r  1\r",
        "é: 1",
    ],
)
@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_text_in_whichever_encoding_and_line_ends(text: str | bytes, dialect: str) -> None:
    documents, diagnostics = read(text, "f.yaml", dialect)
    assert diagnostics == []
    assert [document.value for document in documents] == [{"é": 1}]
    place = documents[0].locate(("é",), key=True)
    assert place is not None
    assert place[1:] == (1, 1, 1, 2)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (b"caf\xe9: 1\n", "1:4", "the byte 0xe9 is not UTF-8"),
        (b"a: 1\nb: \xff\n", "2:4", "the byte 0xff is not UTF-8"),
        (b"\xc3\xa9\n\xc3\n", "2:1", "the byte 0xc3 is not UTF-8"),
        (b"\xff\xfea\x00:", "1:2", "the byte 0x3a is not UTF-16"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "1:1", "the file is binary, not text"),
        (b"\x1f\x8b\x08\x00", "1:1", "the file is binary, not text"),
        ("a: x\x00y\n", "1:5", "the text contains the control character U+0000"),
        ("# \x1b[31m\na: 1\n", "1:3", "the text contains the control character U+001B"),
        ("a:\n- '\x7f'\n", "2:4", "the text contains the control character U+007F"),
        ("a: \ufffe\n", "1:4", "the text contains the character U+FFFE"),
        ("a: \ud800\n", "1:4", "the text contains the character U+D800"),
        ("a: 1\n\ufeffb: 2\n", "2:1", "a byte order mark (U+FEFF) is inside the text, as in joined files"),
    ],
)
@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_what_is_not_text(text: str | bytes, place: str, message: str, dialect: str) -> None:
    documents, (error,) = read(text, "f.yaml", dialect)
    assert documents == []
    assert (error.code, error.name, error.severity) == ("TJ002", "unreadable-text", "error")
    assert (str(error.span), error.message) == (f"f.yaml:{place}", message)
    assert error.hint
