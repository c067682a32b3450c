"""`decide`: the actions for one experiment, from values alone. The disk is a dict."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import pytest

from tjgen.compiler.building.compile import build
from tjgen.compiler.building.plan import make_plan
from tjgen.compiler.building.request import Request
from tjgen.compiler.building.run import Built
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.actions import Action, Count, KeepRun, Put, RecordLock, ReportDiagnostic, ShareFile
from tjgen.gitops.output.decide import Again, decide
from tjgen.gitops.output.files import OutputFiles
from tjgen.gitops.output.options import BuildOptions
from tjgen.language.runs.lock import Lock
from tjgen.trees.session import Session

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision, labels: {team: a}}
spec: {runtime: tjgen-torch, image: "train:1", script: train.py}
"""


class Memory:
    """A disk in memory."""

    directory = "out"
    locks = "tjgen.lock.d"

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def bodies(self, folder: str) -> dict[str, str]:
        return {path.rpartition("/")[2]: body for path, body in self.files.items() if path.rpartition("/")[0] == folder}

    def body(self, path: str) -> str | None:
        return self.files.get(path)

    def folders(self, folder: str) -> list[str]:
        depth = folder.count("/") + 2
        return sorted({"/".join(path.split("/")[:depth]) for path in self.files if path.startswith(folder + "/")})

    def files_except(self, folder: str, paths: Container[str]) -> list[OutputFile]:
        found = ((f"{folder}/{name}", body) for name, body in self.bodies(folder).items())
        return [OutputFile(path, body, "digits.yaml") for path, body in found if path not in paths]

    def conflict(self, folder: str) -> str | None:
        return None

    def committed(self, path: str) -> None:
        return None


def built(folder: Path, text: str = EXPERIMENT) -> Built:
    """The experiment as a project without locks builds it."""
    (folder / "digits.yaml").write_text(text, encoding="utf-8")
    plan = make_plan(Request([str(folder / "digits.yaml")], project=str(folder)))
    one, findings = build(plan, Session())
    assert isinstance(one, Built)
    assert [*one.diagnostics, *findings.diagnostics] == []
    return one


def actions(one: Built, lock: Lock, disk: dict[str, str], options: BuildOptions | None = None) -> list[Action]:
    return decide(
        one,
        lock,
        Memory(disk),
        options=options or BuildOptions(),
        again=Again(lambda _: None, lambda run: run),
        files=OutputFiles(""),
    )


def lock_of(found: list[Action]) -> Lock:
    (record,) = [action for action in found if isinstance(action, RecordLock)]
    return record.lock


def written(found: list[Action]) -> dict[str, str]:
    return {action.file.path: action.file.body for action in found if isinstance(action, Put | ShareFile)}


def counts(found: list[Action]) -> dict[str, int]:
    return {action.what: action.runs for action in found if isinstance(action, Count) and action.runs}


EMPTY = Lock("vision/digits", {})


def test_a_new_run_is_written_and_locked(tmp_path: Path) -> None:
    found = actions(built(tmp_path), EMPTY, {})
    (run,) = lock_of(found).runs.values()
    assert (run.state, run.number, counts(found)) == ("active", 1, {"new": 1})
    assert any(path.startswith(f"runs/vision/digits/{run.name}/trainjob-") for path in written(found))


def test_the_same_build_again_changes_nothing(tmp_path: Path) -> None:
    one = built(tmp_path)
    first = actions(one, EMPTY, {})
    again = actions(one, lock_of(first), written(first))
    assert (counts(again), lock_of(again), written(again)) == ({"unchanged": 1}, lock_of(first), written(first))


@pytest.mark.parametrize(
    ("change", "kept", "reports"),
    [
        pytest.param(("team: a", "team: b"), ["ShareFile", "Put"], [], id="a label is written into the files of the run"),
        pytest.param(("train.py}", "train.py, pod: {}}"), ["ShareFile", "ShareFile"], [], id="an empty map changes nothing"),
    ],
)
def test_a_change_that_keeps_the_name(tmp_path: Path, change: tuple[str, str], kept: list[str], reports: list[str]) -> None:
    first = actions(built(tmp_path), EMPTY, {})
    found = actions(built(tmp_path, EXPERIMENT.replace(*change)), lock_of(first), written(first))
    assert [type(action).__name__ for action in found if isinstance(action, Put | ShareFile)] == kept
    assert [action.diagnostic.code for action in found if isinstance(action, ReportDiagnostic)] == reports
    assert list(lock_of(found).runs) == list(lock_of(first).runs)


def test_another_image_supersedes_the_run_and_keeps_its_folder(tmp_path: Path) -> None:
    first = actions(built(tmp_path), EMPTY, {})
    (old,) = lock_of(first).runs
    found = actions(built(tmp_path, EXPERIMENT.replace("train:1", "train:2")), lock_of(first), written(first))
    assert {run.name: run.state for run in lock_of(found).runs.values()}[old] == "superseded"
    assert [action.folder for action in found if isinstance(action, KeepRun)] == [f"runs/vision/digits/{old}"]
    assert counts(found) == {"new": 1, "kept": 1}


def test_a_run_without_a_lock_is_refused_and_not_removed(tmp_path: Path) -> None:
    stray = {"runs/vision/digits/digits-lost/trainjob-digits-lost.yaml": "kind: TrainJob\n"}
    found = actions(built(tmp_path), EMPTY, stray)
    assert [action.diagnostic.code for action in found if isinstance(action, ReportDiagnostic)] == ["TJ740"]


def test_files_that_differ_from_the_lock_are_an_error(tmp_path: Path) -> None:
    first = actions(built(tmp_path), EMPTY, {})
    edited = {path: body + "edited: true\n" for path, body in written(first).items()}
    newer = lock_of(first)._replace(runs={n: r._replace(content="sha256:" + "0" * 64) for n, r in lock_of(first).runs.items()})
    found = actions(built(tmp_path), newer, edited)
    assert [action.diagnostic.code for action in found if isinstance(action, ReportDiagnostic)] == ["TJ075"]
