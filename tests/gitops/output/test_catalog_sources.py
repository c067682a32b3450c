"""The files of runtimes of a catalog name their source relative to the project, not to the folder of the command."""

from __future__ import annotations

import os
from pathlib import Path

from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: lab}
spec: {experiments: [experiments], catalogs: [catalog], output: {directory: deploy}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: plain, namespace: vision}
spec: {runtime: house, image: "registry.example.com/train:1", script: train.py}
"""
BUNDLED = Path(__file__).parents[3] / "runtimes/tjgen-torch.yaml"


def test_a_build_in_another_folder_changes_nothing(tmp_path: Path) -> None:
    project = tmp_path / "teams/lab"
    runtime = BUNDLED.read_text(encoding="utf-8").replace("name: tjgen-torch", "name: house", 1)
    for name, text in {
        "tjgen.yaml": PROJECT,
        "experiments/plain.yaml": EXPERIMENT,
        "catalog/house.yaml": runtime,
    }.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    answer = tjgen(project, "build")
    assert answer.code == 0, answer.err
    (written,) = project.glob("deploy/runtimes/vision/house-*.yaml")
    before = written.read_bytes()
    assert b"\n# source: catalog/house.yaml\n" in before
    for folder, words in ((project / "experiments", ["build"]), (tmp_path, ["build", "-C", os.path.join("teams", "lab")])):
        assert tjgen(folder, *words, "--check").code == 0
        assert tjgen(folder, *words).code == 0
        assert written.read_bytes() == before
