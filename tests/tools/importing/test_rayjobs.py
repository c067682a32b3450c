"""RayJobs -> experiments: those that the operator accepts come back as they were, with a patch for what no field covers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.oracle.ray.record import JOBS
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
