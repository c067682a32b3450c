"""What a change of code does to runs: another content is another run, and nothing else is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: run, namespace: team}
spec:
  runtime: tjgen-torch
  image: registry.example/train:1
  script: train.py
"""
WAYS = {
    "configMap": "code: {configMap: src}",
    "workspace": "code: {workspace: {pvc: homes, directory: src}}",
    "build": "code: {build: {image: registry.example/team/run, directory: src}}",
    "git": "code: {git: {repository: 'https://git.example/x', commit: HEAD, path: src}}",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("x = 1\n")
    git(tmp_path, "init", "-q")
    committed(tmp_path)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def committed(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")


def built(folder: Path, said: str) -> dict[str, list[dict[str, object]]]:
    """Objects by kind."""
    (folder / "experiment.yaml").write_text(f"{EXPERIMENT}  {said}\n")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0, answer.err
    found: dict[str, list[dict[str, object]]] = {}
    for tree in yaml.safe_load_all(answer.out):
        found.setdefault(tree["kind"], []).append(tree)
    return found


def run(folder: Path, said: str) -> str:
    (job,) = built(folder, said)["TrainJob"]
    metadata = job["metadata"]
    assert isinstance(metadata, dict)
    return str(metadata["name"])


@pytest.mark.parametrize("way", WAYS)
def test_another_content_is_another_run_and_the_same_content_the_same(folder: Path, way: str) -> None:
    before = run(folder, WAYS[way])
    (folder / "src/.hidden").write_text("x")
    (folder / "beside.txt").write_text("x")
    git(folder, "add", "beside.txt")
    git(folder, "commit", "-q", "-m", "beside")
    assert run(folder, WAYS[way]) == before
    (folder / "src/train.py").write_text("x = 2\n")
    committed(folder)
    assert run(folder, WAYS[way]) != before


def test_how_an_image_is_built_is_no_part_of_a_run(folder: Path) -> None:
    plain = built(folder, "code: {build: {image: registry.example/team/run, directory: src}}")
    other = built(
        folder, "code: {build: {image: registry.example/team/run, directory: src, builder: kaniko, cpu: 4, secret: push}}"
    )
    assert plain["TrainJob"] == other["TrainJob"]
    assert plain["Job"] != other["Job"]


def test_packages_alone_are_built_once_whatever_the_code_is(folder: Path) -> None:
    said = "code: {configMap: src, build: {image: registry.example/team/run, directory: src, packages: [einops==0.8.0]}}"
    before = built(folder, said)
    (folder / "src/train.py").write_text("x = 2\n")
    after = built(folder, said)
    assert before["Job"] == after["Job"]
    assert before["TrainJob"] != after["TrainJob"]


def test_too_much_is_refused_with_the_largest_file(folder: Path) -> None:
    (folder / "src/weights.bin").write_bytes(bytes(1024 * 1024))
    (folder / "experiment.yaml").write_text(f"{EXPERIMENT}  {WAYS['configMap']}\n")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 1
    assert "TJ449" in answer.err and "weights.bin (1048576 bytes)" in answer.err


def test_code_that_is_not_committed_is_reported(folder: Path) -> None:
    (folder / "src/train.py").write_text("x = 2\n")
    (folder / "experiment.yaml").write_text(f"{EXPERIMENT}  {WAYS['git']}\n")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert answer.code == 0
    assert "warning[TJ443]" in answer.err and "1 file of the code" in answer.err


def test_a_module_that_nobody_brings_is_reported_where_it_is_imported(folder: Path) -> None:
    (folder / "src/train.py").write_text("import os\nimport cv2\n")
    (folder / "src/requirements.txt").write_text("numpy==2.1.0\n")
    (folder / "experiment.yaml").write_text(f"{EXPERIMENT}  {WAYS['build']}\n")
    answer = tjgen(folder, "build", "experiment.yaml")
    assert "warning[TJ453]" in answer.err
    assert "train.py:2 imports cv2" in answer.err and "list opencv-python-headless" in answer.err


def test_an_overlay_chooses_the_way_of_an_environment(folder: Path) -> None:
    (folder / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\n"
        "spec: {experiments: [experiment.yaml], overlays: [prod.yaml], environments: {dev: {}, prod: {}}}\n"
    )
    (folder / "prod.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Overlay\nmetadata: {name: prod}\n"
        "spec: {match: {environments: [prod]}, experiment: {code: {use: build}}}\n"
    )
    said = "code: {use: configMap, configMap: src, build: {image: registry.example/team/run, directory: src}}"
    (folder / "experiment.yaml").write_text(f"{EXPERIMENT}  {said}\n")
    dev, prod = (tjgen(folder, "build", "--env", environment) for environment in ("dev", "prod"))
    assert (dev.code, prod.code) == (0, 0), dev.err + prod.err
    assert "kind: Job\n" not in dev.out and "name: run-code-" in dev.out
    assert "kind: Job\n" in prod.out and "image: registry.example/team/run:tjgen-" in prod.out


@pytest.mark.parametrize("way", ["configMap", "build"])
def test_the_runs_of_a_sweep_share_one_object(folder: Path, way: str) -> None:
    sweep = "  sweep: {matrix: {spec.attempt: [1, 2]}}"
    (folder / "experiment.yaml").write_text(f"{EXPERIMENT}  {WAYS[way]}\n{sweep}\n")
    answer = tjgen(folder, "build", "-o", "deploy", "experiment.yaml")
    assert answer.code == 0, answer.err
    assert len(list((folder / "deploy").rglob("trainjob-*.yaml"))) == 2
    assert [file.parent.parent.name for file in (folder / "deploy").rglob("configmap-*.yaml")] == ["data"]
