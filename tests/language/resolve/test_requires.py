"""Requirements on releases, judged by the library that pip uses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from tjgen.language.resolve.requires import is_met

NUMBERS = st.lists(st.integers(0, 2), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))
ENDS = st.sampled_from(
    ["", "", "a1", "b2", "rc1", "rc", ".post1", "-1", ".dev0", ".dev3", "rc1.dev2", "rc1.post1", ".post1.dev1"]
)
VERSIONS = st.tuples(NUMBERS, ENDS).map("".join)
SIGNS = st.sampled_from(["~=", "==", "!=", ">=", "<=", ">", "<"])
CLAUSES = st.tuples(SIGNS, VERSIONS | NUMBERS.map("{}.*".format)).map(lambda parts: f"{parts[0]} {parts[1]}")


@given(st.lists(CLAUSES, min_size=1, max_size=3).map(", ".join), VERSIONS)
def test_a_requirement_means_what_it_means_to_pip(requirement: str, release: str) -> None:
    try:
        wanted: bool | None = SpecifierSet(requirement).contains(release, prereleases=True)
    except InvalidSpecifier:
        wanted = None
    assert is_met(requirement, release) is wanted


@pytest.mark.parametrize(
    ("requirement", "release", "met"),
    [
        ("~= 0.1", "0.9", True),
        ("~= 0.1", "1.0", False),
        ("~= 0.1.2", "0.2", False),
        ("~=0.1,!=0.3", "0.3.0", False),
        (">= 0.2", "0.2rc1", False),
        ("~= 0.2rc1", "0.2rc2", True),
        ("< 0.2", "0.2rc1", False),
        ("== 0.1.*", "0.1.7", True),
        ("> 0.1", "0.1.post1", False),
        ("> 0.1a1", "0.1.post1", True),
        ("> 0.1a1", "0.1a1.post1", False),
        (">= 0.1, < 0.3", "0.1.4", True),
        (">= 0.1, < 0.1.4", "0.1.4", False),
        ("<= 0.1.4.0", "0.1.4", True),
        ("~= 0.1", "0.1.0.dev3", False),
        (">= 0.1.dev0", "0.1.0.dev3", True),
    ],
)
def test_examples(requirement: str, release: str, met: bool) -> None:
    assert is_met(requirement, release) is met


@pytest.mark.parametrize("text", ["", "latest", "0.1", "^0.1", ">= ", "~= 1", "~= 1.*", ">= 1.*", "== 1rc1.*", ">= 0.1;", "=> 1"])
def test_what_is_no_requirement(text: str) -> None:
    assert is_met(text, "0.1.0") is None
