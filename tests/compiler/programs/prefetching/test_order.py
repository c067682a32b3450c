"""Prefetches with priorities: their Jobs run on real folders, and the later one starts to copy when the earlier one has ended."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.compiler.programs.prefetching.cluster import Cluster, ended, interpreter, started


class Ordered(Cluster):
    """A prefetch `first` that `second` waits for, each to a volume of its own."""

    def __init__(self, folder: Path, *, same_volume: bool = False) -> None:
        first = {"volume": "data", "path": "first", "source": {"volume": "origin"}, "workers": 1, "priority": 1}
        second = {"volume": "data" if same_volume else "other", "path": "second", "source": {"volume": "origin"}, "workers": 1}
        super().__init__(folder, None, workers=None, path=None, volume=None, sets={"first": first, "second": second})
        self.jobs = {
            "second" if "initContainers" in job["spec"]["template"]["spec"] else "first": job
            for job in self.objects
            if job["kind"] == "Job"
        }
        self.other = self.target if same_volume else folder / "other"
        self.other.mkdir(exist_ok=True)

    def run_container(self, kind: str, name: str, words: list[str], *, attempt: int = 0, **more: str) -> CompletedProcess[str]:
        """The answer of the only container of this kind in a pod of a Job."""
        job = self.jobs[name]
        [container] = job["spec"]["template"]["spec"][kind]
        own = job["metadata"]["name"]
        fields = {"INDEX": "0", "JOB": f"uid-{name}", "OWN_JOB_NAME": own, "POD": f"{own}-0-{attempt}", **more}
        if kind == "containers":
            fields["JOB_NAME"] = own
        folders = {"target": self.other if name == "second" else self.target, "source": self.source, "after-first": self.target}
        return ended(started(self.words(container, words), {**self.placed(container, folders), **fields}))


@pytest.fixture(params=[False, True], ids=["volumes of their own", "one volume"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Ordered:
    cluster = Ordered(tmp_path, same_volume=request.param)
    (cluster.source / "file").write_text("content")
    return cluster


def test_a_job_starts_when_the_data_with_a_higher_priority_is_complete(shell: list[str], made: Ordered) -> None:
    before = made.run_container("initContainers", "second", shell, TIMEOUT="0", PAUSE="1")
    assert before.returncode == 1
    assert "there are no marks that can be read" in before.stderr
    assert made.run_container("containers", "first", interpreter("python3.9") or ["python3"]).returncode == 0
    after = made.run_container("initContainers", "second", shell, TIMEOUT="0", PAUSE="1")
    assert (after.returncode, after.stderr) == (0, "")


def test_pods_that_wait_for_the_later_data_see_that_the_earlier_job_failed(shell: list[str], made: Ordered) -> None:
    (made.source / "file").unlink()
    python = interpreter("python3.9") or ["python3"]
    for attempt in range(made.jobs["first"]["spec"]["backoffLimit"] + 1):
        assert made.run_container("containers", "first", python, attempt=attempt).returncode == 1
    for attempt in range(made.jobs["second"]["spec"]["backoffLimit"] + 1):
        assert made.run_container("initContainers", "second", shell, attempt=attempt, TIMEOUT="60").returncode == 1
    [waiting] = [one for one in made.run["initContainers"] if one["name"] == "tjgen-wait-second"]
    environment = {**made.placed(waiting, {waiting["volumeMounts"][0]["name"]: made.other}), "TIMEOUT": "60"}
    answer = ended(started(made.words(waiting, shell), environment))
    assert answer.returncode == 1
    first = made.jobs["first"]["metadata"]["name"]
    assert f"Job {first}, whose data has a higher priority, is not complete" in answer.stderr


def test_the_deadline_of_a_job_counts_from_the_end_of_the_jobs_before_it(tmp_path: Path) -> None:
    sets: dict[str, Any] = {
        "a": {"volume": "data", "path": "a", "source": "s3://b/a", "priority": 2, "deadline": "2h"},
        "b": {"volume": "data", "path": "b", "source": "s3://b/b", "priority": 1, "deadline": "1h"},
        "c": {"volume": "data", "path": "c", "source": "s3://b/c", "priority": 1, "deadline": "5h"},
        "d": {"volume": "data", "path": "d", "source": "s3://b/d", "deadline": "1h"},
    }
    cluster = Cluster(tmp_path, None, workers=None, path=None, volume=None, sets=sets)
    found = {
        tuple(one["name"] for one in job["spec"]["template"]["spec"].get("initContainers", [])): job["spec"][
            "activeDeadlineSeconds"
        ]
        for job in cluster.objects
        if job["kind"] == "Job"
    }
    assert found == {(): 2 * 3600, ("after-a",): 7 * 3600, ("after-b", "after-c"): 8 * 3600}


def test_a_change_of_the_priority_keeps_the_run_and_its_data(tmp_path: Path) -> None:
    written = {}
    for priority in (0, 3):
        folder = tmp_path / str(priority)
        folder.mkdir()
        sets = {
            "train": {"volume": "data", "path": "train", "source": "s3://b/train"},
            "words": {"volume": "data", "path": "words", "source": "s3://b/words", "priority": priority},
        }
        cluster = Cluster(folder, None, workers=None, path=None, volume=None, sets=sets)
        mounts = [one.get("subPath") for one in cluster.run["containers"][0]["volumeMounts"]]
        written[priority] = ([one["metadata"]["name"] for one in cluster.objects if one["kind"] == "JobSet"], mounts)
    assert written[0] == written[3]
