"""What each pass yields for a small Workload and experiment."""

from __future__ import annotations

import pytest

from tests.checkout import list_entries
from tests.compiler.passes.pairs import FOLDER, Pair, pairs, result
from tjgen.compiler.passes.table import PASSES

PAIRS = list(pairs())


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair.of}: {pair.name}" for pair in PAIRS])
def test_the_pass_yields_exactly_this(pair: Pair) -> None:
    assert result(pair) == pair.yields


def test_every_pass_has_pairs_and_no_other_name_has() -> None:
    assert {path.stem for path in list_entries(FOLDER)} == {name for name, _ in PASSES}


@pytest.mark.parametrize("name", [name for name, _ in PASSES])
def test_every_pass_has_a_pair_with_a_result_and_one_without(name: str) -> None:
    assert {bool(pair.yields) for pair in PAIRS if pair.of == name} == {True, False}


def test_names_are_different() -> None:
    names = [(pair.of, pair.name) for pair in PAIRS]
    assert len(set(names)) == len(names)
