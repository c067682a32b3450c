"""PyYAML's parser, taken where libyaml is missing, leads to the same values and places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.checkout import ROOT, list_entries
from tests.trees.source.test_positions import walk
from tjgen.trees.source import libyaml
from tjgen.trees.source.pure import PurePythonParser
from tjgen.trees.source.reader import CORE, KUBERNETES, read

RECORDED = json.loads((Path(__file__).parent / "recorded" / "kubectl.json").read_text(encoding="utf-8"))["cases"]
FILES = sorted(path for folder in ("runtimes", "examples", "overlays") for path in list_entries(ROOT / folder, "**/*.yaml"))


def seen(text: str, dialect: str) -> object:
    documents, diagnostics = read(text, "f.yaml", dialect)
    places = [[(path, document.locate(path)) for path, _ in walk(document.value)] for document in documents]
    return [document.value for document in documents], places, [diagnostic.code for diagnostic in diagnostics]


@pytest.mark.parametrize("text", [path.read_text(encoding="utf-8") for path in FILES], ids=[path.name for path in FILES])
@pytest.mark.parametrize("dialect", [CORE, KUBERNETES])
def test_our_files(text: str, dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_libyaml = seen(text, dialect)
    monkeypatch.setattr(libyaml, "_parser", PurePythonParser)
    assert seen(text, dialect) == by_libyaml


# An unknown directive is refused by libyaml and passed over by PyYAML's parser; an empty value in braces stands before the
# space behind its colon, or behind it.
APART = {"%FOO\n---\na: 1\n", "v: !!set {a: }\n", "a: 1\nb:\n  c: [1, {d: e}]\n  f: {g: , h}\n"}


@pytest.mark.parametrize("text", [case["text"] for case in RECORDED if case["text"] not in APART])
def test_recorded_texts(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_libyaml = seen(text, KUBERNETES)
    monkeypatch.setattr(libyaml, "_parser", PurePythonParser)
    assert seen(text, KUBERNETES) == by_libyaml
