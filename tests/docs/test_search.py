"""The search of the site: questions of users (questions.toml) lead to a page that answers them."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.checkout import ROOT

QUESTIONS: dict[str, str] = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))["questions"]
STOP_WORDS = frozenset(
    ["a", "an", "and", "do", "how", "i", "is", "it", "my", "of", "on", "or", "the", "to", "when", "why", "with"]
)
TITLE_BOOST, FIRST = 1000, 5
K1, B = 1.2, 0.75
"""Constants of BM25, as lunr has them."""

pytestmark = pytest.mark.skipif(
    find_spec("mkdocs") is None or find_spec("material") is None, reason="no mkdocs: pip install '.[docs]'"
)


def _words(text: str) -> list[str]:
    words = re.split(r"[\s\-]+", re.sub(r"<[^>]*>", " ", text).lower())
    return [word for each in words if (word := each.strip(".,:;!?()[]{}`'\"")) and word not in STOP_WORDS]


class SearchIndex:
    """The index that the site loads, ranked as by lunr: BM25 of title and text, the title with the boost of the theme."""

    def __init__(self, file: Path) -> None:
        sections = json.loads(file.read_text(encoding="utf-8"))["docs"]
        self._pages = [section["location"].partition("#")[0] for section in sections]
        self._fields = [
            (boost, [Counter(_words(section[field])) for section in sections])
            for field, boost in (("title", TITLE_BOOST), ("text", 1))
        ]

    def pages(self, question: str) -> list[str]:
        """Return the pages with a word of the question, the best first."""
        scores: dict[str, float] = {}
        totals = [0.0] * len(self._pages)
        for boost, sections in self._fields:
            mean = sum(map(Counter.total, sections)) / len(sections)
            for word in dict.fromkeys(_words(question)):
                frequency = sum(word in section for section in sections)
                weight = math.log(1 + (len(sections) - frequency + 0.5) / (frequency + 0.5))
                for number, section in enumerate(sections):
                    if count := section[word]:
                        length = 1 - B + B * section.total() / mean
                        totals[number] += boost * weight * count * (K1 + 1) / (count + K1 * length)
        for page, total in zip(self._pages, totals, strict=True):
            scores[page] = max(scores.get(page, 0), total)
        return [page for page in sorted(scores, key=lambda page: -scores[page]) if scores[page]]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return SearchIndex(site / "search/search_index.json")


def test_there_are_twenty_questions() -> None:
    assert len(QUESTIONS) >= 20


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items(), ids=str)
def test_a_question_leads_to_its_page(question: str, page: str, index: SearchIndex) -> None:
    assert page in index.pages(question)[:FIRST]


def test_a_word_that_no_page_has_leads_nowhere(index: SearchIndex) -> None:
    assert index.pages("xylophone") == []
