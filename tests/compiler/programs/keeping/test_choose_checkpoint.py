"""The program that chooses the checkpoint to resume from by the index, taken from a built manifest, on real folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.compiler.programs.keeping.cleaning import RUN, build, clean, made_old, mark, save
from tests.compiler.programs.keeping.test_index import INDEX, indexer, metrics
from tests.containers import OTHER_USER, SHELLS, find, needs_other_user, open_to_others, run

RESUME = {"run": RUN, "best": "eval/loss"}


@cache
def _chooser(text: str) -> dict[str, Any]:
    resume, more = json.loads(text)
    [jobset] = (one for one in build({"index": "metrics.json", "resumeFrom": resume, **more}) if one["kind"] == "JobSet")
    return find(jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"], "tjgen-check-resume")


class Pod:
    """A pod of the new run, with a folder for its links."""

    def __init__(self, volume: Path, name: str = "pod") -> None:
        self.volume, self.links, self.own = volume, volume.parent / name, volume / "llm-new"
        self.links.mkdir(exist_ok=True)
        self.source = volume / RUN

    def start(
        self, shell: str, resume: Mapping[str, Any] = RESUME, wait: int = 0, **more: Any
    ) -> subprocess.CompletedProcess[str]:
        chooser = _chooser(json.dumps([dict(resume), more]))
        return run(shell, chooser, {"OWN": self.own, "RESUME": self.source, "LINKS": self.links, "WAIT": str(wait)})

    def chosen(self) -> dict[str, Path]:
        return {path.name: path.resolve() for path in self.links.iterdir()}


@pytest.fixture
def pod(tmp_path: Path) -> Pod:
    """A pod next to a run with three checkpoints in the index: step-200 has the lowest value, step-300 the highest."""
    source = mark(tmp_path / "volume" / RUN)
    for number, value in ((100, 0.5), (200, 1e-5), (300, 12.0)):
        save(source, number, age=1000 - number, files=metrics(**{"eval/loss": value, "loss": 1.0}))
    assert clean(indexer(), source.parent).code == 0
    return Pod(tmp_path / "volume")


@pytest.mark.parametrize("shell", list(SHELLS))
@pytest.mark.parametrize(("mode", "best"), [("min", "step-200"), ("max", "step-300")])
def test_the_best_checkpoint_is_linked(pod: Pod, shell: str, mode: str, best: str) -> None:
    answer = pod.start(shell, {**RESUME, "mode": mode})
    assert answer.returncode == 0, answer.stderr
    assert pod.chosen() == {best: pod.source / best}
    assert f"resumes from {best} of run {RUN}" in answer.stdout
    assert sorted(path.name for path in pod.own.iterdir()) == [".tjgen-resume"]


def test_the_mounts_are_those_that_it_needs() -> None:
    mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in _chooser(json.dumps([RESUME, {}]))["volumeMounts"]}
    assert mounts == {"/tjgen/source": True, "/states": False, "/tjgen/resume": False, "/tmp": False}


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_later_pod_takes_the_choice_of_the_first(pod: Pod, shell: str) -> None:
    assert pod.start(shell).returncode == 0
    save(pod.source, 400, age=500, files=metrics(**{"eval/loss": 0.0}))
    clean(indexer(), pod.volume)
    later = Pod(pod.volume, "later")
    assert later.start(shell).returncode == 0
    assert list(later.chosen()) == ["step-200"]


def test_pods_that_start_together_take_one_choice(pod: Pod) -> None:
    pods = [Pod(pod.volume, f"pod-{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: one.start("dash" if "dash" in SHELLS else next(iter(SHELLS))), pods))
    assert [answer.returncode for answer in answers] == [0] * 8, [answer.stderr for answer in answers]
    assert {name for one in pods for name in one.chosen()} == {"step-200"}
    assert [path.name for path in pod.own.iterdir()] == [".tjgen-resume"]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_run_with_a_checkpoint_of_its_own_chooses_none(pod: Pod, shell: str) -> None:
    save(pod.own, 1, age=10)
    assert pod.start(shell).returncode == 0
    assert pod.chosen() == {}


@pytest.mark.parametrize("shell", list(SHELLS))
def test_of_equal_values_the_newest_is_the_best(pod: Pod, shell: str) -> None:
    assert pod.start(shell, {"run": RUN, "best": "loss"}).returncode == 0
    assert list(pod.chosen()) == ["step-300"]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_checkpoint_that_the_index_lacks_or_has_as_it_was_is_waited_for(pod: Pod, shell: str) -> None:
    checkpoint = save(pod.source, 400, age=500, files=metrics(**{"eval/loss": 0.0}))
    answer = pod.start(shell)
    assert answer.returncode == 1
    assert "lacks step-400: does its experiment have index, and does the CronJob run?" in answer.stderr
    clean(indexer(), pod.volume)
    (checkpoint / "metrics.json").write_text('{"eval/loss": 99}')
    made_old(checkpoint, 400)
    assert "lacks step-400" in pod.start(shell).stderr
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(pod.start, shell, wait=60)
        time.sleep(1)
        clean(indexer(), pod.volume)
        assert waiting.result().returncode == 0
    assert list(pod.chosen()) == ["step-200"]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_half_a_line_counts_for_nothing(pod: Pod, shell: str) -> None:
    text = (pod.source / INDEX).read_text()
    (pod.source / INDEX).write_text(text[:-2])
    assert "lacks step-300" in pod.start(shell).stderr
    (pod.source / INDEX).write_text(text + '{"name": "step-100", "step": 100, "bytes": 5, "time": "2')
    assert pod.start(shell).returncode == 0


@pytest.mark.parametrize("shell", list(SHELLS))
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("no index", "lacks step-100"),
        ("no metric", 'the index has no metric "none" of a complete checkpoint'),
        ("no checkpoint", "it has no complete checkpoint"),
        ("another decision", "step-777, which"),
        ("a decision that is no number", "does not contain a number"),
        ("a decision for half a checkpoint", "step-100, which"),
    ],
)
def test_the_run_does_not_start(pod: Pod, shell: str, change: str, words: str) -> None:
    resume = dict(RESUME)
    pod.own.mkdir()
    if change == "no index":
        (pod.source / INDEX).unlink()
    elif change == "no metric":
        resume["best"] = "none"
    elif change == "no checkpoint":
        for number in (100, 200, 300):
            (pod.source / f"step-{number}/_SUCCESS").unlink()
    elif change == "another decision":
        (pod.own / ".tjgen-resume").write_text("777\n")
    elif change == "a decision that is no number":
        (pod.own / ".tjgen-resume").write_text("../llm-other\n")
    else:
        (pod.own / ".tjgen-resume").write_text("100\n")
        (pod.source / "step-100/weights").write_text("")
    answer = pod.start(shell, resume)
    assert answer.returncode == 1
    assert f"cannot resume from run {RUN}" in answer.stderr
    assert words in answer.stderr
    assert pod.chosen() == {}


@pytest.mark.parametrize("shell", list(SHELLS))
def test_only_complete_checkpoints_count(pod: Pod, shell: str) -> None:
    (pod.source / "step-200/_SUCCESS").unlink()
    (pod.source / "step-x").symlink_to(pod.source / "step-100")
    (pod.source / "step-400").symlink_to(pod.source / "step-100")
    assert pod.start(shell).returncode == 0
    assert list(pod.chosen()) == ["step-100"]


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_checkpoint_of_files_is_linked_whole(pod: Pod, shell: str) -> None:
    more: dict[str, Any] = {"files": [".pt", ".json"], "index": ".json"}
    for number, value in ((1, 5), (2, 4), (3, 6)):
        for ending, text in ((".pt", "weights"), (".json", json.dumps({"eval/loss": value}))):
            path = pod.source / f"step-{number}{ending}"
            path.write_text(text)
            os.utime(path, (time.time() - 1000 + number + len(ending),) * 2)
    clean(indexer(**more), pod.volume)
    answer = pod.start(shell, **more)
    assert answer.returncode == 0, answer.stderr
    assert pod.chosen() == {f"step-2{ending}": pod.source / f"step-2{ending}" for ending in (".pt", ".json")}


def test_the_program_of_the_page_resumes_from_the_choice(pod: Pod) -> None:
    assert pod.start(next(iter(SHELLS))).returncode == 0
    variables = {
        "TJGEN_CHECKPOINT_PATH": str(pod.own), "TJGEN_CHECKPOINT_NAME": "step-", "TJGEN_CHECKPOINT_MARKER": "_SUCCESS",
        "TJGEN_RESUME_FROM": str(pod.links),
    }  # fmt: skip
    text = "import checkpoint; print(checkpoint.newest())"
    answer = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT / "examples", env=variables, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == str(pod.links / "step-200")


@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_pod_that_starts_again_after_another_choice_has_one_link(pod: Pod, shell: str) -> None:
    assert pod.start(shell).returncode == 0
    (pod.own / ".tjgen-resume").write_text("100\n")
    assert pod.start(shell).returncode == 0
    assert list(pod.chosen()) == ["step-100"]


@needs_other_user
@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_checkpoint_that_cannot_be_read_may_be_the_best(pod: Pod, shell: str) -> None:
    open_to_others(pod.volume)
    pod.own.mkdir()
    for folder in (pod.own, pod.links):
        folder.chmod(0o777)
    (pod.source / "step-200/weights").chmod(0)
    chooser = _chooser(json.dumps([RESUME, {}]))
    told = {"OWN": pod.own, "RESUME": pod.source, "LINKS": pod.links}
    answer = run(shell, chooser, told, prefix=OTHER_USER)
    assert answer.returncode == 1
    assert answer.stderr.endswith("step-200/weights cannot be read\n")
    assert list(pod.own.iterdir()) == []
