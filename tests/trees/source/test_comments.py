"""Comments of a stream: what is one, what is none, and where."""

from __future__ import annotations

import pytest

from tjgen.trees.source.comments import comments


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1 # one\n", [("one", 1, 6, False)]),
        ("# one\na: 1\n  # two\n", [("one", 1, 1, True), ("two", 3, 3, True)]),
        ("a: 'x # none'\nb: \"y # none\"\n", []),
        ("a: x#none\n", []),
        ("a: |\n  # none\n  text\n# one\nb: 1\n", [("one", 4, 1, True)]),
        ("a: |  # one\n  text # none\n", [("one", 1, 7, False)]),
        ("a: >-\n  text\n\n  # none\nb: 2 # two\n", [("two", 5, 6, False)]),
        ("a: |\n# one\nb: 1\n", [("one", 2, 1, True)]),
        ("a: {b: 1} # one\r\n# two\r\n", [("one", 1, 11, False), ("two", 2, 1, True)]),
        ("é: 'ö' # one\n", [("one", 1, 8, False)]),
        ("a: 1 # one\n---\nb: [ # two\n", [("one", 1, 6, False)]),
        ("# only\n", [("only", 1, 1, True)]),
        ("", []),
    ],
)
def test_comments_are_told_from_text(text: str, found: list[tuple[str, int, int, bool]]) -> None:
    assert [tuple(one) for one in comments(text)] == found
