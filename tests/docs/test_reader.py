"""The readers of the page on data slices, in real processes over real files: together they read each item once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.docs.test_pages import blocks
from tests.program import tjgen

NODES, PROCESSES, WORKERS = 3, 2, 2
ITEMS = [f"shard {number}/é-$(X)-{number}.bin" for number in range(17)]
TEXTS = "import json, reader; print(json.dumps([path.read_text() for path in reader.items()]))"
WORKER = (
    "import json, reader; "
    f"print(json.dumps([[path.read_text() for path in reader.items(worker, {WORKERS})] for worker in range({WORKERS})]))"
)
NUMBERS = "import json, numbered; print(json.dumps([numbered.path(number) for number in numbered.numbers()]))"
UNDER_MPI = """
import json, sys, reader
reader.LISTS = sys.argv[1] + "/slice-0.txt"
print(json.dumps([path.read_text() for path in reader.items(data=sys.argv[2])]))
"""


class Pod(NamedTuple):
    """What the program of one node finds around it."""

    variables: dict[str, str]
    mounted: dict[str, Path]
    """Path in the container -> the folder that is there."""

    def processes(self) -> list[dict[str, str]]:
        """The variables of each process that torchrun starts."""
        return [{**self.variables, "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(PROCESSES)} for rank in range(PROCESSES)]


def experiment(items: Any = None, *, path: str | None = "v1", spec: Mapping[str, Any] | None = None, **slices: Any) -> str:
    listed = {"list": [{"path": path, "size": 1 + index} for index, path in enumerate(ITEMS)]}
    data = {"volume": "corpus", "path": path, "items": items or listed, "slices": slices}
    if slices.get("deliver") == "subPath":
        del data["items"]
    whole: dict[str, Any] = {
        "runtime": "tjgen-torch",
        "script": "train.py",
        "nodes": NODES,
        "procsPerNode": PROCESSES,
        "target": "jobset",
        "volumes": {
            "corpus": {"pvc": "corpus", "mountPath": "/corpus", "readOnly": True},
            "scratch": {"emptyDir": {}, "mountPath": "/scratch"},
        },
        "data": {key: value for key, value in data.items() if value is not None},
        **(spec or {}),
    }
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "read", "namespace": "data"}}
    return yaml.safe_dump({**head, "spec": whole})


def corpus(folder: Path, items: list[str] = ITEMS) -> None:
    """The volume, each file of which holds its own path."""
    for path in items:
        file = folder / "corpus" / "v1" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path, encoding="utf-8")


def pods(folder: Path, text: str) -> list[Pod]:
    """The pods of every JobSet that is built, their init containers having run."""
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    manifests = list(yaml.safe_load_all(answer.out))
    maps = {one["metadata"]["name"]: one["data"] for one in manifests if one["kind"] == "ConfigMap"}
    return [
        pod(folder / f"{one['metadata']['name']}-{node}", folder / "corpus", maps, one["spec"]["replicatedJobs"][0], node)
        for one in manifests
        if one["kind"] == "JobSet"
        for node in range(one["spec"]["replicatedJobs"][0]["template"]["spec"]["completions"])
    ]


def pod(folder: Path, corpus: Path, maps: Mapping[str, dict[str, str]], job: Any, node: int) -> Pod:
    spec = job["template"]["spec"]["template"]["spec"]
    volumes: dict[str, Path] = {"corpus": corpus, "scratch": folder / "scratch"}
    (folder / "scratch").mkdir(parents=True)
    for volume in spec["volumes"]:
        names = [volume["configMap"]["name"]] if "configMap" in volume else []
        names += [one["configMap"]["name"] for one in volume.get("projected", {}).get("sources", [])]
        for name in names:
            volumes[volume["name"]] = folder / "lists"
            (folder / "lists").mkdir(exist_ok=True)
            for file, text in maps[name].items():
                (folder / "lists" / file).write_text(text, encoding="utf-8")
    for container in spec.get("initContainers", []):
        started(container, volumes, node)
    [main] = spec["containers"]
    return Pod(*around(main, volumes, node))


def around(container: Any, volumes: Mapping[str, Path], node: int) -> tuple[dict[str, str], dict[str, Path]]:
    said = expanded(container["env"], str(node))
    mounted = {}
    for mount in container["volumeMounts"]:
        below = mount.get("subPath") or mount.get("subPathExpr") or ""
        for name, value in said.items():
            below = below.replace(f"$({name})", value)
        mounted[mount["mountPath"]] = volumes[mount["name"]] / below
    here = {name: placed(value, mounted) for name, value in said.items() if name.startswith("TJGEN_")}
    return here, mounted


def placed(value: str, mounted: Mapping[str, Path]) -> str:
    for path, folder in mounted.items():
        if value.startswith(path):
            return str(folder) + value.removeprefix(path)
    return value


def expanded(env: list[dict[str, Any]], index: str) -> dict[str, str]:
    """What kubelet makes of a container's `env` in the pod of a completion index."""
    found: dict[str, str] = {}
    for item in env:
        value = str(item.get("value", index))
        for name, known in found.items():
            value = value.replace("$$(", "\0").replace(f"$({name})", known).replace("\0", "$$(")
        found[item["name"]] = value.replace("$$(", "$(")
    return found


