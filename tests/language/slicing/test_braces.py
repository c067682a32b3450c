"""Patterns with braces: what they stand for, one by one, and what is none."""

from __future__ import annotations

import pytest

from tjgen.language.slicing import braces


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        pytest.param("a.tar", ["a.tar"], id="no brace"),
        pytest.param("a-{0..3}", ["a-0", "a-1", "a-2", "a-3"], id="numbers"),
        pytest.param("a-{08..11}", ["a-08", "a-09", "a-10", "a-11"], id="numbers of one width"),
        pytest.param("{9..11}", ["9", "10", "11"], id="numbers of no width"),
        pytest.param(
            "{train,val}/{0..1}.tar", ["train/0.tar", "train/1.tar", "val/0.tar", "val/1.tar"], id="the last turns fastest"
        ),
        pytest.param("a{,.idx}", ["a", "a.idx"], id="an empty word"),
        pytest.param("{0..0}", ["0"], id="one number"),
    ],
)
def test_what_a_pattern_stands_for(text: str, paths: list[str]) -> None:
    pattern = braces.parse(text)
    assert braces.expanded(text) == paths
    assert pattern.total == len(paths)
    assert [pattern.path(number) for number in range(pattern.total)] == paths


def test_a_billion_paths_are_not_made() -> None:
    pattern = braces.parse("{000..999}/{000000..999999}.bin")
    assert pattern.total == 10**9
    assert pattern.path(123_456_789) == "123/456789.bin"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a-{0..3", "has an unclosed or a nested brace"),
        ("a-{0..{1..3}}", "has an unclosed or a nested brace"),
        ("a-}b", "has an unclosed or a nested brace"),
        ("a-{}", "has {}, which is neither a range of numbers (0..9) nor a list of words (a,b)"),
        ("a-{x}", "has {x}, which is neither a range of numbers (0..9) nor a list of words (a,b)"),
        ("a-{a,a}", "has {a,a}, which is neither a range of numbers (0..9) nor a list of words (a,b)"),
        ("a-{0...9}", "has {0...9}, which is neither a range of numbers (0..9) nor a list of words (a,b)"),
        ("a-{-1..9}", "has {-1..9}, which is neither a range of numbers (0..9) nor a list of words (a,b)"),
        ("a-{3..0}", "has {3..0}, which counts down"),
    ],
)
def test_what_is_no_pattern(text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        braces.parse(text)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        pytest.param(["{0..9}/{0..9}"], None, id="apart"),
        pytest.param(["{1..11}{1..11}"], "expands to '111' twice", id="two numbers that run together"),
        pytest.param(["a{0..3}", "a{3..4}"], "expands to 'a3' twice", id="two patterns that meet"),
        pytest.param(["{000..999}{000..999}"], None, id="many, of one width"),
        pytest.param(["{0..999}/{0..999}.bin"], None, id="many, with something between them"),
        pytest.param(["y{0..999}-{0..999}", "x{000..999}"], None, id="many, of other beginnings"),
        pytest.param(
            ["{0..999}{0..999}"],
            "has braces that can expand different numbers to the same path: write numbers of the same width, or a / between them",
            id="many that run together",
        ),
        pytest.param(["{a,ab}/{000000..999999}"], None, id="words with something behind them"),
        pytest.param(
            ["x-{000000..999999}", "x-{1000000..1999999}"],
            "begins with 'x-' as another one does, so both can expand to the same path",
            id="many of one beginning",
        ),
    ],
)
def test_no_path_may_have_two_numbers(texts: list[str], words: str | None) -> None:
    assert braces.repeated([braces.parse(text) for text in texts]) == words
