"""What the environments of a project have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  trainer: "2.3"
  environments:
    dev: {DEV}
    prod: {PROD}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec: {runtime: tjgen-torch, image: "train:1", script: train.py}
"""


@pytest.mark.parametrize(
    ("dev", "prod", "place"),
    [
        ("{cluster: red}", "{cluster: red, trainer: '2.1'}", "8:35"),
        ("{cluster: red, trainer: '2.1'}", "{cluster: red}", "5:12"),
        ("{cluster: red}", "{cluster: blue, trainer: '2.1'}", ""),
        ("{cluster: red, trainer: '2.1'}", "{cluster: red, trainer: '2.1'}", ""),
        ("{}", "{trainer: '2.1'}", ""),
    ],
)
def test_environments_of_one_cluster_have_one_release_of_trainer(dev: str, prod: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("{DEV}", dev).replace("{PROD}", prod), encoding="utf-8")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "-o", "deploy")
    assert answer.code == 0, answer.err
    assert (f"warning[TJ228] tjgen.yaml:{place}: environment prod is built for Trainer" in answer.err) == bool(place), answer.err
    assert ("TJ228" in answer.err) == bool(place)
