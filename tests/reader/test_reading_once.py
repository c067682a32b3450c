"""Every strategy, delivery and kind of reader: the module `tjgen_data` reads each item exactly once.

Each build is real, and each reader runs in a process of its own with the variables of its pod.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.program import tjgen
from tests.reader.test_items import ITEMS, NODES, WORKERS, Pod, corpus, experiment, pods

STRATEGIES: Mapping[str, Mapping[str, Any]] = {
    "contiguous": {},
    "contiguous-size-balanced": {},
    "explicit": {"lists": [ITEMS[:9], ITEMS[9:], []]},
    "hash": {},
    "lpt": {},
    "rendezvous": {},
    "round-robin": {},
    "weighted": {"weights": [1, 0, 2]},
}
READERS: Mapping[str, Mapping[str, Any]] = {
    "nodes": {"over": "nodes"},
    "processes": {"over": "processes"},
    "workers of processes": {"over": "processes", "workers": WORKERS},
    "workers of nodes": {"over": "nodes", "workers": WORKERS},
}
DELIVERIES: Mapping[str, Mapping[str, Any]] = {
    "env": {},
    "configMap": {},
    "init": {"scratch": "scratch"},
}
PATTERN = "shard-{000..996}.tar"
NUMBERS = [f"shard-{number:03}.tar" for number in range(997)]
DRIVER = """
import json, os, sys
from tjgen_data import items

def read(worker, workers):
    has_ranges = "TJGEN_SLICE_RANGES" in os.environ
    return [path.name if has_ranges else path.read_text() for path in items(worker=worker, workers=workers)]