def started(container: Any, volumes: Mapping[str, Path], node: int) -> None:
    """Run what an init container runs, twice, as after a node's restart."""
    variables, _ = around(container, volumes, node)
    for _ in range(2):
        subprocess.run([*container["command"], *container["args"]], env={"PATH": "/usr/bin:/bin", **variables}, check=True)


def programs(folder: Path) -> None:
    """Write the readers of the page."""
    for block in blocks("docs/how-to/data-slices.md"):
        if block.which in ("reader.py", "numbered.py"):
            (folder / block.which).write_text(block.text, encoding="utf-8")


def run(folder: Path, environment: Mapping[str, str], program: str = TEXTS, *words: str) -> list[Any]:
    command = [sys.executable, "-c", program, *words]
    answer = subprocess.run(command, cwd=folder, env={**environment}, capture_output=True, text=True, check=True)
    items: list[Any] = json.loads(answer.stdout)
    return items


@pytest.mark.parametrize(
    "deliver",
    [{"deliver": "env"}, {"deliver": "configMap"}, {"deliver": "init", "scratch": "scratch"}],
    ids=lambda said: said["deliver"],
)
@pytest.mark.parametrize("by", ["round-robin", "lpt", "rendezvous"])
def test_each_item_is_read_by_one_process(by: str, deliver: dict[str, Any], tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    found = pods(tmp_path, experiment(by=by, over="processes", **deliver))
    parts = [run(tmp_path, process) for one in found for process in one.processes()]
    assert len(parts) == NODES * PROCESSES
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_each_item_is_read_by_one_worker_of_one_process(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    found = pods(tmp_path, experiment(over="processes", workers=WORKERS, remainder="pad"))
    parts = [part for one in found for process in one.processes() for part in run(tmp_path, process, WORKER)]
    assert {len(part) for part in parts} == {2}
    assert set().union(*parts) == set(ITEMS)


def test_copies_are_read_in_place_of_the_items(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    for one in pods(tmp_path, experiment(deliver="init", scratch="scratch")):
        assert one.variables["TJGEN_DATA_PATH"] == str(one.mounted["/scratch"])
        copied = {str(path.relative_to(one.mounted["/scratch"])) for path in one.mounted["/scratch"].rglob("*") if path.is_file()}
        assert copied == set(run(tmp_path, one.variables))


def test_each_folder_is_read_by_one_node(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path, [f"part-{node}/{item}" for node in range(NODES) for item in ("a", "b/c", "d")])
    found = pods(tmp_path, experiment(deliver="subPath", folder="part-$(INDEX)", over="processes"))
    parts = [run(tmp_path, process) for one in found for process in one.processes()]
    assert Counter(item for part in parts for item in part) == Counter(
        f"part-{node}/{item}" for node in range(NODES) for item in ("a", "b/c", "d")
    )


@pytest.mark.parametrize("by", ["contiguous", "round-robin"])
def test_each_number_is_read_by_one_process(by: str, tmp_path: Path) -> None:
    programs(tmp_path)
    patterns = ["{train,extra}/{08..13}.tar", "last-{a,b}{0..2}"]
    found = pods(tmp_path, experiment({"pattern": patterns}, by=by, deliver="range", over="processes"))
    parts = [run(tmp_path, process, NUMBERS) for one in found for process in one.processes()]
    wanted = [f"{folder}/{number:02}.tar" for folder in ("train", "extra") for number in range(8, 14)]
    wanted += [f"last-{letter}{number}" for letter in "ab" for number in range(3)]
    assert Counter(item for part in parts for item in part) == Counter(wanted)


@pytest.mark.parametrize("nodes", [1, 2, 3, 5])
def test_each_virtual_slice_is_read_by_one_of_any_number_of_nodes(nodes: int, tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    found = pods(tmp_path, experiment(virtual=12, deliver="configMap", over="processes"))
    variables = found[0].processes()
    parts = [
        run(tmp_path, {**process, "GROUP_RANK": str(node), "GROUP_WORLD_SIZE": str(nodes)})
        for node in range(nodes)
        for process in variables
    ]
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_without_torchrun_a_virtual_slice_is_read_by_the_nodes_that_were_asked_for(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    parts = [run(tmp_path, one.variables) for one in pods(tmp_path, experiment(virtual=6))]
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


@pytest.mark.parametrize("within", ["nodes", "processes"])
@pytest.mark.parametrize("by", ["contiguous", "lpt", "hash"])
def test_each_item_is_read_by_one_task(by: str, within: str, tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    text = experiment(by=by, over="tasks", within=within, spec={"tasks": {"a": {}, "b": {"nodes": 1}, "c": {"procsPerNode": 1}}})
    found = pods(tmp_path, text)
    assert len(found) == NODES + 1 + NODES
    parts = []
    for one in found:
        alone = one.processes() if within == "processes" else [one.variables]
        parts += [run(tmp_path, process) for process in alone]
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_under_mpi_ranks_say_which_part_is_whose(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    one, *_ = pods(tmp_path, experiment(by="lpt", deliver="configMap"))
    parts = []
    for rank in range(NODES * PROCESSES):
        ranks = {"RANK": rank, "SIZE": NODES * PROCESSES, "LOCAL_RANK": rank % PROCESSES, "LOCAL_SIZE": PROCESSES}
        environment = {f"OMPI_COMM_WORLD_{name}": str(value) for name, value in ranks.items()}
        lists, data = str(one.mounted["/etc/tjgen/slices"]), str(one.mounted["/corpus"] / "v1")
        parts.append(run(tmp_path, environment, UNDER_MPI, lists, data))
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_lists_above_the_limit_of_a_config_map_are_read_whole(tmp_path: Path) -> None:
    programs(tmp_path)
    stem = "x" * 200
    (tmp_path / "items.txt").write_text("".join(f"{stem}-{number:05}\n" for number in range(18_000)))
    found = pods(tmp_path, experiment({"manifest": "items.txt"}, deliver="configMap"))
    names = "import json, reader; print(json.dumps([path.name for path in reader.items()]))"
    parts = [run(tmp_path, one.variables, names) for one in found]
    assert [int(re.sub(".*-", "", item)) for part in parts for item in part] == list(range(18_000))


def test_the_processes_of_a_node_read_the_same_without_over_processes(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    parts = [run(tmp_path, process) for one in pods(tmp_path, experiment()) for process in one.processes()]
    assert parts[::PROCESSES] == parts[1::PROCESSES]
    assert [item for part in parts[::PROCESSES] for item in part] == ITEMS


def test_padded_processes_read_equally_much(tmp_path: Path) -> None:
    programs(tmp_path)
    corpus(tmp_path)
    found = pods(tmp_path, experiment(over="processes", remainder="pad"))
    parts = [run(tmp_path, process) for one in found for process in one.processes()]
    assert {len(part) for part in parts} == {3}
    assert set().union(*parts) == set(ITEMS)
