"""RayJobs -> experiments: those that the operator accepts come back as they were, with a patch for what no field covers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.oracle.ray.record import JOBS
from tests.program import tjgen
from tests.tools.importing.test_jobs import read
from tjgen.tools.importing.kuberay import experiment

LINES = {one["id"]: one["manifest"] for one in map(json.loads, JOBS.read_text(encoding="utf-8").splitlines())}
IMPORTED = (
    *("plain", "start params", "accelerators", "group resources", "own command", "overwrite", "template metadata", "variables"),
    *("init containers", "own shm", "own ports", "own probes", "service type", "head service", "submitter template"),
    *("submitter options", "runtime env", "http mode", "sidecar", "token", "tolerance", "suspended", "restart policies", "ttl"),
)


@pytest.mark.parametrize("job", IMPORTED)
def test_a_rayjob_comes_back(job: str) -> None:
    found = read(LINES[job])
    assert [one for one in found.diagnostics if one.code != "TJ950"] == []
    assert len(found.experiments) == 1


def spec(**fields: Any) -> Any:
    job = LINES["plain"]
    return experiment({**job, "spec": {**job["spec"], **fields}})["spec"]


def test_the_entrypoint_is_the_command_if_its_words_are_plain() -> None:
    assert spec(entrypoint="python train.py --lr 0.1")["command"] == ["python", "train.py", "--lr", "0.1"]
    assert spec(entrypoint="cd /src && python train.py")["command"] == ["sh", "-c", "cd /src && python train.py"]
    assert spec(entrypoint="echo '")["command"] == ["sh", "-c", "echo '"]
    assert spec(entrypoint='echo "$$"')["command"] == ["sh", "-c", 'echo "$$$$"']


def test_the_end_of_the_job_has_fields_of_its_own() -> None:
    fields = spec(ttlSecondsAfterFinished=60, backoffLimit=2, activeDeadlineSeconds=90, suspend=True)
    assert (fields["cleanup"], fields["restart"], fields["deadline"]) == ({"ttlSeconds": 60}, {"limit": 2}, 90)
    assert fields["state"] == "suspended"
    assert spec(shutdownAfterJobFinishes=False)["cleanup"] == {"pods": "None"}


def test_a_rayjob_without_workers_is_left_out() -> None:
    assert [one.code for one in read(LINES["head only"]).diagnostics] == ["TJ775"]


GROUP = {
    "groupName": "cpu",
    "replicas": 2,
    "rayStartParams": {},
    "template": LINES["plain"]["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["template"],
}


def with_group(**fields: Any) -> Any:
    job = LINES["plain"]
    cluster = {**job["spec"]["rayClusterSpec"], "workerGroupSpecs": [{**GROUP, **fields}]}
    return {**job, "spec": {**job["spec"], "rayClusterSpec": cluster}}


@pytest.mark.parametrize("bounds", [{}, {"minReplicas": 1, "maxReplicas": 5}, {"maxReplicas": 10}])
def test_a_group_keeps_its_bounds(bounds: dict[str, int], tmp_path: Path) -> None:
    imported = read(with_group(**bounds))
    assert [one.code for one in imported.diagnostics] == ["TJ950"]
    [text] = imported.experiments.values()
    (tmp_path / "run.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "run.yaml", "--no-cache")
    assert answer.code == 0, answer.err
    [group] = yaml.safe_load(answer.out)["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert {field: group[field] for field in group if field.endswith("Replicas")} == bounds


def test_more_workers_than_the_bound_of_a_patch_are_refused(tmp_path: Path) -> None:
    [text] = read(with_group(minReplicas=1, maxReplicas=5)).experiments.values()
    assert "replicas: 2" in text
    for number, code in ((5, 0), (6, 1)):
        (tmp_path / "run.yaml").write_text(text.replace("replicas: 2", f"replicas: {number}"), encoding="utf-8")
        answer = tjgen(tmp_path, "build", "run.yaml", "--no-cache")
        assert answer.code == code, answer.err
    assert "error[TJ474]" in answer.err
    assert "group cpu has 6 workers, but its maxReplicas is 5: KubeRay starts 5" in answer.err


def test_the_head_keeps_the_resources_that_it_shares_with_the_workers() -> None:
    container = {"name": "ray", "image": "ray:1", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}}
    pods = {"spec": {"containers": [container]}}
    cluster = {"headGroupSpec": {"rayStartParams": {}, "template": pods}, "workerGroupSpecs": [{**GROUP, "template": pods}]}
    words = spec(rayClusterSpec=cluster)
    assert (words["cpu"], words["roles"]["head"]["cpu"]) == ("2", "2")
    assert "cpu" not in words["roles"]["cpu"]
