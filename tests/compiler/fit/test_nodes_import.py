"""`tjgen nodes import`: nodes without private data, with the labels that runs of the project select."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.compiler.fit.test_fit import POOL, write
from tests.program import tjgen
from tjgen.compiler.fit.labels import selected_labels

LABELS = {
    "kubernetes.io/hostname": "gpu-17.corp.example.com",
    "topology.kubernetes.io/zone": "a",
    "disk": "ssd",
    "row": "4",
    "rack": "7",
    "owner": "ada",
}
NODE = {
    "kind": "Node",
    "metadata": {"name": "gpu-17.corp.example.com", "uid": "0815", "labels": LABELS, "annotations": {"ip": "10.1.2.3"}},
    "spec": {"providerID": "aws:///i-0815", "podCIDR": "10.2.0.0/24", "taints": [{"key": "team", "effect": "NoSchedule"}]},
    "status": {
        "addresses": [{"type": "InternalIP", "address": "10.1.2.3"}],
        "allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110"},
        "images": [{"names": ["secret:1"]}],
    },
}


def imported(folder: Path, *words: str) -> dict[str, str]:
    """The labels of the imported node; everything else has no private data."""
    (folder / "cluster.json").write_text(json.dumps({"kind": "List", "items": [NODE]}), encoding="utf-8")
    answer = tjgen(folder, "nodes", "import", "cluster.json", *words)
    assert (answer.code, answer.err) == (0, "")
    for private in ("corp", "0815", "10.1.", "10.2.", "secret"):
        assert private not in answer.out
    (node,) = yaml.safe_load(answer.out)["items"]
    assert node["spec"] == {"taints": [{"key": "team", "effect": "NoSchedule"}]}
    assert node["status"] == {"allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110"}}
    labels: dict[str, str] = node["metadata"]["labels"]
    return labels


def test_labels_of_hardware_remain(tmp_path: Path) -> None:
    """Outside of a project, and one that an option names."""
    hardware = {"kubernetes.io/hostname": "node-0", "topology.kubernetes.io/zone": "a"}
    assert imported(tmp_path) == hardware
    assert imported(tmp_path, "--label", "owner") == {**hardware, "owner": "ada"}


def test_labels_that_runs_of_the_project_select_remain(tmp_path: Path) -> None:
    """Selectors of an experiment and of its sweep, and the level of a topology."""
    folder = write(
        tmp_path,
        POOL % "",
        small="pod: {nodeSelector: {disk: ssd}}, schedule: {system: kueue, queue: a, topology: {required: rack}}",
        sweep='sweep: {matrix: {pod.nodeSelector.row: ["4"]}}',
    )
    labels = imported(folder)
    assert {"disk", "rack", "row"} <= labels.keys()
    assert "owner" not in labels


@pytest.mark.parametrize(
    ("tree", "labels"),
    [
        pytest.param({"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]}, {"a"}, id="required"),
        pytest.param({"x": [{"preference": {"matchExpressions": [{"key": "a"}]}, "weight": 1}]}, {"a"}, id="preferred"),
        pytest.param({"topologySpreadConstraints": [{"topologyKey": "a"}]}, {"a"}, id="spread"),
        pytest.param({"schedule": {"topology": {"slice": {"level": "a", "size": 2}, "required": "b"}}}, {"a", "b"}, id="slice"),
        pytest.param({"annotations": {"kueue.x-k8s.io/podset-required-topology": "a"}}, {"a"}, id="annotation"),
        pytest.param({"labelSelector": {"matchExpressions": [{"key": "app"}]}}, set(), id="a selector of pods"),
        pytest.param(
            {
                "nodeSelector": "a",
                "nodeSelectorTerms": [1, {"matchExpressions": ["a"]}],
                "topology": {"slice": 3},
                "preference": {"matchExpressions": 3},
            },
            set(),
            id="types",
        ),
        pytest.param({"myNodeSelector.a": 1, "pod.nodeSelector.a.b/c": 1}, {"a.b/c"}, id="paths"),
    ],
)
def test_labels_are_found_anywhere(tree: Any, labels: set[str]) -> None:
    """Values of wrong types have none."""
    assert set(selected_labels(tree)) == labels
