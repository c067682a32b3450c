"""Each promise of the pages of promises names tests, and each of them exists."""

from __future__ import annotations

import ast
import re

import pytest

from tests.checkout import ROOT

PAGES = {
    "docs/explanation/threat-model.md": 25,
    "docs/explanation/removal.md": 12,
    "docs/explanation/versions.md": 6,
    "docs/comparison.md": 7,
}
"""Page -> the least number of its promises."""
TEXTS = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
NAMED = sorted({found for text in TEXTS.values() for found in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)})


def names_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_test_that_a_promise_names_exists(file: str, name: str) -> None:
    assert name in names_of(file)


@pytest.mark.parametrize("page", PAGES)
def test_every_promise_names_a_test(page: str) -> None:
    tables = TEXTS[page].split("| promise | tests |")[1:]
    rows = [row for table in tables for row in table.split("\n\n")[0].splitlines() if row.startswith("| ")]
    assert len(rows) > PAGES[page]
    assert [row for row in rows if "::test_" not in row.rpartition(" | ")[2]] == []


def test_the_threat_model_and_the_policy_name_each_other() -> None:
    assert "docs/explanation/threat-model.md" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
