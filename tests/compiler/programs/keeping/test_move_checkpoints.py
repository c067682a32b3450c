"""The cleaner with ages and a second volume, run on real folders: what stays, what moves, and what is deleted there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
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


def _moving(volumes: Volumes) -> None:
    """The checkpoint step-1 of three is in the trash, and its grace period is over in an hour."""
    _three(volumes)
    volumes.clean()
    volumes.clean(1)
    assert trash(volumes.run) == ["step-1"]


FAULTS = {
    "a folder vanishes on the second volume": "shutil.copyfile = failed(shutil.copyfile, errno.ENOENT)",
    "the second volume is full": "shutil.copyfile = failed(shutil.copyfile, errno.ENOSPC)",
    "a folder of the second volume is stale": "os.listdir = failed(os.listdir, errno.ESTALE, '/cold/')",
    "a copy cannot be read": "builtins.open = failed(open, errno.EIO, '/cold/')",
    "a copy cannot be found": "builtins.open = failed(open, errno.ENOENT, '/cold/')",
    "a rename fails": "os.rename = failed(os.rename, errno.EIO, '.tjgen-moving')",
    "the trash is stale": "os.listdir = failed(os.listdir, errno.ESTALE, '/.tjgen-trash/')",
    "a pin cannot be found out": "os.lstat = failed(os.lstat, errno.ESTALE, '.keep')",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_is_never_taken_for_the_absence_of_work(volumes: Volumes, fault: str) -> None:
    _moving(volumes)
    before = f"""
import builtins, errno, os, shutil
def failed(function, number, part=""):
    def call(path=".", *words, **more):
        if part in str(path):
            raise OSError(number, os.strerror(number), str(path))
        return function(path, *words, **more)
    return call
{FAULTS[fault]}
"""
    answer = volumes.clean(2 * HOUR, before)
    assert answer.returncode == 1
    assert "deleted" not in answer.stdout
    assert trash(volumes.run) == ["step-1"]
    assert volumes.clean(4 * HOUR).returncode == 0
    assert (trash(volumes.run), steps(volumes.moved)) == ([], ["step-1"])


def test_a_copy_that_goes_after_it_was_read_keeps_the_original(volumes: Volumes) -> None:
    _moving(volumes)
    before = f"""
import os, shutil
rename = os.rename
def renamed(before, after):
    rename(before, after)
    if str(after).endswith(".checking"):
        shutil.rmtree({str(volumes.moved / "step-1")!r})
os.rename = renamed
"""
    assert volumes.clean(2 * HOUR, before).returncode == 1
    assert trash(volumes.run) == ["step-1"]


def test_two_passes_at_once_lose_nothing(volumes: Volumes) -> None:
    """The second pass begins when the first one has copied a part, and ends before it."""
    _three(volumes)
    save(volumes.run, 4, age=500)
    volumes.clean()
    volumes.clean(1)
    ready, done = volumes.cold.parent / "ready", volumes.cold.parent / "done"
    before = f"""
import os, shutil, time
copyfile, late = shutil.copyfile, []
def slow(source, target):
    copyfile(source, target)
    if not late:
        late.append(open({str(ready)!r}, "w").close())
        while not os.path.exists({str(done)!r}):
            time.sleep(0.01)
shutil.copyfile = slow
"""
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(volumes.clean, 2 * HOUR, before)
        while not ready.exists() and not first.done():
            time.sleep(0.01)
        second = volumes.clean(2 * HOUR)
        done.touch()
        assert second.returncode == 0, second.stderr
        assert "Traceback" not in first.result().stderr
    assert (trash(volumes.run), steps(volumes.moved)) == ([], ["step-1", "step-2"])
    assert [(volumes.moved / f"step-{number}/deep/part").read_text() for number in (1, 2)] == ["part 1", "part 2"]
    assert not (volumes.moved / ".tjgen-moving").exists()


def test_a_copy_that_a_user_made_is_used_and_never_deleted(volumes: Volumes) -> None:
    _three(volumes)
    shutil.copytree(volumes.run / "step-1", volumes.moved / "step-1", symlinks=True)
    volumes.clean()
    volumes.clean(1)
    assert volumes.clean(2 * HOUR).returncode == 0
    assert (trash(volumes.run), steps(volumes.moved)) == ([], ["step-1"])
    for days in (100, 200, 300):
        assert volumes.clean(days * DAY).returncode == 0
    assert _is_whole(volumes.moved / "step-1")


def _replace(step: Path) -> None:
    shutil.rmtree(step)
    step.mkdir()
    (step / "weights").write_text("mine")


def _copy(step: Path) -> None:
    shutil.copytree(step, step.parent / "x", symlinks=True)
    shutil.rmtree(step)
    (step.parent / "x").rename(step)


CHANGED: dict[str, Callable[[Path], object]] = {
    "another checkpoint of that name": _replace,
    "an equal copy of a user": _copy,
    "a file that was changed": lambda step: (step / "weights").write_text("mine"),
    "a file more": lambda step: (step / "notes").write_text("mine"),
    "a link to it": lambda step: os.symlink("step-1", step.parent / "best"),
    "a link at the path of a pod": lambda step: os.symlink("/archive/step-1", step.parent / "best"),
}


@pytest.mark.parametrize("change", CHANGED)
def test_what_a_user_changed_on_the_second_volume_stays(volumes: Volumes, change: str) -> None:
    _moving(volumes)
    assert volumes.clean(2 * HOUR).returncode == 0
    CHANGED[change](volumes.moved / "step-1")
    before = tree(volumes.moved / "step-1")
    for days in (100, 200):
        assert volumes.clean(days * DAY).returncode == 0
    assert tree(volumes.moved / "step-1") == before != set()


def test_a_moved_checkpoint_that_is_needed_in_its_trash_comes_back(volumes: Volumes) -> None:
    _moving(volumes)
    volumes.clean(2 * HOUR)
    volumes.clean(100 * DAY)
    assert [path.name for path in volumes.moved.glob(".tjgen-expired/*/*")].count("step-1") == 1
    (volumes.moved / "step-1.keep").touch()
    volumes.clean(101 * DAY)
    assert _is_whole(volumes.moved / "step-1")


def test_a_record_of_an_earlier_release_deletes_nothing(volumes: Volumes) -> None:
    _three(volumes)
    save(volumes.moved, 7)
    (volumes.moved / ".tjgen-moved").mkdir()
    (volumes.moved / ".tjgen-moved/step-7.170000000000000000.json").write_text('{"items": ["step-7"], "time": 1}')
    answer = volumes.clean()
    answer = volumes.clean(1)
    assert answer.returncode == 0
    assert "it is of an earlier release" in answer.stdout
    assert steps(volumes.moved) == ["step-7"]


def test_a_file_of_a_user_in_a_working_folder_stays(volumes: Volumes) -> None:
    _moving(volumes)
    note = volumes.moved / ".tjgen-moving/step-1/note"
    note.parent.mkdir(parents=True)
    note.write_text("mine")
    answer = volumes.clean(2 * HOUR)
    assert answer.returncode == 1
    assert "it has no record of a decision" in answer.stderr
    assert (trash(volumes.run), steps(volumes.moved), note.read_text()) == ([], ["step-1"], "mine")


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
