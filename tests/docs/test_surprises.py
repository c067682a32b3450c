"""The page on what the controller does: every code of it is there, and every case that it names exists."""

from __future__ import annotations

import re

from tests.checkout import ROOT
from tjgen.trees.diagnostics.codes import load_codes

PAGE = (ROOT / "docs/explanation/surprises.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .* \| (TJ\d+) \| (.*) \|$", PAGE, re.M)
REFUSALS = ("TJ800", "TJ801", "TJ804", "TJ806")
"""Codes for what is plainly wrong, and surprises nobody."""


def test_every_surprise_is_on_the_page() -> None:
    there = {code for code, _ in ROWS} | set(REFUSALS)
    assert {code.code for code in load_codes() if code.code.startswith("TJ8")} - there == set()


def test_every_case_on_the_page_exists_and_shows_its_code() -> None:
    for code, cases in ROWS:
        for case in re.findall(r"`(.*?)`", cases):
            place = ROOT / (case if case.startswith("tests/") else f"tests/cluster/trainer/warnings/{case}")
            files = [place] if place.is_file() else list(place.rglob("*"))
            texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
            assert any(code in text for text in texts), (code, case)
