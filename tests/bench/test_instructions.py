"""The five starts that users wait for most execute no more instructions than was accepted last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench import instructions
from bench.setting import TJGEN


def test_more_than_a_tenth_is_a_regression() -> None:
    known = {"build": 5.0, "check": 4.0, "gone": 1.0}
    assert instructions.regressions({"build": 5.5, "check": 4.41, "new": 1.0}, known) == [
        "check: 4.41 times the instructions of bare Python, was 4.0",
        "gone is not measured",
        "new is not in instructions.json",
    ]


def test_ratios_are_those_to_bare_python() -> None:
    assert instructions.ratios({"python -c pass": 40, "tjgen build": 100}) == {"tjgen build": 2.5}


@pytest.mark.skipif(not instructions.is_available(), reason="valgrind, which counts instructions, is not installed")
@pytest.mark.skipif(instructions.accepted() is None, reason="no figures are accepted for this version of Python")
@pytest.mark.skipif(not os.access(TJGEN, os.X_OK), reason="tjgen is not installed next to this Python")
def test_no_start_executes_more_instructions_than_accepted(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TJGEN"))}
    known = instructions.accepted()
    assert known is not None
    found = instructions.ratios(instructions.measure(str(tmp_path), environment))
    assert instructions.regressions(found, known) == []
