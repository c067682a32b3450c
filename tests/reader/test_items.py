"""The module `tjgen_data` in real processes over real files, with the variables of a build's pods: each item is read once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.program import tjgen

NODES, PROCESSES, WORKERS = 3, 2, 2
ITEMS = [f"shard {number}/é-$(X)-{number}.bin" for number in range(17)]
DELIVERIES = [{"deliver": "env"}, {"deliver": "configMap"}, {"deliver": "init", "scratch": "scratch"}]
TEXTS = "import json; from tjgen_data import items; print(json.dumps([path.read_text() for path in items()]))"
NAMED = "import json, sys; from tjgen_data import items; print(json.dumps([path.read_text() for path in items(sys.argv[1])]))"
WORKER = f"""
import json
from tjgen_data import items
parts = [items(worker=worker, workers={WORKERS}) for worker in range({WORKERS})]
print(json.dumps([[path.read_text() for path in part] for part in parts]))
"""
NUMBERS = """
import json, sys
from tjgen_data import folder, items
print(json.dumps([str(path.relative_to(folder())) for path in items()]))
"""
RANGES = """
import json
from tjgen_data import items, ranges
numbers = [number for one in ranges() for number in one]
assert list(items()) == numbers
print(json.dumps(numbers))
"""
UNDER_MPI = """
import json, sys
from tjgen_data import items
print(json.dumps([path.read_text() for path in items(lists=sys.argv[1], data=sys.argv[2])]))
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
    data = {"volume": "corpus", "path": path, "items": items or listed, "slices": slices, "reader": "v1"}
    if slices.get("deliver") == "subPath":
        del data["items"]
    whole: dict[str, Any] = {
        "runtime": "tjgen-torch",
        "image": "registry.example/train:1",
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
    volumes: dict[str, Path] = {"scratch": folder / "scratch"}
    volumes |= {name: corpus.parent / name for name in ("corpus", "other", "rest")}
    (folder / "scratch").mkdir(parents=True)
    for volume in spec["volumes"]:
        names = [volume["configMap"]["name"]] if "configMap" in volume else []
        names += [one["configMap"]["name"] for one in volume.get("projected", {}).get("sources", [])]
        for name in names:
            volumes[volume["name"]] = folder / volume["name"]
            (folder / volume["name"]).mkdir(exist_ok=True)
            for file, text in maps[name].items():
                (folder / volume["name"] / file).write_text(text, encoding="utf-8")
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
    here = {name: placed(value, mounted) for name, value in said.items() if name.startswith("TJGEN_") or name == "PYTHONPATH"}
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


def run(folder: Path, environment: Mapping[str, str], program: str = TEXTS, *words: str) -> list[Any]:
    command = [sys.executable, "-c", program, *words]
    answer = subprocess.run(command, cwd=folder, env={**environment}, capture_output=True, text=True, check=True)
    items: list[Any] = json.loads(answer.stdout)
    return items


@pytest.mark.parametrize("deliver", DELIVERIES, ids=lambda one: one["deliver"])
@pytest.mark.parametrize("by", ["round-robin", "lpt", "rendezvous"])
def test_each_item_is_read_by_one_process(by: str, deliver: dict[str, Any], tmp_path: Path) -> None:
    corpus(tmp_path)
    found = pods(tmp_path, experiment(by=by, over="processes", **deliver))
    parts = [run(tmp_path, process) for one in found for process in one.processes()]
    assert len(parts) == NODES * PROCESSES
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_each_item_is_read_by_one_worker_of_one_process(tmp_path: Path) -> None:
    corpus(tmp_path)
    found = pods(tmp_path, experiment(over="processes", workers=WORKERS, remainder="pad"))
    parts = [part for one in found for process in one.processes() for part in run(tmp_path, process, WORKER)]
    assert {len(part) for part in parts} == {2}
    assert set().union(*parts) == set(ITEMS)


def test_copies_are_read_in_place_of_the_items(tmp_path: Path) -> None:
    corpus(tmp_path)
    for one in pods(tmp_path, experiment(deliver="init", scratch="scratch")):
        assert one.variables["TJGEN_DATA_PATH"] == str(one.mounted["/scratch"])
        copied = {str(path.relative_to(one.mounted["/scratch"])) for path in one.mounted["/scratch"].rglob("*") if path.is_file()}
        assert copied == set(run(tmp_path, one.variables))


def test_each_folder_is_read_by_one_node(tmp_path: Path) -> None:
    corpus(tmp_path, [f"part-{node}/{item}" for node in range(NODES) for item in ("a", "b/c", "d")])
    found = pods(tmp_path, experiment(deliver="subPath", folder="part-$(INDEX)", over="processes"))
    parts = [run(tmp_path, process) for one in found for process in one.processes()]
    assert Counter(item for part in parts for item in part) == Counter(
        f"part-{node}/{item}" for node in range(NODES) for item in ("a", "b/c", "d")
    )


@pytest.mark.parametrize("by", ["contiguous", "round-robin"])
def test_each_number_is_read_by_one_process(by: str, tmp_path: Path) -> None:
    patterns = ["{train,extra}/{08..13}.tar", "last-{a,b}{0..2}"]
    found = pods(tmp_path, experiment({"pattern": patterns}, by=by, deliver="range", over="processes"))
    parts = [run(tmp_path, process, NUMBERS) for one in found for process in one.processes()]
    wanted = [f"{folder}/{number:02}.tar" for folder in ("train", "extra") for number in range(8, 14)]
    wanted += [f"last-{letter}{number}" for letter in "ab" for number in range(3)]
    assert Counter(item for part in parts for item in part) == Counter(wanted)


@pytest.mark.parametrize("nodes", [1, 2, 3, 5])
def test_each_virtual_slice_is_read_by_one_of_any_number_of_nodes(nodes: int, tmp_path: Path) -> None:
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
    corpus(tmp_path)
    parts = [run(tmp_path, one.variables) for one in pods(tmp_path, experiment(virtual=6))]
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


@pytest.mark.parametrize("within", ["nodes", "processes"])
@pytest.mark.parametrize("by", ["contiguous", "lpt", "hash"])
def test_each_item_is_read_by_one_task(by: str, within: str, tmp_path: Path) -> None:
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
    corpus(tmp_path)
    one, *_ = pods(tmp_path, experiment(by="lpt", deliver="configMap"))
    parts = []
    for rank in range(NODES * PROCESSES):
        ranks = {"RANK": rank, "SIZE": NODES * PROCESSES, "LOCAL_RANK": rank % PROCESSES, "LOCAL_SIZE": PROCESSES}
        environment = {f"OMPI_COMM_WORLD_{name}": str(value) for name, value in ranks.items()}
        environment["PYTHONPATH"] = one.variables["PYTHONPATH"]
        lists, data = str(one.mounted["/etc/tjgen/slices"]), str(one.mounted["/corpus"] / "v1")
        parts.append(run(tmp_path, environment, UNDER_MPI, lists, data))
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


@pytest.mark.parametrize(
    "slices",
    [{"deliver": "env"}, {"deliver": "configMap"}, {"deliver": "configMap", "mountPath": "/lists"}, {"virtual": 8}],
    ids=["env", "configMap", "mountPath", "virtual"],
)
def test_ranks_read_each_item_once_by_the_variables_that_mpirun_forwards(slices: dict[str, Any], tmp_path: Path) -> None:
    corpus(tmp_path)
    text = experiment(**slices, spec={"runtime": "tjgen-mpi", "target": "mpijob"})
    forwarded = forwarded_by_launcher(tmp_path, text)
    parts = []
    for rank in range(NODES * PROCESSES):
        ranks = {"RANK": rank, "SIZE": NODES * PROCESSES, "LOCAL_RANK": rank % PROCESSES, "LOCAL_SIZE": PROCESSES}
        parts.append(run(tmp_path, {**forwarded, **{f"OMPI_COMM_WORLD_{name}": str(value) for name, value in ranks.items()}}))
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def forwarded_by_launcher(folder: Path, text: str) -> dict[str, str]:
    """The variables behind -x of the launcher, with its values."""
    (folder / "experiment.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    manifests = list(yaml.safe_load_all(answer.out))
    maps = {one["metadata"]["name"]: one["data"] for one in manifests if one["kind"] == "ConfigMap"}
    [job] = [one["spec"]["mpiReplicaSpecs"]["Launcher"] for one in manifests if one["kind"] == "MPIJob"]
    launcher = pod(folder / "launcher", folder / "corpus", maps, {"template": {"spec": job}}, 0)
    [main] = job["template"]["spec"]["containers"]
    names = [word for before, word in pairwise(main["command"]) if before == "-x"]
    return {name: launcher.variables[name] for name in names}


def test_processes_of_paddle_read_their_own_items(tmp_path: Path) -> None:
    corpus(tmp_path)
    parts = []
    for one in pods(tmp_path, experiment(by="lpt", over="processes")):
        for rank in range(PROCESSES):
            variables = {"PADDLE_LOCAL_RANK": str(rank), "PADDLE_LOCAL_SIZE": str(PROCESSES)}
            parts.append(run(tmp_path, {**one.variables, **variables}))
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_lists_above_the_limit_of_a_config_map_are_read_whole(tmp_path: Path) -> None:
    (tmp_path / "corpus/v1").mkdir(parents=True)
    stem = "x" * 200
    (tmp_path / "items.txt").write_text("".join(f"{stem}-{number:05}\n" for number in range(18_000)))
    found = pods(tmp_path, experiment({"manifest": "items.txt"}, deliver="configMap"))
    names = "import json; from tjgen_data import items; print(json.dumps([path.name for path in items()]))"
    parts = [run(tmp_path, one.variables, names) for one in found]
    assert [int(re.sub(".*-", "", item)) for part in parts for item in part] == list(range(18_000))


def test_the_processes_of_a_node_read_the_same_without_over_processes(tmp_path: Path) -> None:
    corpus(tmp_path)
    parts = [run(tmp_path, process) for one in pods(tmp_path, experiment()) for process in one.processes()]
    assert parts[::PROCESSES] == parts[1::PROCESSES]
    assert [item for part in parts[::PROCESSES] for item in part] == ITEMS


def test_padded_processes_read_equally_much(tmp_path: Path) -> None:
    corpus(tmp_path)
    found = pods(tmp_path, experiment(over="processes", remainder="pad"))
    parts = [run(tmp_path, process) for one in found for process in one.processes()]
    assert {len(part) for part in parts} == {3}
    assert set().union(*parts) == set(ITEMS)


SETS: dict[str, Any] = {
    "train": {"volume": "corpus", "path": "v1", "items": {"list": ITEMS}, "slices": {"over": "processes", "by": "lpt"}},
    "hold-out": {"volume": "other", "path": "v1", "items": {"list": ITEMS}, "slices": {"over": "processes"}},
    "rest": {"volume": "rest", "path": "v1"},
}


def several(deliver: dict[str, Any]) -> str:
    sizes = {"list": [{"path": path, "size": 1 + index} for index, path in enumerate(ITEMS)]}
    sets: dict[str, Any] = {name: {**one} for name, one in SETS.items()}
    sets["train"] |= {"items": sizes}
    for name in ("train", "hold-out"):
        sets[name] |= {"slices": {**SETS[name]["slices"], **deliver}}
    names = ("corpus", "other", "rest")
    volumes: dict[str, Any] = {name: {"pvc": name, "mountPath": f"/{name}", "readOnly": True} for name in names}
    volumes["scratch"] = {"emptyDir": {}, "mountPath": "/scratch"}
    data: dict[str, Any] = {"sets": sets, "reader": "v1"}
    return experiment(spec={"data": data, "volumes": volumes})


@pytest.mark.parametrize(
    "deliver",
    [{"deliver": "env"}, {"deliver": "configMap"}, {"deliver": "init", "scratch": "scratch"}],
    ids=lambda one: one["deliver"],
)
def test_each_item_of_each_data_set_is_read_by_one_process(deliver: dict[str, Any], tmp_path: Path) -> None:
    corpus(tmp_path)
    for name in ("other", "rest"):
        (tmp_path / name).symlink_to("corpus", target_is_directory=True)
    started_pods = pods(tmp_path, several(deliver))
    for name in ("train", "hold-out"):
        parts = [run(tmp_path, process, NAMED, name) for one in started_pods for process in one.processes()]
        assert Counter(item for part in parts for item in part) == Counter(ITEMS)
    assert Counter(run(tmp_path, started_pods[1].variables, NAMED, "rest")) == Counter(ITEMS)


@pytest.mark.parametrize("by", ["contiguous", "round-robin"])
def test_each_counted_row_is_read_by_one_process(by: str, tmp_path: Path) -> None:
    started_pods = pods(tmp_path, experiment({"count": 1003}, by=by, deliver="range", over="processes", virtual=12))
    parts = [run(tmp_path, process, RANGES) for one in started_pods for process in one.processes()]
    assert sorted(item for part in parts for item in part) == list(range(1003))


def failure(folder: Path, environment: Mapping[str, str], program: str) -> str:
    command = [sys.executable, "-c", f"from tjgen_data import *\n{program}"]
    answer = subprocess.run(command, cwd=folder, env={**environment}, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    return answer.stderr.splitlines()[-1]


def test_what_a_process_cannot_read_is_an_error(tmp_path: Path) -> None:
    one, *_ = pods(tmp_path, experiment(virtual=6))
    assert failure(tmp_path, one.variables, 'items("train")').endswith("its only data set has no name")
    assert failure(tmp_path, one.variables, "ranges()").endswith("set deliver: range in its slices")
    assert failure(tmp_path, one.variables, "items(worker=2, workers=2)").endswith("worker 2 of 2 does not exist")
    alone = {"PYTHONPATH": one.variables["PYTHONPATH"]}
    assert "this process has no data set: " in failure(tmp_path, alone, "items()")
    names = {**alone, "TJGEN_DATA_PATH_TRAIN": "/a", "TJGEN_DATA_PATH_HOLD_OUT": "/b"}
    assert failure(tmp_path, names, "items()").endswith("this pod has several data sets: name one of hold-out, train")
    assert failure(tmp_path, names, 'folder("trial")').endswith('no data set "trial": name one of hold-out, train')
    # Each node would read the whole folder: mpirun hides the variable that has the slices.
    under_mpi = {**alone, "OMPI_COMM_WORLD_RANK": "0"}
    assert failure(tmp_path, under_mpi, f'items(data="{tmp_path}")').endswith(
        "set deliver: configMap in the slices of the data set"
    )


def test_items_are_a_sequence(tmp_path: Path) -> None:
    one, *_ = pods(tmp_path, experiment({"pattern": ["a-{0..4}", "b-{x,y}"]}, deliver="range", spec={"nodes": 1}))
    program = """
import json
from tjgen_data import items
names = items(load=lambda path: path.name)
assert names[-1] == "b-y" and names[1:3] == ["a-1", "a-2"] and len(names) == 7
try:
    names[7]
except IndexError:
    print(json.dumps(list(names)))
"""
    assert run(tmp_path, one.variables, program) == ["a-0", "a-1", "a-2", "a-3", "a-4", "b-x", "b-y"]


def test_a_folder_without_slices_is_read_without_marks(tmp_path: Path) -> None:
    corpus(tmp_path, ["a", "b/c", ".tjgen-prefetch/x/content/a", "lost+found/y"])
    one, *_ = pods(tmp_path, experiment(deliver="subPath", folder="$(INDEX)", spec={"nodes": 1}, path=None))
    variables = {**one.variables, "TJGEN_DATA_PATH": str(tmp_path / "corpus" / "v1")}
    assert run(tmp_path, variables) == ["a", "b/c"]


TORCH = {
    "torch/__init__.py": "",
    "torch/utils/__init__.py": "",
    "torch/utils/data.py": """
info = None
class IterableDataset:
    pass
def get_worker_info():
    return info
""",
    "tensorflow.py": """
string, int64 = "string", "int64"
def TensorSpec(shape, kind):
    return kind
class data:
    class Dataset:
        @staticmethod
        def from_generator(generator, output_signature):
            return [output_signature, list(generator())]
""",
}
"""The part of each framework that the module uses: the frameworks themselves have hundreds of megabytes."""
WITH_TORCH = """
import json, pickle, types
import torch.utils.data as data
from tjgen_data import torch_dataset, webdataset_shards
known = pickle.loads(pickle.dumps(torch_dataset(load=str)))
assert isinstance(known, data.IterableDataset)
parts = []
for make in (lambda: list(known), lambda: [one["url"] for one in pickle.loads(pickle.dumps(webdataset_shards()))()]):
    read = []
    for worker in range(2):
        data.info = types.SimpleNamespace(id=worker, num_workers=2)
        read.append(make())
    parts.append(read)
data.info = None
assert sorted(known) == sorted(parts[0][0] + parts[0][1])
assert parts[0] == parts[1]
print(json.dumps([path for part in parts[0] for path in part]))
"""
WITH_TENSORFLOW = "import json; from tjgen_data import tensorflow_dataset; print(json.dumps(tensorflow_dataset()))"


def test_frameworks_read_each_item_once(tmp_path: Path) -> None:
    corpus(tmp_path)
    for name, text in TORCH.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    started_pods = pods(tmp_path, experiment(over="processes", workers=2))
    processes = [process for one in started_pods for process in one.processes()]
    paths = [path for process in processes for path in run(tmp_path, process, WITH_TORCH)]
    assert Counter(Path(path).name for path in paths) == Counter(Path(path).name for path in ITEMS)
    answers = [run(tmp_path, process, WITH_TENSORFLOW) for process in processes]
    assert {kind for kind, _ in answers} == {"string"}
    assert sorted(path for _, part in answers for path in part) == sorted(paths)


def test_tensorflow_reads_numbers(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text(TORCH["tensorflow.py"])
    one, *_ = pods(tmp_path, experiment({"count": 4}, deliver="range", spec={"nodes": 1}))
    assert run(tmp_path, one.variables, WITH_TENSORFLOW) == ["int64", [0, 1, 2, 3]]
