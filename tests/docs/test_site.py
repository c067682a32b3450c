"""The site that mkdocs makes of docs/: every page is in its navigation, links lead somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.generate.site import ALL_PAGES, DOCS, Entry, folders, index, linked, listing, navigation
from tests.checkout import ROOT, list_entries, tracked

FETCHED = re.compile(
    r'<(?:script|img|iframe|link rel="(?:stylesheet|preload|preconnect)")[^>]*(?:src|href)="(?:https?:)?//[^"]*"'
)
OUTSIDE = re.compile(r"\]\(([a-z]+:[^)\s]*)\)")


def pages(entries: list[Entry]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for inner in entry.values():
                yield from pages(inner)


def test_every_page_is_in_the_navigation() -> None:
    known = [name.removeprefix("docs/") for name in tracked() if name.startswith("docs/") and name.endswith(".md")]
    assert sorted(pages(navigation())) == sorted(known)


def test_the_list_of_all_pages_has_every_page_of_the_navigation() -> None:
    listed = set(re.findall(r"\]\(([^)#]+\.md)\)", index().partition(ALL_PAGES)[2]))
    rules = {page for page in pages(navigation()) if page.startswith("reference/rules/")}
    assert rules
    assert listed == set(pages(navigation())) - rules - {"index.md"}


def test_links_to_other_places_are_safe_ones() -> None:
    found = {link for page in list_entries(DOCS, "**/*.md") for link in OUTSIDE.findall(page.read_text(encoding="utf-8"))}
    assert sorted(link for link in found if not re.match(r"https://[a-z0-9.-]+(/|$)", link)) == []


def test_a_link_to_a_folder_leads_to_a_page_of_it() -> None:
    assert "runtimes" in folders()
    assert linked("[r](../../runtimes) [x](cli.md#a) [w](https://x.org)", "reference/runtimes.md") == (
        "[r](../sources/runtimes.md) [x](cli.md#a) [w](https://x.org)"
    )
    assert "## tjgen-torch.yaml" in listing("runtimes")
    assert "(../../decisions/0001-managed-trees.md)" in listing("docs/decisions")


@pytest.mark.skipif(find_spec("mkdocs") is None or find_spec("material") is None, reason="no mkdocs: pip install '.[docs]'")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    made = sorted(tmp_path.rglob("*.html"))
    assert len(made) > len(list_entries(DOCS, "**/*.md"))
    assert [path.name for path in made if FETCHED.search(path.read_text(encoding="utf-8"))] == []
