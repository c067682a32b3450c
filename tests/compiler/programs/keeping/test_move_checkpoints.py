"""The cleaner with ages and a second volume, run on real folders: what stays, what moves, and what is deleted there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.compiler.programs.keeping.cleaning import DAY, RUN, build, mark, pythons, save, steps, trash, tree

HOUR = 3600


@cache
def _container(text: str) -> dict[str, Any]:
    [cron_job] = [one for one in build({"keep": yaml.safe_load(text)}) if one["kind"] == "CronJob"]
    pod = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    return {**container, "volumes": pod["volumes"]}


class Volumes:
    """A volume with a run, the volume to which its checkpoints move, and the container of the CronJob."""

    def __init__(self, folder: Path, keep: Mapping[str, Any], python: str) -> None:
        self.warm, self.cold, self.python = folder / "warm", folder / "cold", python
        self.cold.mkdir()
        self.run, self.moved = mark(self.warm / RUN), self.cold / "llm" / RUN
        self.container = _container(yaml.safe_dump({"last": 2, **keep}))

    def clean(self, after: float = 0, before: str = "") -> subprocess.CompletedProcess[str]:
        """One pass, so many seconds from now. `before` is Python that runs before the program."""
        environment = {one["name"]: one["value"] for one in self.container["env"]}
        environment |= {"ROOT": str(self.warm), "COLD": str(self.cold), "TERMINATION_LOG": str(self.warm.parent / "log")}
        first, *rest = self.container["args"]
        later = f"import time; real = time.time; time.time = lambda: real() + {after}"
        text = f"{later}\n{before}\nexec(compile({first!r}, 'program', 'exec'))"
        command = [self.python, *self.container["command"][1:], text, *rest]
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert "Traceback" not in answer.stderr, answer.stderr
        return answer


@pytest.fixture(params=sorted({sorted(pythons())[0], next(iter(pythons()))}))
def volumes(request: pytest.FixtureRequest, tmp_path: Path) -> Volumes:
    """With `{pvc: cold, path: llm, deleteAfter: 90d}`."""
    keep = {"moveTo": {"pvc": "cold", "path": "llm", "deleteAfter": "90d"}}
    return Volumes(tmp_path, keep, pythons()[str(request.param)])


def _three(volumes: Volumes) -> None:
    for number in (1, 2, 3):
        save(volumes.run, number, age=1000 - number, files={"deep/part": f"part {number}"})
    (volumes.run / "step-1/link").symlink_to("weights")


def test_a_checkpoint_moves_when_its_time_in_the_trash_is_over(volumes: Volumes) -> None:
    _three(volumes)
    before = {path: (volumes.run / "step-1" / path).lstat().st_mtime_ns for path in ("weights", "_SUCCESS", "deep/part")}
    volumes.clean()
    assert volumes.clean(HOUR / 2).returncode == 0
    assert (steps(volumes.run), trash(volumes.run), steps(volumes.cold)) == (["step-2", "step-3"], ["step-1"], [])
    answer = volumes.clean(2 * HOUR)
    assert answer.returncode == 0, answer.stderr
    assert (steps(volumes.run), trash(volumes.run), steps(volumes.moved)) == (["step-2", "step-3"], [], ["step-1"])
    assert (volumes.moved / "step-1/deep/part").read_text() == "part 1"
    assert os.readlink(volumes.moved / "step-1/link") == "weights"
    assert {path: (volumes.moved / "step-1" / path).lstat().st_mtime_ns for path in before} == before
    assert (volumes.moved / ".tjgen-run").read_text() == f"{RUN}\n"
    assert volumes.clean(3 * HOUR).returncode == 0, "a pass without work"


def test_a_moved_checkpoint_is_deleted_when_its_time_is_over_unless_it_is_pinned(volumes: Volumes) -> None:
    for number in (1, 2, 3, 4):
        save(volumes.run, number, age=1000 - number)
    for after in (0, 1, 2 * HOUR, 91 * DAY):
        if after > 2 * HOUR:
            assert steps(volumes.moved) == ["step-1", "step-2"]
            (volumes.moved / "step-1.keep").touch()
        assert volumes.clean(after).returncode == 0
    assert steps(volumes.moved) == ["step-1", "step-1.keep"]
    [record] = (volumes.moved / ".tjgen-moved").iterdir()
    assert json.loads(record.read_text())["items"] == ["step-1"]
    assert steps(volumes.run) == ["step-3", "step-4"]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("import shutil; shutil.disk_usage = lambda path: __import__('types').SimpleNamespace(free=1)", "and 1 are free"),
        ("import shutil; shutil.copyfile = lambda source, target: open(target, 'w').close()", "the copy of step-1 differs"),
    ],
    ids=["no space", "a copy that is damaged"],
)
def test_nothing_is_deleted_that_could_not_be_moved(volumes: Volumes, before: str, reason: str) -> None:
    _three(volumes)
    volumes.clean()
    volumes.clean(1)
    answer = volumes.clean(2 * HOUR, before)
    assert answer.returncode == 1
    assert reason in answer.stderr
    assert (trash(volumes.run), steps(volumes.moved)) == (["step-1"], [])
    assert volumes.clean(3 * HOUR).returncode == 0, "the next pass moves it"
    assert (trash(volumes.run), steps(volumes.moved)) == ([], ["step-1"])


def test_another_checkpoint_of_that_name_stays(volumes: Volumes) -> None:
    _three(volumes)
    save(volumes.moved, 1, files={"weights": "of another run"})
    volumes.clean()
    volumes.clean(1)
    answer = volumes.clean(2 * HOUR)
    assert answer.returncode == 1
    assert "another checkpoint has the name step-1 there" in answer.stderr
    assert trash(volumes.run) == ["step-1"]
    assert (volumes.moved / "step-1/weights").read_text() == "of another run"


def test_a_link_on_the_second_volume_is_not_followed(volumes: Volumes, tmp_path: Path) -> None:
    _three(volumes)
    (tmp_path / "elsewhere").mkdir()
    (volumes.cold / "llm").symlink_to("../elsewhere")
    volumes.clean()
    volumes.clean(1)
    assert volumes.clean(2 * HOUR).returncode == 1
    assert trash(volumes.run) == ["step-1"]


@pytest.mark.parametrize("step", ["os.rename", "os.fsync", "shutil.rmtree", "os.replace", "os.mkdir"])
def test_a_pass_that_is_killed_loses_nothing(tmp_path: Path, step: str) -> None:
    volumes = Volumes(tmp_path, {"moveTo": "cold"}, sys.executable)
    volumes.moved = volumes.cold / RUN
    _three(volumes)
    volumes.clean()
    volumes.clean(1)
    module, name = step.split(".")
    for count in range(12):
        killed = f"""
