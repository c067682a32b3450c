"""Values on one line, what a path in an output tree is for, and differences of entries and items."""

from __future__ import annotations

from typing import Any

import pytest

from tjgen.gitops.diff.fields import changed
from tjgen.gitops.diff.markdown import _code
from tjgen.gitops.diff.side import TreePlace, place_of
from tjgen.gitops.diff.words import shown, shown_both
from tjgen.trees.fields.path import MISSING, render


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (MISSING, "(absent)"),
        ("a", "a"),
        ("a" * 100, "a" * 100),
        ("a" * 101, "a" * 100 + " ..."),
        ("a\nb", "a ..."),
        ({"a": [1, True, None]}, '{"a":[1,true,null]}'),
        (1, "1"),
    ],
)
def test_a_value_is_shown_on_one_line(value: Any, words: str) -> None:
    assert shown(value) == words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("a", "b", ("a", "b")),
        (MISSING, "a\nb", ("(absent)", "a ...")),
        ("a", "a\nb", ("(absent)", "line 2: b")),
        ("a\nb\nc", "a", ("line 2: b ...", "(absent)")),
        ("a\nb\nc", "a\nB\nc", ("line 2: b ...", "line 2: B ...")),
        ("a\nb", "a\nb\nc", ("(absent)", "line 3: c")),
        ("x" * 200 + "1", "x" * 200 + "2", ("... " + "x" * 30 + "1", "... " + "x" * 30 + "2")),
    ],
)
def test_two_values_are_shown_from_their_first_difference(before: Any, after: Any, words: tuple[str, str]) -> None:
    assert shown_both(before, after) == words


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a b", "`a b`"),
        ("a|b\nc", "`a\\|b c`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a`", "`` a` ``"),
        ("", "`  `"),
    ],
)
def test_any_text_is_code_in_markdown(text: str, markdown: str) -> None:
    assert _code(text) == markdown


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        pytest.param({"a": [1]}, {"a": {"b": 1}}, ["a"], id="a list becomes a map"),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, ["a"], id="a map becomes a list"),
        pytest.param({"a": {"b": 1}}, {"a": None}, ["a"], id="a map becomes null"),
        pytest.param({"a": 1}, {"a": True}, ["a"], id="a number becomes a boolean"),
        pytest.param({"a": 1}, {}, ["a"], id="a field goes"),
        pytest.param({}, {"a": {"b": 1}}, ["a"], id="a field comes as a whole"),
        pytest.param({"x": [1, 2]}, {"x": [1, 3]}, ["x[1]"], id="an item of a list without keys"),
        pytest.param({"x": [1, 2]}, {"x": [1]}, ["x"], id="a list without keys of another length"),
        pytest.param(
            {"env": [{"name": "A"}, {"name": "B"}]}, {"env": [{"name": "B"}, {"name": "A"}]}, ["env"], id="another order"
        ),
        pytest.param(
            {"env": [{"name": "A"}, {"name": "B"}]},
            {"env": [{"name": "C"}, {"name": "A"}, {"name": "B"}]},
            ["env[name=C]"],
            id="one more in front",
        ),
    ],
)
def test_the_fields_that_differ(old: Any, new: Any, fields: list[str]) -> None:
    assert [render(one.path) for one in changed(old, new)] == fields
    assert [render(one.path) for one in changed(old, old)] == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("runs/team/mnist/mnist-1/trainjob-mnist-1.yaml", TreePlace("runs", "", "team", "mnist", "mnist-1")),
        ("prod/runs/team/mnist/mnist-1/trainjob-mnist-1.yaml", TreePlace("runs", "prod", "team", "mnist", "mnist-1")),
        ("runs/team/mnist/trainjob-mnist-1.yaml", None),
        ("data/team/claim.yaml", TreePlace("data", "", "team")),
        ("prod/data/team/claim.yaml", TreePlace("data", "prod", "team")),
        ("data/claim.yaml", None),
        ("runs", None),
        ("prod/runs", None),
        ("other/team/claim.yaml", None),
        ("platform/c/queue.yaml", TreePlace("platform", "", "c")),
        ("platform/c/team/role.yaml", TreePlace("platform", "", "c/team")),
        ("platform/c", None),
        ("platform/c/d/e/role.yaml", None),
    ],
)
def test_what_a_file_is_for(path: str, expected: TreePlace | None) -> None:
    assert place_of(path) == expected


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("1", 1, ('"1"', "1")),
        (True, "true", ("true", '"true"')),
        ("a", "a ", ('"a"', '"a "')),
        ("a", "a\n", ('"a"', '"a\\n"')),
        ("null", None, ('"null"', "null")),
    ],
)
def test_values_that_only_quotes_tell_apart_have_quotes(before: object, after: object, words: tuple[str, str]) -> None:
    assert shown_both(before, after) == words
