"""The test for authors of strategies: what it finds in careless ones, and that those of tjgen pass."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tjgen.language.slicing import conformance, strategies
from tjgen.language.slicing.items import DataItems
from tjgen.language.slicing.strategies import STRATEGIES

Plan = Callable[[DataItems, int, Mapping[str, Any]], Any]


class Made:
    """A strategy that plans by a function."""

    def __init__(self, plan: Plan, *, needs_sizes: Any = False) -> None:
        self.NEEDS_SIZES = needs_sizes
        self.plan = plan


def dealt(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
    return [list(range(number, len(items), count)) for number in range(count)]


@pytest.mark.parametrize("by", [by for by in STRATEGIES if by not in ("explicit", "weighted")])
def test_ours_keep_to_the_contract(by: str) -> None:
    strategy = strategies.load(by)
    assert strategy is not None
    assert conformance.faults(strategy) == []


def test_ours_with_options_keep_to_it_under_options_that_fit() -> None:
    weighted, explicit = strategies.load("weighted"), strategies.load("explicit")
    assert weighted is not None
    assert explicit is not None
    assert conformance.faults(weighted, {"weights": [1, 0, 2]}, [3]) == []
    assert conformance.faults(explicit, {"lists": [["*"]]}, [1]) == [
        "no items in 1 slices: it rejects them: it has '*' in list 0, which is not an item"
    ]


def forgetful() -> Plan:
    calls: list[int] = []

    def plan(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
        calls.append(count)
        return dealt(items, count, options)[:: -1 if len(calls) % 2 else 1]

    return plan


def greedy(items: DataItems, count: int, options: Mapping[str, Any]) -> list[list[int]]:
    plan = dealt(items, count, options)
    items.paths.append("another")
    items.sizes.append(1)
    return plan


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        pytest.param(Made(dealt), [], id="one that is fine"),
        pytest.param(Made(dealt, needs_sizes="no"), ["NEEDS_SIZES is not True or False"], id="not said whether it needs sizes"),
        pytest.param(
            Made(lambda items, count, options: [[0]] * count),
            ["item 0 is in slice 0 and in slice 1"],
            id="an item for everybody",
        ),
        pytest.param(Made(lambda items, count, options: []), ["it has 0 slices, not 1"], id="no slices"),
        pytest.param(Made(forgetful()), ["it returns another plan when it is called again"], id="every time another"),
        pytest.param(Made(greedy), ["it changes its arguments"], id="one that eats the items"),
    ],
)
def test_what_is_found(strategy: Any, words: list[str]) -> None:
    found = conformance.faults(strategy)
    assert bool(found) == bool(words)
    assert all(any(fault.endswith(word) for fault in found) for word in words)


def tried(folder: Path, *words: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "tjgen.language.slicing.conformance", *words]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return answer.returncode, answer.stdout, answer.stderr


def test_a_plan_that_depends_on_the_seed_of_hash_is_found(tmp_path: Path) -> None:
    (tmp_path / "by_chance.py").write_text(
        "NEEDS_SIZES = False\n"
        "def plan(items, count, options):\n"
        "    slices = [[] for _ in range(count)]\n"
        "    for index, item in enumerate(items):\n"
        "        slices[hash(item.path) % count].append(index)\n"
        "    return slices\n"
    )
    code, out, _ = tried(tmp_path, "by_chance")
    assert (code, out) == (1, "it returns another plan in another process: avoid hash(), sets and clocks\n")


@pytest.mark.parametrize("words", [(), ("no_such_strategy",), ("json:nothing",), (":x",), ("lpt", "{", "more")], ids=str)
def test_what_cannot_be_tried(words: tuple[str, ...], tmp_path: Path) -> None:
    code, out, err = tried(tmp_path, *words)
    assert (code, out) == (2, "")
    assert err.startswith("usage: ")


def test_a_strategy_that_is_installed_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "backwards.py").write_text(
        "NEEDS_SIZES = False\n"
        "def plan(items, count, options):\n"
        "    if options.get('refuse'):\n"
        "        raise ValueError('is told to refuse')\n"
        "    return [list(range(number, len(items), count)) for number in reversed(range(count))]\n"
    )
    metadata = tmp_path / "backwards-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: backwards\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[tjgen.slicers]\nbackwards = backwards\n")
    monkeypatch.syspath_prepend(tmp_path)
    strategy = strategies.load("backwards")
    assert strategy is not None
    assert conformance.faults(strategy) == []
    assert "backwards" in strategies.known()
    assert tried(tmp_path, "backwards")[:2] == (0, "backwards meets the contract\n")
    assert tried(tmp_path, "backwards", '{"refuse": true}')[0] == 1


def test_a_strategy_in_a_file_is_tried_with_its_bound(tmp_path: Path) -> None:
    good = (
        "NEEDS_SIZES = False\n"
        "def plan(items, count, options):\n"
        "    return [list(range(number, len(items), count)) for number in range(count)]\n"
        "def bound(items, count, options):\n"
        "    return %s\n"
    )
    (tmp_path / "mine.py").write_text(good % "-(-len(items) // count)")
    assert tried(tmp_path, "mine.py")[:2] == (0, "mine.py meets the contract\n")
    (tmp_path / "mine.py").write_text(good % "len(items) // count")
    code, out, _ = tried(tmp_path, "mine.py")
    assert code == 1
    assert "one item in 2 slices: slice 0 has 1, and it promises at most 0\n" in out
    assert tried(tmp_path, "none.py") == (1, "", "none.py cannot be read from none.py: No such file or directory\n")
