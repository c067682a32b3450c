"""A build with workers is the build of one process: in its files, its messages, their order, and its exit code."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.compiler.building.projects import experiment, write_project, write_random_project
from tests.program import Answer, tjgen
from tjgen.compiler.building import processes as limits
from tjgen.compiler.building.compile import _Compilation
from tjgen.compiler.building.processes import MOST, processes
from tjgen.compiler.building.records import FileRecords, KnownRuns
from tjgen.compiler.building.workers import Workers
from tjgen.compiler.pipeline import Compiled, Compiler
from tjgen.trees.diagnostics.model import Diagnostic

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

COUNT = 14


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "IN_FULL", 2)
    monkeypatch.setattr(limits, "FILES", 1)
    monkeypatch.setenv("TJGEN_CACHE", "off")


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each file that a worker gets, False if it failed; then for each run of the file, whether it has a record."""
    known: list[bool] = []
    answer, compiler = Workers.answer, KnownRuns.compiler

    def answered(self: Workers, file: str, content: bytes | Diagnostic) -> KnownRuns | None:
        one = answer(self, file, content)
        known.extend([False] if one is None else [])
        return one

    def counted(self: KnownRuns, key: str, full: Compiler) -> Compiler:
        one = compiler(self, key, full)
        known.append(one is not full)
        return one

    monkeypatch.setattr(Workers, "answer", answered)
    monkeypatch.setattr(KnownRuns, "compiler", counted)
    return known


def different(folder: Path) -> None:
    """Write experiments that are not alike, one of them a sweep."""
    experiments = [experiment(number) for number in range(COUNT)]
    for number, one in enumerate(experiments):
        one["spec"]["nodes"] = number + 1
    experiments[5]["spec"]["sweep"] = {"matrix": {"spec.env.SEED": [1, 2, 3]}}
    write_project(folder, experiments)


def damage(folder: Path) -> None:
    """Give the project all that has an order or an end: mistakes, a name in two files, data, an overlay for nothing."""
    files = sorted((folder / "experiments").iterdir())
    files[6].write_text(files[6].read_text(encoding="utf-8").replace("nodes: 7", "nodes: many"), encoding="utf-8")
    files[8].write_text(files[8].read_text(encoding="utf-8") + "  nodes: [\n", encoding="utf-8")
    files[9].write_text("kind: ConfigMap\n", encoding="utf-8")
    files[11].write_text(files[4].read_text(encoding="utf-8"), encoding="utf-8")
    files[12].write_text(files[10].read_text(encoding="utf-8"), encoding="utf-8")


def built(folder: Path, jobs: int, *words: str) -> tuple[Answer, dict[str, bytes]]:
    answer = tjgen(folder, "build", "-o", "deploy", "--expanded", "preview", "--jobs", str(jobs), *words)
    return answer, {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_no_children() -> None:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_workers_write_the_same_tree(tmp_path: Path, answers: list[bool]) -> None:
    different(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "three")
    one = built(tmp_path / "one", 1)
    assert answers == []
    three = built(tmp_path / "three", 3)
    assert one == three
    assert one[0].code == 0
    assert answers.count(True) >= COUNT - 2 - 3
    # Another build over the tree, but one file has only changed, and a build that only compares.
    for folder in ("one", "three"):
        file = tmp_path / folder / "experiments" / "009.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("nodes: 10", "nodes: 20"), encoding="utf-8")
    assert built(tmp_path / "one", 1, "--check") == built(tmp_path / "three", 3, "--check")
    assert built(tmp_path / "one", 1, "--summary") == built(tmp_path / "three", 3, "--summary")
    assert_no_children()


@pytest.mark.parametrize("words", [(), ("--format", "json")], ids=["table", "JSON"])
def test_workers_sum_up_the_same(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bool]
) -> None:
    experiments = [experiment(number) for number in range(COUNT)]
    for number, one in enumerate(experiments):
        one["spec"] |= {"nodes": number + 1, "gpu": "h100:4", "deadline": "2h"}
        one["spec"]["volumes"]["corpus"] = {"pvc": "corpus", "mountPath": "/corpus", "readOnly": True}
        items = {"manifest": "items.csv"}
        slices = {"by": "round-robin", "deliver": "configMap", "mountPath": "/slices"}
        one["spec"]["data"] = {"volume": "corpus", "path": "v3", "items": items, "slices": slices}
    write_project(tmp_path / "one", experiments, {"prices": {"currency": "EUR", "devices": {"h100": 2.5}}})
    lines = [f"{number}.tar,{number}Gi" for number in range(COUNT)]
    (tmp_path / "one" / "experiments" / "items.csv").write_text("\n".join(["path,size", *lines]), encoding="utf-8")
    shutil.copytree(tmp_path / "one", tmp_path / "three")
    one = built(tmp_path / "one", 1, "--summary", *words)
    assert one[0].code == 0, one[0].err
    for part in ("EUR", "Gi", "study-013"):
        assert part in one[0].out

    def unexpected(self: Compiled) -> Compiled:
        if self.recorded is not None:
            raise AssertionError("the build compiles what a worker has compiled")
        return self

    monkeypatch.setattr(Compiled, "in_full", unexpected)
    assert built(tmp_path / "three", 3, "--summary", *words) == one
    assert answers.count(True) >= COUNT - 3


