"""The index of checkpoints, by the cleaner of a built manifest on real folders: its lines, its history, and what may go wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.compiler.programs.keeping.cleaning import CLAIM, RUN, Cleaner, build, clean, clean_twice, mark, pythons, save, steps

INDEX = ".tjgen-checkpoints.jsonl"


def indexer(**checkpoints: Any) -> Cleaner:
    """The program of an experiment with `index: metrics.json`, unless `checkpoints` has another."""
    (cron_job,) = (one for one in build({"index": "metrics.json", **checkpoints}, CLAIM) if one["kind"] == "CronJob")
    (container,) = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    return Cleaner(container["command"], container["args"][0], {one["name"]: one["value"] for one in container["env"]})


def lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / INDEX).read_text().splitlines()]


def metrics(**numbers: float) -> dict[str, str]:
    return {"metrics.json": json.dumps(numbers)}


def iso(path: Path) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(path.stat().st_mtime))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return mark(tmp_path / "volume" / RUN)


@pytest.mark.parametrize("release", sorted({min(pythons()), next(iter(pythons()))}))
def test_each_complete_checkpoint_has_a_line(run: Path, release: str) -> None:
    first = save(run, 100, age=900, files={**metrics(loss=0.5, acc=0.25), "shard/part": "12345"})
    save(run, 200, age=800, files=metrics(loss=1e-5))
    save(run, 300, age=700, marker=None)
    answer = clean(indexer(), run.parent, python=pythons()[release])
    assert (answer.code, answer.err) == (0, "")
    found = lines(run)
    size = sum(path.stat().st_size for path in first.rglob("*") if path.is_file())
    assert found == [
        {"name": "step-100", "step": 100, "bytes": size, "time": iso(first / "_SUCCESS"), "metrics": {"loss": 0.5, "acc": 0.25}},
        {**found[1], "name": "step-200", "step": 200, "metrics": {"loss": 1e-5}},
    ]
    assert f"{run}/{INDEX}: {json.dumps(found[0])}" in answer.out.splitlines()
    before = (run / INDEX).read_bytes()
    clean(indexer(), run.parent)
    assert (run / INDEX).read_bytes() == before


def test_without_keep_nothing_else_changes(run: Path) -> None:
    for number in range(1, 9):
        save(run, number, age=9000 - number)
    before = set(run.rglob("*"))
    for _ in range(3):
        assert clean(indexer(), run.parent).code == 0
    assert set(run.rglob("*")) - before == {run / INDEX}


def test_the_history_stays_when_checkpoints_go_or_are_saved_again(run: Path) -> None:
    program = indexer(keep={"last": 2})
    for number in (1, 2, 3):
        save(run, number, age=9000 - number, files=metrics(loss=number))
    assert [clean(program, run.parent).code for _ in range(3)] == [0, 0, 0]
    assert steps(run) == ["step-2", "step-3"]
    removed = lines(run)[-1]
    assert (removed["name"], list(removed)) == ("step-1", ["name", "removed"])
    save(run, 3, age=100, files=metrics(loss=7))
    clean(program, run.parent)
    expected = [(1, {"loss": 1.0}), (2, {"loss": 2.0}), (3, {"loss": 3.0}), (1, None), (3, {"loss": 7.0})]
    assert [(one["name"], one.get("metrics")) for one in lines(run)] == [(f"step-{step}", found) for step, found in expected]


def test_each_run_of_a_claim_has_its_own_index(tmp_path: Path) -> None:
    for name in ("llm-aaaaaaaa", "llm-bbbbbbbb"):
        save(mark(tmp_path / "volume" / name), 5, age=100)
    save(tmp_path / "volume/unmarked", 5, age=100)
    assert clean(indexer(), tmp_path / "volume").code == 0
    assert [path.parent.name for path in sorted((tmp_path / "volume").glob(f"*/{INDEX}"))] == ["llm-aaaaaaaa", "llm-bbbbbbbb"]


def test_half_a_line_of_a_killed_pass_is_ignored_and_stays_apart(run: Path) -> None:
    save(run, 1, age=900, files=metrics(loss=1))
    save(run, 2, age=800, files=metrics(loss=2))
    clean(indexer(), run.parent)
    whole = (run / INDEX).read_text()
    last = whole.splitlines()[-1]
    for cut in (1, 2, 3, 20, len(last) - 1, len(last), len(last) + 1):
        (run / INDEX).write_text(whole[:-cut])
        assert clean(indexer(), run.parent).code == 0
        text = (run / INDEX).read_text()
        assert text.splitlines()[-1] == last, cut
        assert text.endswith("\n") or cut == 1, cut
        assert text.startswith(whole.splitlines()[0] + "\n")


def test_a_killed_pass_leaves_an_index_that_the_next_pass_completes(run: Path) -> None:
    for number in range(1, 6):
        save(run, number, age=900 - number, files=metrics(loss=number))
    for calls in range(1, 16):
        (run / INDEX).unlink(missing_ok=True)
        kill = (
            "import os, signal, sys\ncount = 0\ndef watch(event, _):\n    global count\n"
            f"    if event in ('open', 'os.scandir', 'os.listdir'):\n        count += 1\n        if count == {calls * 6}:\n"
            "            os.kill(os.getpid(), signal.SIGKILL)\nsys.addaudithook(watch)"
        )
        program = indexer()
        text = f"{kill}\nexec(compile({program.program!r}, 'cleaner', 'exec'))"
        subprocess.run(
            [sys.executable, *program.command[1:], text], env={**program.environment, "ROOT": str(run.parent)}, check=False,
            capture_output=True,
        )  # fmt: skip
        assert clean(program, run.parent).code == 0
        assert [one["name"] for one in lines(run)] == [f"step-{number}" for number in range(1, 6)]


def test_passes_at_the_same_time_lose_nothing(run: Path) -> None:
    program = indexer()
    for number in range(1, 40):
        save(run, number, age=900 - number, files=metrics(loss=number))
    command = [sys.executable, *program.command[1:], program.program]
    passes = [
        subprocess.Popen(command, env={**program.environment, "ROOT": str(run.parent)}, stdout=subprocess.DEVNULL)
        for _ in range(4)
    ]
    assert [one.wait() for one in passes] == [0, 0, 0, 0]
    assert {one["name"] for one in lines(run)} == {f"step-{number}" for number in range(1, 40)}


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        pytest.param("0.25", {"metrics.json": 0.25}, 0, id="one number has the name of the file"),
        pytest.param('{"a": 1, "b": true, "c": "2", "d": NaN, "e": 1e999, "f": [3], "g/h i": -2.5}', {"a": 1.0, "g/h i": -2.5}, 0,
                     id="only finite numbers"),
        pytest.param('{"a\\"b": 1, "\\u00e4": 2, "ok": 3}', {"ok": 3.0}, 0, id="only plain names"),
        pytest.param("[1]", {}, 1, id="a list"),
        pytest.param("{", {}, 1, id="half of a file"),
        pytest.param('{"a": ' + "9" * 5000 + "}", {}, 1, id="a number that is too long"),
        pytest.param("[" * 100_000, {}, 1, id="too deep"),
    ],
)  # fmt: skip
def test_metrics(run: Path, text: str, expected: dict[str, float], code: int) -> None:
    save(run, 1, age=900, files={"metrics.json": text})
    answer = clean(indexer(), run.parent)
    assert (lines(run)[0]["metrics"], answer.code) == (expected, code)
    assert code == 0 or f"{run}/step-1/metrics.json: not in the index" in answer.err


def test_metrics_that_were_just_written_wait_for_the_next_pass(run: Path) -> None:
    checkpoint = save(run, 1, age=900)
    (checkpoint / "metrics.json").write_text('{"loss": 1}')
    assert clean(indexer(), run.parent).code == 0
    assert lines(run) == []
    os.utime(checkpoint / "metrics.json", (time.time() - 100,) * 2)
    clean(indexer(), run.parent)
    assert lines(run)[0]["metrics"] == {"loss": 1.0}


def test_a_checkpoint_of_files(run: Path) -> None:
    for ending, text in ((".pt", "weights"), (".json", '{"loss": 2}')):
        (run / f"step-7{ending}").write_text(text)
        os.utime(run / f"step-7{ending}", (time.time() - 1000,) * 2)
    clean(indexer(files=[".pt", ".json"], index=".json"), run.parent)
    assert lines(run) == [
        {"name": "step-7", "step": 7, "bytes": 18, "time": iso(run / "step-7.pt"), "metrics": {"loss": 2.0}},
    ]  # fmt: skip


def test_the_file_of_keep_is_the_default(run: Path) -> None:
    save(run, 1, age=900, files={"loss": "0.5"})
    clean(indexer(index={}, keep={"metric": "loss"}), run.parent)
    assert lines(run)[0]["metrics"] == {"loss": 0.5}


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "large"])
def test_an_index_that_is_not_its_own_file_is_not_touched_and_removal_goes_on(run: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    if kind == "link":
        (run / INDEX).symlink_to(target)
    elif kind == "fifo":
        os.mkfifo(run / INDEX)
    elif kind == "folder":
        (run / INDEX).mkdir()
    else:
        with (run / INDEX).open("wb") as stream:
            stream.truncate(2**24 + 1)
    for number in (1, 2, 3):
        save(run, number, age=900 - number)
    answer = clean(indexer(keep={"last": 2}), run.parent)
    assert answer.code == 1
    assert f"{run}/{INDEX}: not written" in answer.err
    assert clean(indexer(keep={"last": 2}), run.parent).code == 1
    assert steps(run) == ["step-2", "step-3"]
    assert target.read_text() == "mine"


def test_the_schedule_is_that_of_keep_or_of_index() -> None:
    for checkpoints, schedule in (
        ({"index": {"schedule": "0 * * * *"}}, "0 * * * *"),
        ({"index": {"schedule": "0 * * * *"}, "keep": {"schedule": "1 * * * *"}}, "1 * * * *"),
    ):
        found = [(one["metadata"]["name"], one["spec"]["schedule"]) for one in build(checkpoints) if one["kind"] == "CronJob"]
        assert found == [("llm-cleaner", schedule)]


def test_without_index_none_is_written(run: Path) -> None:
    (cron_job,) = (one for one in build({"keep": {}}) if one["kind"] == "CronJob")
    assert "INDEX" not in yaml.safe_dump(cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["env"])
    save(run, 1, age=900)
    (container,) = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    program = Cleaner(container["command"], container["args"][0], {one["name"]: one["value"] for one in container["env"]})
    assert clean_twice(program, run.parent).code == 0
    assert not (run / INDEX).exists()