for group, environment, workers in json.load(sys.stdin):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.environ.clear()
        os.environ.update(environment)
        print(json.dumps([group, [item for worker in range(workers) for item in read(worker, workers)]]), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("a reader failed")
"""


def read(folder: Path, environments: Sequence[Mapping[str, str]], workers: int = 1) -> Counter[str]:
    """How often each item is read by all of these processes together."""
    return read_by_groups(folder, {"all": environments}, workers)["all"]


def read_by_groups(folder: Path, groups: Mapping[str, Sequence[Mapping[str, str]]], workers: int) -> dict[str, Counter[str]]:
    """How often each item is read by the processes of each group."""
    asked = [[group, one, workers] for group, environments in groups.items() for one in environments]
    command = [sys.executable, "-c", DRIVER]
    # The processes of all groups have one module, which the driver imports before it forks.
    driver = {**os.environ, "PYTHONPATH": next(iter(groups.values()))[0]["PYTHONPATH"]}
    answer = subprocess.run(command, cwd=folder, env=driver, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    found: dict[str, Counter[str]] = {group: Counter() for group in groups}
    for line in answer.stdout.splitlines():
        group, items = json.loads(line)
        found[group].update(items)
    return found


def started(found: Sequence[Pod], over: str) -> list[dict[str, str]]:
    """The processes that read: of `nodes` the first one of each."""
    return [process for one in found for process in (one.processes() if over == "processes" else one.processes()[:1])]


@pytest.mark.parametrize("who", READERS)
@pytest.mark.parametrize("deliver", DELIVERIES)
@pytest.mark.parametrize("by", STRATEGIES)
def test_each_item_is_read_once(by: str, deliver: str, who: str, tmp_path: Path) -> None:
    corpus(tmp_path)
    asked = {"by": by, "deliver": deliver, **STRATEGIES[by], **DELIVERIES[deliver], **READERS[who]}
    found = pods(tmp_path, experiment(**asked))
    assert len(found) == NODES
    assert read(tmp_path, started(found, asked["over"]), asked.get("workers", 1)) == Counter(ITEMS)


@pytest.mark.parametrize("who", READERS)
@pytest.mark.parametrize("by", ["contiguous", "round-robin", "weighted"])
def test_each_number_is_read_once(by: str, who: str, tmp_path: Path) -> None:
    asked = {"by": by, "deliver": "range", **STRATEGIES[by], **READERS[who]}
    found = pods(tmp_path, experiment({"pattern": PATTERN}, **asked))
    assert read(tmp_path, started(found, asked["over"]), asked.get("workers", 1)) == Counter(NUMBERS)


def elastic(found: Sequence[Pod], nodes: int, over: str) -> list[dict[str, str]]:
    """The processes that torchrun starts on `nodes` of the pods, whose ranks are in another order than their numbers."""
    return [
        {**process, "GROUP_RANK": str(nodes - 1 - node), "GROUP_WORLD_SIZE": str(nodes)}
        for node in range(nodes)
        for process in started([found[node % len(found)]], over)
    ]


@pytest.mark.parametrize("who", READERS)
@pytest.mark.parametrize(
    ("by", "deliver"),
    [
        *((by, deliver) for by in STRATEGIES for deliver in ("env", "configMap")),
        *((by, "range") for by in ("contiguous", "round-robin", "weighted")),  # the others are not runs of numbers
    ],
)
def test_virtual_slices_are_read_once_by_any_number_of_nodes(by: str, deliver: str, who: str, tmp_path: Path) -> None:
    corpus(tmp_path)
    asked: dict[str, Any] = {"by": by, "deliver": deliver, "virtual": 12, **READERS[who]}
    if by == "weighted":
        asked["weights"] = [1, 2, 3] * 4
    if by == "explicit":
        asked["lists"] = [ITEMS[number::12] for number in range(12)]
    items, wanted = ({"pattern": PATTERN}, NUMBERS) if deliver == "range" else (None, ITEMS)
    found = pods(tmp_path, experiment(items, **asked))
    groups = {"without torchrun": started(found, asked["over"])}
    groups |= {f"{nodes} nodes": elastic(found, nodes, asked["over"]) for nodes in (1, 2, 3, 5, 12)}
    for group, items_read in read_by_groups(tmp_path, groups, asked.get("workers", 1)).items():
        assert items_read == Counter(wanted), group


def test_sixty_four_virtual_slices_of_numbers_are_all_read_by_four_nodes(tmp_path: Path) -> None:
    text = experiment({"pattern": PATTERN}, deliver="range", virtual=64, over="nodes", spec={"nodes": 4})
    found = pods(tmp_path, text)
    assert {one.variables["TJGEN_SLICE_NODES"] for one in found} == {"4"}
    assert read(tmp_path, started(found, "nodes")) == Counter(NUMBERS)


@pytest.mark.parametrize("who", ["nodes", "processes"])
def test_each_folder_is_read_once(who: str, tmp_path: Path) -> None:
    items = [f"part-{node}/{item}" for node in range(NODES) for item in ("a", "b/c", "d")]
    corpus(tmp_path, items)
    found = pods(tmp_path, experiment(deliver="subPath", folder="part-$(INDEX)", over=who))
    assert read(tmp_path, started(found, who)) == Counter(items)


@pytest.mark.parametrize("deliver", ["env", "configMap", "range"])
@pytest.mark.parametrize("within", ["nodes", "processes"])
def test_tasks_with_virtual_slices_read_each_item_once(within: str, deliver: str, tmp_path: Path) -> None:
    corpus(tmp_path)
    items, wanted = ({"pattern": PATTERN}, NUMBERS) if deliver == "range" else (None, ITEMS)
    text = experiment(
        items, over="tasks", within=within, virtual=6, deliver=deliver, spec={"tasks": {"a": {}, "b": {"nodes": 2}}}
    )
    found = pods(tmp_path, text)
    assert len(found) == NODES + 2
    assert read(tmp_path, started(found, within)) == Counter(wanted)


def problems(folder: Path, text: str) -> list[str]:
    """The codes of what a build reports, apart from TJ237: an uneven number of items is divided here."""
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml", "--format", "json")
    return [one["code"] for one in json.loads(answer.err or "[]") if one["code"] != "TJ237"]


@pytest.mark.parametrize(
    ("slices", "code"),
    [
        ({"deliver": "init", "scratch": "scratch"}, ["TJ367"]),
        ({"deliver": "subPath", "folder": "part-$(INDEX)"}, ["TJ128"]),
    ],
)
def test_what_cannot_follow_the_number_of_nodes_takes_no_virtual_slices(
    slices: dict[str, Any], code: list[str], tmp_path: Path
) -> None:
    assert problems(tmp_path, experiment(virtual=12, over="nodes", **slices)) == code


@pytest.mark.parametrize("deliver", [*DELIVERIES, "range", "subPath"])
def test_several_processes_that_read_the_same_are_reported(deliver: str, tmp_path: Path) -> None:
    more: dict[str, Any] = {"deliver": deliver, **DELIVERIES.get(deliver, {})}
    more |= {"folder": "part-$(INDEX)"} if deliver == "subPath" else {}
    items = {"pattern": PATTERN} if deliver == "range" else None
    assert problems(tmp_path, experiment(items, **more)) == ["TJ368"]
    for over in ("nodes", "processes"):
        assert problems(tmp_path, experiment(items, over=over, **more)) == []
    assert problems(tmp_path, experiment(items, spec={"procsPerNode": 1}, **more)) == []


def test_processes_of_a_task_that_read_the_same_are_reported(tmp_path: Path) -> None:
    tasks: dict[str, Any] = {"tasks": {"a": {}, "b": {}}}
    assert set(problems(tmp_path, experiment(over="tasks", spec=tasks))) == {"TJ368"}
    assert problems(tmp_path, experiment(over="tasks", within="processes", spec=tasks)) == []


@pytest.mark.parametrize(
    ("bounds", "slices", "codes"),
    [
        ({"min": 1, "max": NODES}, {}, ["TJ369"]),
        ({"min": NODES, "max": 8}, {}, ["TJ369"]),
        ({"min": 1, "max": NODES}, {"deliver": "init", "scratch": "scratch"}, ["TJ369"]),
        ({"min": 1, "max": NODES}, {"virtual": 12}, []),
        ({"min": NODES, "max": NODES}, {}, []),
    ],
)
def test_elastic_runs_need_virtual_slices(
    bounds: dict[str, int], slices: dict[str, Any], codes: list[str], tmp_path: Path
) -> None:
    text = experiment(over="nodes", spec={"elastic": bounds, "target": "pytorchjob"}, **slices)
    assert [code for code in problems(tmp_path, text) if code == "TJ369"] == codes
