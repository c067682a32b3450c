"""On demand, with Go: many random texts against kubectl's own reader.

    TJGEN_GO=1 .venv/bin/python -m pytest tests/trees/source/test_go.py

TJGEN_GO is also the seed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.trees.source.test_kubernetes import same
from tjgen.trees.diagnostics.model import has_errors
from tjgen.trees.source.reader import KUBERNETES, read
from tjgen.trees.source.writer import dump

pytestmark = pytest.mark.skipif(
    "TJGEN_GO" not in os.environ, reason="set TJGEN_GO=1 to compare with kubectl's reader, which needs Go"
)

ALPHABETS = (
    "0123456789_+-.eExXoObBabfnyNYtT:~ ",
    "01._-+eE",
    "01bBoOxX_+-",
    "0123456789abcdefABCDEFxX_",
    "yYnNoOfFtTrRuUeEsSaAlLiI.~",
    "0123456789-:TtZ .+",
)
PIECES = "".join(map(chr, range(0x20, 0x7F))) + "\n\t\x00\x7f\x85\xa0\u2028\ufeff\u3000é日\U0001f600"

Kubectl = Callable[[list[str]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    program = tmp_path_factory.mktemp("oracle") / "goyaml"
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=ROOT / "tests/oracle/goyaml", check=True)

    def ask(texts: list[str]) -> list[dict[str, Any]]:
        run = subprocess.run([str(program)], input=json.dumps(texts), capture_output=True, text=True, check=True)
        answers: list[dict[str, Any]] = json.loads(run.stdout)
        return answers

    return ask


@pytest.fixture
def chance() -> random.Random:
    return random.Random(os.environ["TJGEN_GO"])


def is_plain(text: str) -> bool:
    """Whether the text stands in a value or key as one plain scalar."""
    return (
        bool(text)
        and ": " not in text
        and not text.endswith(":")
        and not text.startswith(("- ", ": ", "? "))
        and text not in ("-", "?")
    )


def random_scalars(chance: random.Random, number: int) -> list[str]:
    texts: set[str] = set()
    while len(texts) < number:
        alphabet = chance.choice(ALPHABETS)
        text = "".join(chance.choice(alphabet) for _ in range(chance.randint(1, chance.choice((4, 8, 12, 25))))).strip()
        if is_plain(text):
            texts.add(text)
    return sorted(texts)


@pytest.mark.parametrize("pattern", ["v: {}\n", "{}: v\n", "v: !!int {}\n", "v: !!float {}\n", "v: !!bool {}\n"])
def test_scalars_are_read_alike(pattern: str, kubectl: Kubectl, chance: random.Random) -> None:
    texts = [pattern.format(text) for text in random_scalars(chance, 50_000 if "!!" not in pattern else 10_000)]
    for text, answer in zip(texts, kubectl(texts), strict=True):
        documents, diagnostics = read(text, "f.yaml", KUBERNETES)
        assert has_errors(diagnostics) == ("error" in answer), (text, answer, diagnostics)
        if "error" not in answer:
            assert same(documents[0].value, answer["value"]), (text, answer, documents[0].value)


def random_tree(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth > 3 or kind < 0.6:
        if chance.random() < 0.3:
            return chance.choice(random_scalars(chance, 1))
        return "".join(chance.choice(PIECES) for _ in range(chance.randint(0, 14)))
    if kind < 0.8:
        return {str(random_tree(chance, 9)): random_tree(chance, depth + 1) for _ in range(chance.randint(0, 4))}
    return [random_tree(chance, depth + 1) for _ in range(chance.randint(0, 4))]


def test_what_is_written_is_read_by_kubectl(kubectl: Kubectl, chance: random.Random) -> None:
    trees = [{"v": random_tree(chance), "w": [random_tree(chance)]} for _ in range(10_000)]
    for tree, answer in zip(trees, kubectl([dump(tree) for tree in trees]), strict=True):
        assert answer.get("value") == tree, (tree, dump(tree), answer)
