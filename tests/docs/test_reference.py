"""The generated reference pages are fresh, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate.__main__ import REFERENCE, pages
from docs.generate.markdown import anchor
from tests.checkout import ROOT, list_entries, tracked

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
WRITTEN = [ROOT / name for name in tracked() if name.endswith(".md")]


@pytest.mark.parametrize(("path", "text"), pages().items(), ids=lambda value: value.name if isinstance(value, Path) else "")
def test_a_page_is_what_the_code_says(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run python -m docs.generate"


def test_the_reference_has_no_other_pages() -> None:
    assert {path for path in list_entries(REFERENCE, "**/*") if path.is_file()} == {
        path for path in pages() if path.is_relative_to(REFERENCE)
    }


def test_links_lead_somewhere() -> None:
    anchors: dict[Path, set[str]] = {}
    dead = []
    for page in WRITTEN:
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            if link.startswith(("http://", "https://")):
                continue
            target, _, fragment = link.partition("#")
            file = (page.parent / target).resolve() if target else page
            if not file.exists():
                dead.append(f"{page.relative_to(ROOT)}: {link}")
            elif fragment and file.suffix == ".md":
                if file not in anchors:
                    anchors[file] = {anchor(heading) for heading in HEADING.findall(file.read_text(encoding="utf-8"))}
                if f"#{fragment}" not in anchors[file]:
                    dead.append(f"{page.relative_to(ROOT)}: {link}")
    assert WRITTEN
    assert dead == []


def test_the_readme_leads_to_the_list_of_all_pages() -> None:
    assert "docs/index.md" in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
