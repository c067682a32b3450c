"""A queued run of Trainer 2.1: Kueue rewrites its overrides, so they are in the runtime that tjgen emits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: e, namespace: nlp}}
spec:
  runtime: {runtime}
  image: train:1
  script: train.py
  nodes: 2
  gpu: h100:8
  cpu: 4
  memory: 8Gi
  sharedMemory: 1Gi
  volumes: {{data: {{pvc: data, mountPath: /data}}}}
  schedule: {schedule}
"""
QUEUED = "{system: kueue, queue: nlp}"


def built(folder: Path, *, trainer: str, schedule: str = QUEUED, runtime: str = "tjgen-torch") -> tuple[dict[str, Any], Any]:
    """The TrainJob, and the pod of its runtime."""
    (folder / "e.yaml").write_text(EXPERIMENT.format(schedule=schedule, runtime=runtime), encoding="utf-8")
    answer = tjgen(folder, "build", "e.yaml", "--trainer", trainer)
    assert answer.code == 0, answer.err
    objects = {one["kind"]: one for one in yaml.safe_load_all(answer.out)}
    jobs = objects["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    return objects["TrainJob"], jobs[0]["template"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("runtime", ["tjgen-torch", "tjgen-mpi"])
def test_the_runtime_has_what_kueue_would_rewrite(tmp_path: Path, runtime: str) -> None:
    trainjob, pod = built(tmp_path, trainer="2.1", runtime=runtime)
    assert "podTemplateOverrides" not in trainjob["spec"]
    assert trainjob["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "nlp"
    assert {volume["name"] for volume in pod["volumes"]} == {"shared-memory", "data"}
    assert pod["nodeSelector"] == {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}


@pytest.mark.parametrize(
    ("trainer", "schedule", "field"),
    [
        pytest.param("2.1", "{}", "podTemplateOverrides", id="without a queue"),
        pytest.param("2.3", QUEUED, "runtimePatches", id="a release whose list has an entry for each manager"),
        pytest.param("2.0", QUEUED, "podSpecOverrides", id="a release that Kueue does not write to"),
    ],
)
def test_other_runs_keep_their_overrides(tmp_path: Path, trainer: str, schedule: str, field: str) -> None:
    trainjob, _ = built(tmp_path, trainer=trainer, schedule=schedule)
    assert trainjob["spec"][field]
