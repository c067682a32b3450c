"""`tjgen build --summary` of sliced data: how even the slices are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import tjgen

EXPERIMENT = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: sum, namespace: data}
spec:
  runtime: tjgen-plain
  naming: fixed
  command: [count]
  nodes: 2
  volumes:
    corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}
"""
DATA = """
  data:
    volume: corpus
    items: {list: %s}
    slices: %s
"""
SIZED = "[{path: a, size: 3Gi}, {path: b, size: 512Mi}, {path: c, size: 512Mi}]"
HEADER = ["RUN", "BY", "SLICES", "ITEMS", "FEWEST", "MOST", "SMALLEST", "LARGEST", "LARGEST/MEAN", "LEFT", "OUT", "REPEATED"]


@pytest.mark.parametrize(
    ("items", "slices", "row"),
    [
        pytest.param(SIZED, "{by: lpt}", "sum lpt 2 3 1 2 1.0Gi 3.0Gi 1.500 - -", id="by size"),
        pytest.param("[a, b, c]", "{}", "sum contiguous 2 3 1 2 - - 1.333 - -", id="without sizes"),
        pytest.param("[a, b, c]", "{remainder: drop}", "sum contiguous 2 3 1 1 - - 1.000 1 -", id="one left out"),
        pytest.param("[a, b, c]", "{remainder: pad}", "sum contiguous 2 3 2 2 - - 1.000 - 1", id="one twice"),
        pytest.param(
            "[{path: a, size: 1000}, {path: b, size: 24}]", "{}", "sum contiguous 2 2 1 1 24 1000 1.953 - -", id="bytes"
        ),
    ],
)
def test_how_even_slices_are(items: str, slices: str, row: str, tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT + DATA % (items, slices))
    answer = tjgen(tmp_path, "build", "experiment.yaml", "--summary")
    assert (answer.code, answer.err) == (0, "")
    _, _, table = answer.out.partition("\n\n")
    assert [line.split() for line in table.splitlines()] == [HEADER, row.split()]


def test_there_is_no_table_where_nothing_is_sliced(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT)
    assert "\n\n" not in tjgen(tmp_path, "build", "experiment.yaml", "--summary").out


PROJECT = """
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  platforms: [lab.yaml, main.yaml]
  environments:
    dev: {namespace: dev, platform: lab}
    test: {namespace: test, platform: lab}
    prod: {namespace: prod, platform: main}
"""
PLATFORM = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: %s}\nspec: {}\n"
OF_TEAM = """
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: %s, labels: {team: %s}}
spec: {runtime: tjgen-torch, naming: fixed, image: registry.example.com/a:1, script: train.py, gpu: "h100:%s", sharedMemory: 1Gi}
"""


@pytest.fixture
def clusters(tmp_path: Path) -> Path:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT)
    for name in ("lab", "main"):
        (tmp_path / f"{name}.yaml").write_text(PLATFORM % name)
    for name, team, devices in (("one", "vision", 1), ("two", "nlp", 2)):
        (tmp_path / f"experiments/{name}.yaml").write_text(OF_TEAM % (name, team, devices))
    return tmp_path


def test_each_cluster_has_totals_of_its_own(clusters: Path) -> None:
    answer = tjgen(clusters, "build", "--summary", "-q")
    assert [line.split() for line in answer.out.splitlines()] == [
        ["ENVIRONMENT", "NAMESPACE", "EXPERIMENT", "RUN", "STATE", "CLASS", "PODS", "nvidia.com/gpu", "STORAGE"],
        ["dev", "dev", "one", "one", "current", "h100", "1", "1", "-"],
        ["prod", "prod", "one", "one", "current", "h100", "1", "1", "-"],
        ["test", "test", "one", "one", "current", "h100", "1", "1", "-"],
        ["dev", "dev", "two", "two", "current", "h100", "1", "2", "-"],
        ["prod", "prod", "two", "two", "current", "h100", "1", "2", "-"],
        ["test", "test", "two", "two", "current", "h100", "1", "2", "-"],
        ["lab", "TOTAL", "all", "4", "6", "-"],
        ["lab", "TOTAL", "of", "team", "nlp", "all", "2", "4", "-"],
        ["lab", "TOTAL", "of", "team", "vision", "all", "2", "2", "-"],
        ["main", "TOTAL", "all", "2", "3", "-"],
        ["main", "TOTAL", "of", "team", "nlp", "all", "1", "2", "-"],
        ["main", "TOTAL", "of", "team", "vision", "all", "1", "1", "-"],
    ]


def test_columns_are_aligned(clusters: Path) -> None:
    head, *lines = tjgen(clusters, "build", "--summary", "-q").out.splitlines()
    ends = [head.index(name) + len(name) for name in ("PODS", "nvidia.com/gpu", "STORAGE")]
    assert all(
        len(line) == ends[-1] and all(line[end - 1] != " " and line[end : end + 1] in ("", " ") for end in ends) for line in lines
    )


def test_data_for_programs_combines_no_clusters(clusters: Path) -> None:
    found = json.loads(tjgen(clusters, "build", "--summary", "-q", "--format", "json").out)
    assert (found["total"], found["totals"]) == (None, None)
    assert {name: one["total"]["requests"]["nvidia.com/gpu"] for name, one in found["clusters"].items()} == {
        "lab": "6",
        "main": "3",
    }
    assert found["clusters"]["lab"]["teams"]["nlp"]["requests"]["nvidia.com/gpu"] == "4"
    own = {key: found["runs"][0][key] for key in ("name", "environment", "cluster", "namespace", "experiment", "class", "team")}
    assert [*own.values()] == ["one", "dev", "lab", "dev", "one", "h100", "vision"]


def test_one_cluster_has_one_total(clusters: Path) -> None:
    found = json.loads(tjgen(clusters, "build", "--summary", "-q", "--format", "json", "--env", "dev").out)
    assert found["total"] == found["clusters"]["lab"]["total"]