import {module}, os
calls, real_step = [0], {step}
def stopped(*args, **more):
    calls[0] += 1
    if calls[0] > {count}:
        os._exit(137)
    return real_step(*args, **more)
{module}.{name} = stopped
"""
        code = volumes.clean(2 * HOUR, killed).returncode
        whole = [place for place in (volumes.run / ".tjgen-trash").glob("*/step-1") if _is_whole(place)]
        assert whole or _is_whole(volumes.moved / "step-1")
        if code == 0:
            break
    assert volumes.clean(3 * HOUR).returncode == 0
    assert (trash(volumes.run), steps(volumes.moved)) == ([], ["step-1"])
    assert not (volumes.moved / ".tjgen-moving").exists()


def _is_whole(checkpoint: Path) -> bool:
    return {"weights", "_SUCCESS", "deep", "deep/part", "link"} <= tree(checkpoint) if checkpoint.exists() else False


def test_a_young_checkpoint_stays(tmp_path: Path) -> None:
    volumes = Volumes(tmp_path, {"olderThan": "30d"}, sys.executable)
    assert [one["mountPath"] for one in volumes.container["volumeMounts"] if one["name"] != "tjgen-tmp"] == ["/checkpoints"]
    for number, days in ((1, 50), (2, 31), (3, 29), (4, 2), (5, 1)):
        save(volumes.run, number, age=days * DAY)
    volumes.clean()
    answer = volumes.clean(1)
    assert answer.returncode == 0, answer.stderr
    assert "step-3: keep: completed less than 30 days ago" in answer.stdout
    assert steps(volumes.run) == ["step-3", "step-4", "step-5"]
    assert time.time() - (volumes.run / "step-3/weights").stat().st_mtime < 30 * DAY


def test_the_second_claim_is_mounted_by_the_cron_job_alone() -> None:
    objects = build({"keep": {"moveTo": "cold"}})
    text = {one["kind"]: yaml.safe_dump(one) for one in objects}
    assert "claimName: cold" in text["CronJob"]
    assert "claimName: cold" not in text["JobSet"]
    names = [one["metadata"]["name"] for one in (*objects, *build({"keep": {}})) if one["kind"] == "JobSet"]
    assert len(set(names)) == 1, "the field does not change the run"