def test_workers_report_the_same_in_the_same_order(tmp_path: Path, answers: list[bool]) -> None:
    different(tmp_path / "one")
    damage(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "three")
    one, three = built(tmp_path / "one", 1), built(tmp_path / "three", 3)
    assert one == three
    assert one[0].code == 1
    assert one[0].err.count("error[") >= 4
    assert True in answers


def test_a_worker_records_runs_that_carry_local_files(tmp_path: Path, answers: list[bool]) -> None:
    different(tmp_path / "one")
    for number in (6, 9):
        file = tmp_path / "one" / "experiments" / f"{number:03}.yaml"
        code = "  code: {use: configMap, configMap: {directory: code, include: ['*.py']}}\n"
        file.write_text(file.read_text(encoding="utf-8") + code, encoding="utf-8")
    (tmp_path / "one" / "experiments" / "code").mkdir()
    (tmp_path / "one" / "experiments" / "code" / "train.py").write_text("print(1)\n", encoding="utf-8")
    shutil.copytree(tmp_path / "one", tmp_path / "three")
    one = built(tmp_path / "one", 1)
    assert one[0].code == 0
    assert one == built(tmp_path / "three", 3)
    assert False not in answers


@pytest.mark.parametrize("end", ["killed", "exception"])
def test_a_worker_that_fails_changes_nothing(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bool]
) -> None:
    different(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "three")
    one = built(tmp_path / "one", 1)
    compile_file = _Compilation._recorded

    def failing(self: _Compilation, file: str) -> FileRecords:
        if file.endswith("007.yaml"):
            if end == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            raise ZeroDivisionError
        return compile_file(self, file)

    monkeypatch.setattr(_Compilation, "_recorded", failing)
    assert built(tmp_path / "three", 3) == one
    assert True in answers
    assert False in answers
    assert_no_children()


def test_a_build_without_processes_compiles_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bool]) -> None:
    different(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "three")

    def refused() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refused)
    assert built(tmp_path / "one", 1) == built(tmp_path / "three", 3)
    assert set(answers) == {False}


def test_an_interrupted_build_ends_its_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    different(tmp_path)
    answer, count = Workers.answer, 0

    def interrupted(self: Workers, file: str, content: bytes | Diagnostic) -> KnownRuns | None:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        return answer(self, file, content)

    monkeypatch.setattr(Workers, "answer", interrupted)
    assert built(tmp_path, 3)[0].code == 130
    assert_no_children()
    assert not (tmp_path / "deploy").exists()


INTERRUPTED = """\
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background starts programs that ignore it
from tjgen.compiler.building import processes as limits
from tjgen.compiler.building.workers import Workers
limits.IN_FULL, limits.FILES = 2, 1
answer = Workers.answer
def waiting(*words):
    print("started", flush=True)
    sys.stdin.readline()
    return answer(*words)
Workers.answer = waiting
from tjgen.cli.program import run
sys.exit(run(["build", "-o", "deploy", "--jobs", "3"]))
"""


def test_ctrl_c_ends_build_and_workers_without_a_message(tmp_path: Path) -> None:
    different(tmp_path)
    words = (sys.executable, "-c", INTERRUPTED)
    with subprocess.Popen(
        words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        os.killpg(process.pid, signal.SIGINT)
        _, messages = process.communicate(timeout=60)
    assert (process.returncode, messages) == (130, b"")
    assert not (tmp_path / "deploy").exists()
    for _ in range(100):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("a worker is left")


def test_a_system_that_cannot_fork_has_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes("4") == 4
    assert processes(None) >= 1
    monkeypatch.delattr(os, "fork")
    assert (processes("4"), processes(None)) == (1, 1)


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "1.5", str(MOST + 1), "9" * 5000, ""])
def test_a_wrong_number_of_jobs_is_refused(jobs: str, tmp_path: Path) -> None:
    different(tmp_path)
    answer = tjgen(tmp_path, "build", "-o", "deploy", f"--jobs={jobs}")
    assert answer.code == 2
    assert f"--jobs needs a number from 1 to {MOST}" in answer.err
    assert not (tmp_path / "deploy").exists()


def test_random_projects_are_the_same(tmp_path: Path, answers: list[bool]) -> None:
    for seed in range(904, 908):
        one, three = tmp_path / f"{seed}-one", tmp_path / f"{seed}-three"
        words, _ = write_random_project(random.Random(seed), one)
        shutil.copytree(one, three, symlinks=True)
        assert built(one, 1, *words) == built(three, 3, *words)
    assert answers.count(True) > 10
