"""The reader of the page on data slices, in real processes over real files: together they read each item once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.test_pages import blocks
from tests.program import tjgen

NODES, PROCESSES = 3, 2
ITEMS = [f"shard {number}/é-$(X)-{number}.bin" for number in range(17)]
PROGRAM = "import json, reader; print(json.dumps([path.read_text() for path in reader.items()]))"


def experiment(**slices: Any) -> str:
    spec = {
        "runtime": "tjgen-torch",
        "script": "train.py",
        "nodes": NODES,
        "procsPerNode": PROCESSES,
        "volumes": {"corpus": {"pvc": "corpus", "mountPath": "/corpus", "readOnly": True}},
        "data": {
            "volume": "corpus",
            "path": "v1",
            "items": {"list": [{"path": path, "size": 1 + index} for index, path in enumerate(ITEMS)]},
            "slices": slices,
        },
    }
    head = {"apiVersion": "tjgen.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "read", "namespace": "data"}}
    return yaml.safe_dump({**head, "spec": spec})


def environments(folder: Path) -> list[dict[str, str]]:
    """The variables of every process, as the pods of the built JobSet would have them."""
    (folder / "corpus" / "v1").mkdir(parents=True)
    for path in ITEMS:
        file = folder / "corpus" / "v1" / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(path, encoding="utf-8")
    answer = tjgen(folder, "build", "experiment.yaml", "--set", "spec.target=jobset")
    assert answer.code == 0, answer.err
    manifests = {one["kind"]: one for one in yaml.safe_load_all(answer.out)}
    for name, text in manifests.get("ConfigMap", {"data": {}})["data"].items():
        (folder / name).write_text(text, encoding="utf-8")
    [job] = manifests["JobSet"]["spec"]["replicatedJobs"]
    assert job["template"]["spec"]["completions"] == NODES
    [container] = job["template"]["spec"]["template"]["spec"]["containers"]
    mounted = {"/corpus": str(folder / "corpus"), "/etc/tjgen/slices": str(folder)}
    return [
        {**variables(container["env"], str(node), mounted), "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(PROCESSES)}
        for node in range(NODES)
        for rank in range(PROCESSES)
    ]


def variables(env: list[dict[str, Any]], index: str, mounted: Mapping[str, str]) -> dict[str, str]:
    """What kubelet makes of a container's `env` in the pod of a completion index."""
    found: dict[str, str] = {}
    for item in env:
        value = str(item.get("value", index))
        for name, known in found.items():
            value = value.replace("$$(", "\0").replace(f"$({name})", known).replace("\0", "$$(")
        value = value.replace("$$(", "$(")
        for path, here in mounted.items():
            if value.startswith(path):
                value = here + value.removeprefix(path)
        found[item["name"]] = value
    return {name: value for name, value in found.items() if name.startswith("TJGEN_")}


def reader(folder: Path) -> None:
    """Write the reader of the page."""
    [text] = [block.text for block in blocks("docs/how-to/data-slices.md") if block.which == "reader.py"]
    (folder / "reader.py").write_text(text, encoding="utf-8")


def read(folder: Path, environment: dict[str, str]) -> list[str]:
    command = [sys.executable, "-c", PROGRAM]
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    items: list[str] = json.loads(answer.stdout)
    return items


@pytest.mark.parametrize("deliver", ["env", "configMap"])
@pytest.mark.parametrize("by", ["round-robin", "lpt", "rendezvous"])
def test_each_item_is_read_by_one_process(by: str, deliver: str, tmp_path: Path) -> None:
    reader(tmp_path)
    (tmp_path / "experiment.yaml").write_text(experiment(by=by, deliver=deliver, over="processes"))
    parts = [read(tmp_path, environment) for environment in environments(tmp_path)]
    assert len(parts) == NODES * PROCESSES
    assert Counter(item for part in parts for item in part) == Counter(ITEMS)


def test_the_processes_of_a_node_read_the_same_without_over_processes(tmp_path: Path) -> None:
    reader(tmp_path)
    (tmp_path / "experiment.yaml").write_text(experiment())
    parts = [read(tmp_path, environment) for environment in environments(tmp_path)]
    assert parts[::PROCESSES] == parts[1::PROCESSES]
    assert [item for part in parts[::PROCESSES] for item in part] == ITEMS


def test_padded_processes_read_equally_much(tmp_path: Path) -> None:
    reader(tmp_path)
    (tmp_path / "experiment.yaml").write_text(experiment(over="processes", remainder="pad"))
    parts = [read(tmp_path, environment) for environment in environments(tmp_path)]
    assert {len(part) for part in parts} == {3}
    assert set().union(*parts) == set(ITEMS)
