"""Inputs that the fuzz program has found something wrong with: nothing is wrong with them now.

A finding becomes a case here: move the smallest input, which the program writes as JSON, to found/ under a name that says what is
special about it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import list_entries
from tests.fuzz.inputs import load
from tests.fuzz.workers import alone
from tjgen.cli.program import COMMANDS, command_of

# The process of each case is a copy of this one: what is loaded here is loaded once.
for name in COMMANDS:
    command_of(name)

FOUND = list_entries(Path(__file__).parent / "found", "*.json")


@pytest.mark.parametrize("file", FOUND, ids=[file.stem for file in FOUND])
def test_nothing_is_wrong(file: Path) -> None:
    assert alone(load(file), times=3) is None
