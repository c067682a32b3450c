"""What the twin warns about, and that good TrainJobs are left alone.

A case is a folder below `surprises`: `input.yaml`, and in `expected.txt` a line for each diagnostic.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainer.cases import folders, trees
from tjgen.fields.path import render
from tjgen.trainer.framework import Expansion
from tjgen.trainer.inputs import expand_documents

CASES = Path(__file__).parent / "surprises"


def said(expansion: Expansion) -> list[str]:
    """Each diagnostic as text: code, severity and name, the object and field it is about, message and hint."""
    return [
        f"{found.code} {found.severity} {found.name} [{found.subject} {render(found.path or ())}]\n"
        f"    {found.message}\n    hint: {found.hint}\n"
        for found in expansion.diagnostics
    ]


@pytest.mark.parametrize("case", folders(CASES))
def test_the_twin_warns(case: Path) -> None:
    expansions = [expansion for _, expansion in expand_documents(trees(case / "input.yaml"))]
    expected = case / "expected.txt"
    text = "".join(line for expansion in expansions for line in said(expansion))
    assert text == (expected.read_text(encoding="utf-8") if expected.exists() else "")


def test_good_cases_have_no_expectations() -> None:
    assert [case.name for case in CASES.iterdir() if case.name.startswith("good-") == (case / "expected.txt").exists()] == []
