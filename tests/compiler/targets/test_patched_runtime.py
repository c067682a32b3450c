"""A patch that reaches an emitted runtime: its name goes on following its content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: ml}}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
  patches: {patches}
"""
PATCH = "{{quick: {{target: {{kind: TrainingRuntime}}, merge: {{{merge}}}}}}}"
RESTARTS = PATCH.format(merge="spec: {template: {spec: {failurePolicy: {maxRestarts: 9}}}}")


def built(folder: Path, **patches: str) -> list[Any]:
    """The objects of one experiment for each of `patches`."""
    for name, patch in patches.items():
        (folder / f"{name}.yaml").write_text(EXPERIMENT.format(name=name, patches=patch), encoding="utf-8")
    answer = tjgen(folder, "build", *[f"{name}.yaml" for name in patches])
    assert (answer.code, answer.err) == (0, "")
    return list(yaml.safe_load_all(answer.out))


def test_two_contents_have_two_names_and_each_run_refers_to_its_own(tmp_path: Path) -> None:
    objects = built(tmp_path, plain="{}", patched=RESTARTS)
    runtimes = {one["metadata"]["name"]: one for one in objects if one["kind"] == "TrainingRuntime"}
    jobs = [one for one in objects if one["kind"] == "TrainJob"]
    referred = [one["spec"]["runtimeRef"]["name"] for one in jobs]
    assert len(set(referred)) == 2
    assert set(referred) == set(runtimes)
    restarts = [runtimes[name]["spec"]["template"]["spec"]["failurePolicy"]["maxRestarts"] for name in referred]
    assert restarts == [2, 9]


def test_equal_patches_share_one_runtime(tmp_path: Path) -> None:
    objects = built(tmp_path, one=RESTARTS, two=RESTARTS)
    assert [one["kind"] for one in objects] == ["TrainingRuntime", "TrainJob", "TrainJob"]


def test_labels_alone_leave_the_name_as_it_is(tmp_path: Path) -> None:
    plain = built(tmp_path, plain="{}")[0]
    labelled = built(tmp_path, labelled=PATCH.format(merge="metadata: {labels: {team: vision}}"))[0]
    assert labelled["metadata"]["name"] == plain["metadata"]["name"]
