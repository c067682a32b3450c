"""A run with a fixed name whose number of pods changes: in place where the cluster accepts it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen
from tjgen.language.runs.freeze import scales_in_place

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec: {experiments: [experiments], output: {directory: out}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: digits, namespace: vision}}
spec:
  runtime: {runtime}
  target: {target}
  naming: fixed
  image: {image}
  command: [python, train.py]
  nodes: {nodes}
  schedule: {schedule}
"""


def build(folder: Path, nodes: int, runtime: str = "tjgen-plain", target: str = "volcanojob", image: str = "train:1") -> Answer:
    (folder / "experiments").mkdir(exist_ok=True)
    (folder / "tjgen.yaml").write_text(PROJECT)
    schedule = "{queue: q}" if target == "volcanojob" else "{}"
    (folder / "experiments/digits.yaml").write_text(
        EXPERIMENT.format(nodes=nodes, runtime=runtime, target=target, image=image, schedule=schedule)
    )
    return tjgen(folder, "build", "-o", "out")


def job(folder: Path) -> Any:
    (path,) = (folder / "out/runs").rglob("job-digits.yaml")
    return yaml.safe_load(path.read_text())


def test_a_volcano_job_scales_under_its_name(tmp_path: Path) -> None:
    assert build(tmp_path, 2).code == 0
    scaled = build(tmp_path, 4)
    assert scaled.code == 0
    assert "info[TJ398] experiments/digits.yaml:7:11" in scaled.err
    assert (job(tmp_path)["spec"]["minAvailable"], job(tmp_path)["spec"]["tasks"][0]["replicas"]) == (4, 4)
    again = build(tmp_path, 4)
    assert again.err == "runs: 0 new, 1 unchanged, 0 kept, 0 removed\n"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"nodes": 2, "image": "train:2"}, id="another image"),
        pytest.param({"nodes": 4, "image": "train:2"}, id="another size and image"),
    ],
)
def test_other_changes_need_another_name(tmp_path: Path, change: dict[str, Any]) -> None:
    assert build(tmp_path, 2).code == 0
    before = job(tmp_path)
    refused = build(tmp_path, **change)
    assert refused.code == 1
    assert "TJ074" in refused.err
    assert job(tmp_path) == before


@pytest.mark.parametrize(("runtime", "target"), [("tjgen-torch", "volcanojob"), ("tjgen-plain", "trainjob")])
def test_pods_that_know_their_number_and_other_kinds_do_not_scale(tmp_path: Path, runtime: str, target: str) -> None:
    assert build(tmp_path, 2, runtime, target).code == 0
    assert "TJ074" in build(tmp_path, 4, runtime, target).err


def test_a_file_that_was_edited_by_hand_does_not_scale(tmp_path: Path) -> None:
    assert build(tmp_path, 2).code == 0
    (path,) = (tmp_path / "out/runs").rglob("job-digits.yaml")
    path.write_text(path.read_text().replace("train:1", "train:9"))
    assert "TJ074" in build(tmp_path, 4).err


def volcano(**spec: Any) -> Any:
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec}


def test_only_what_the_webhook_lets_change_scales() -> None:
    old = volcano(minAvailable=1, queue="q", tasks=[{"name": "a", "replicas": 1}])
    size = volcano(minAvailable=2, queue="q", priorityClassName="high", tasks=[{"name": "a", "replicas": 2, "minAvailable": 1}])
    assert scales_in_place({"job": old}, {"job": size})
    assert not scales_in_place({"job": old}, {"job": volcano(minAvailable=1, queue="r", tasks=[{"name": "a", "replicas": 1}])})
    assert not scales_in_place({"job": old}, {"job": volcano(**{**old["spec"], "tasks": [*old["spec"]["tasks"], {"name": "b"}]})})
    assert not scales_in_place({"job": old}, {"job": size, "more": size})
    assert not scales_in_place({}, {})
