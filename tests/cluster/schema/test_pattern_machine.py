"""Patterns against what Go's `regexp` made of them, and patterns that a backtracking search does not survive."""

from __future__ import annotations

import importlib.util
import json
import lzma
import random
from time import process_time
from typing import Any

import pytest

from tests.cluster.schema.record_patterns import RECORDED, generated, text
from tjgen.cluster.schema.pattern_escapes import PatternError, UnavailableError
from tjgen.cluster.schema.pattern_machine import Machine
from tjgen.cluster.schema.patterns import find_all, search

CASES: list[dict[str, Any]] = [json.loads(line) for line in lzma.decompress(RECORDED.read_bytes()).decode().splitlines()]
BACKTRACKING = {
    "nested repetitions": (r"^(a+)+$", "a" * 50_000 + "!"),
    "overlapping branches": (r"^(a|aa)+$", "a" * 50_000 + "!"),
    "optional characters": ("a?" * 100 + "a" * 100 + "$", "a" * 99),
    "repetitions in a row": (r"a*a*a*a*a*a*b", "a" * 50_000),
    "a repetition without a start": (r"[a-z]+@[a-z]+", "a" * 50_000),
    "a group of names": (r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.?)*$", "a" * 50_000 + "!"),
    "any text in any text": (r"(.*)*(.*)*x", "y" * 50_000),
    "many states": (r"(a|b)*a(a|b){12}$", "ab" * 2_000),
}


def test_every_pattern_has_the_matches_that_go_finds() -> None:
    wrong = [case["pattern"] for case in CASES if "found" in case and matches(case) != case["found"]]
    assert wrong == []


def matches(case: dict[str, Any]) -> list[list[list[int]]]:
    matching = [[list(match) for match in find_all(case["pattern"], one)] for one in case["texts"]]
    assert [search(case["pattern"])(one) for one in case["texts"]] == list(map(bool, matching))
    return matching


def test_every_pattern_that_go_refuses_is_refused_in_its_words() -> None:
    refused = [case for case in CASES if "error" in case]
    assert len(refused) >= 40
    unavailable = []
    for case in refused:
        with pytest.raises(PatternError) as raised:
            search(case["pattern"])
        if isinstance(raised.value, UnavailableError):  # tjgen does not have the names of scripts
            unavailable.append(case["pattern"])
        else:
            assert case["error"] == f"error parsing regexp: {raised.value}"
    assert unavailable == [r"\p{Nothing}"]


@pytest.mark.skipif(importlib.util.find_spec("re2") is None, reason="google-re2 is not installed: pip install google-re2")
def test_random_patterns_have_the_matches_of_re2() -> None:
    re2 = importlib.import_module("re2")
    rng = random.Random(7)
    for _ in range(1_000):
        pattern, given = generated(rng, 5), text(rng)
        if "\\B" in pattern:  # RE2 also finds places within a character of several bytes
            continue
        try:
            expected = re2.search(pattern, given)
        except re2.error:
            with pytest.raises(PatternError):
                search(pattern)
        else:
            assert find_all(pattern, given, 1) == ([expected.span()] if expected else []), (pattern, given)


@pytest.mark.parametrize(("pattern", "given"), BACKTRACKING.values(), ids=BACKTRACKING)
def test_a_pattern_takes_time_that_grows_with_the_text(pattern: str, given: str) -> None:
    start = process_time()
    assert not search(pattern)(given)
    assert find_all(pattern, given) == []
    assert process_time() - start < 2


def test_a_text_with_too_many_states_is_refused() -> None:
    machine = Machine("(" + "|".join(f".{{{count}}}" for count in range(300, 900, 40)) + "){1}x")
    start = process_time()
    with pytest.raises(PatternError, match="more than 20,000 steps"):
        Machine(".{1000}" * 30)
    with pytest.raises(PatternError, match="takes more than 2,000,000 steps for one text"):
        machine.matches("a" * 100_000)
    assert process_time() - start < 5


def test_states_are_forgotten_before_they_fill_the_memory() -> None:
    machine = Machine("(a|b)*a(a|b){18}$")
    rng = random.Random(1)
    assert not machine.matches("".join(rng.choice("ab") for _ in range(30_000)) + "c")
    assert len(machine.states) <= 20_000
