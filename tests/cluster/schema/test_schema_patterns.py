"""Patterns and formats in Go's reading."""

from __future__ import annotations

import json
import re

import pytest

from tests.checkout import ROOT, list_entries
from tjgen.cluster.schema.formats import matches
from tjgen.cluster.schema.pattern_escapes import PatternError, UnavailableError
from tjgen.cluster.schema.patterns import search


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        pytest.param(r"^a$", ["a"], ["a\n", "b"], id="$ is the end of the text"),
        pytest.param(r"^a\z", ["a"], ["a\n"], id=r"\z"),
        pytest.param(r"b", ["abc"], ["a"], id="not anchored by itself"),
        pytest.param(r"^[$]$", ["$"], ["x"], id="a dollar in a class is a dollar"),
        pytest.param(r"^\$$", ["$"], [""], id="an escaped dollar"),
        pytest.param(r"^\d\w$", ["1a"], ["\u0663a", "1ä"], id="classes are ASCII"),
        pytest.param(r"^(?i)(abort|warn)?$", ["ABORT", "warn", ""], ["x"], id="flags in the middle"),
        pytest.param(
            r"^(a(?i)b|c)d$", ["aBd", "Cd"], ["Abd", "aBD"], id="flags end with their group and hold for what follows in it"
        ),
        pytest.param(r"^[[:alpha:]]+$", ["aZ"], ["a1"], id="named classes"),
        pytest.param(r"^[]a]+$", ["]a"], ["b"], id="a bracket first in a class"),
        pytest.param(r"^[^]]$", ["a"], ["]"], id="a bracket first in a negated class"),
        pytest.param(r"^[\]]$", ["]"], ["\\"], id="an escaped bracket in a class"),
        pytest.param(r"^(?:a|b)(?P<n>c)$", ["ac"], ["c"], id="groups of other kinds"),
    ],
)
def test_patterns(pattern: str, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not search(pattern)(text)] == []
    assert [text for text in bad if search(pattern)(text)] == []


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(PatternError):
        search("(")


def test_every_pattern_of_the_schemas_can_be_used() -> None:
    found = set()
    for file in list_entries(ROOT / "schemas", "*/*/*.json"):
        found |= set(re.findall(r'"pattern":("(?:[^"\\]|\\.)*")', file.read_text(encoding="utf-8")))
    assert len(found) > 5
    for text in found:
        search(json.loads(text))


@pytest.mark.parametrize("pattern", [")", "(?i)a)", "a|)b", "[[:nothing:]]", "(", "a**"])
def test_a_pattern_that_go_refuses(pattern: str) -> None:
    with pytest.raises(PatternError):
        search(pattern)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("2026-01-02T03:04:05Z", True),
        ("2026-01-02t03:04:05z", True),
        ("2026-01-02T03:04:05.123456+02:00", True),
        ("2024-02-29T00:00:00Z", True),
        ("2026-02-29T00:00:00Z", False),
        ("2026-13-01T00:00:00Z", False),
        ("2026-01-02", False),
        ("2026-01-02T24:00:00Z", False),
        ("2026-01-02T03:04:05", False),
        ("2026-01-02 03:04:05Z", False),
        ("", False),
    ],
)
def test_times(text: str, *, good: bool) -> None:
    assert matches("date-time", text) is good


@pytest.mark.parametrize(("text", "good"), [("", False), ("aGk=", True), ("aGk", False), ("a-_=", False), ("aG\nk=", False)])
def test_base64(text: str, *, good: bool) -> None:
    assert matches("byte", text) is good


@pytest.mark.parametrize("pattern", [r"\p{Greek}", r"^\P{Old_Italic}+$", r"[a\p{^Han}]", r"\p{Letter}"])
def test_a_class_that_only_the_server_has_is_a_limit_of_tjgen(pattern: str) -> None:
    with pytest.raises(UnavailableError, match="which tjgen does not have"):
        search(pattern)


@pytest.mark.parametrize("pattern", [r"\pX", r"\p{Xx}", r"\p{}", r"\p{1234}"])
def test_a_class_that_nobody_has_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match="invalid character class range") as caught:
        search(pattern)
    assert not isinstance(caught.value, UnavailableError)
