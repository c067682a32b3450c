"""A build with what earlier builds keep answers and writes what a build without it does."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.gitops.output.histories import EXPERIMENT, PROJECT
from tests.gitops.output.keeping import BUILD, TOPS, compare
from tests.program import Answer, tjgen
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built
from tjgen.gitops.output import locknotes
from tjgen.gitops.output.done import Done
from tjgen.gitops.output.memory import Memory
from tjgen.language.runs.lock import Lock, path_of


@pytest.mark.parametrize("seed", range(1, 5))
def test_random_histories_are_the_same(seed: int, tmp_path: Path) -> None:
    assert compare(tmp_path, seed) > 8


@pytest.fixture(params=["on", "off"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that was built twice, with a cache and without."""
    monkeypatch.setenv("TJGEN_CACHE", request.param)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = tmp_path / "project"
    (project / "experiments").mkdir(parents=True)
    (project / "tjgen.yaml").write_text(PROJECT.replace("  overlays: [overlays]\n", ""), encoding="utf-8")
    for name in ("digits", "letters"):
        (project / f"experiments/{name}.yaml").write_text(EXPERIMENT.replace("NAME", name), encoding="utf-8")
    for _ in range(2):
        assert tjgen(project, *BUILD).code == 0
    return project


def replace(folder: Path, old: str, new: str) -> Answer:
    """Change the second experiment, and build."""
    file = folder / "experiments/letters.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return tjgen(folder, *BUILD)


def test_an_archived_run_of_a_renamed_experiment_is_recognized(folder: Path) -> None:
    assert tjgen(folder, "runs", "archive", "letters-*").code == 0
    assert tjgen(folder, *BUILD).code == 0
    assert "TJ087" in replace(folder, "name: letters,", "name: glyphs,").err


def test_an_archived_run_is_recognized_by_the_first_source(folder: Path) -> None:
    """The lock of the archived run is looked at before its source."""
    assert tjgen(folder, "runs", "archive", "digits-*").code == 0
    assert tjgen(folder, *BUILD).code == 0
    (folder / "experiments/digits.yaml").unlink()
    (folder / "experiments/a.yaml").write_text(EXPERIMENT.replace("NAME", "glyphs"), encoding="utf-8")
    assert "TJ087" in tjgen(folder, *BUILD).err


def test_a_moved_run_of_an_unchanged_experiment_stays(folder: Path) -> None:
    assert tjgen(folder, "runs", "rename", "digits", "glyphs").code == 0
    file = folder / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("name: digits", "name: glyphs"), encoding="utf-8")
    for _ in range(2):
        assert tjgen(folder, *BUILD).code == 0
    moved = sorted(folder.glob("out/runs/vision/digits/*/trainjob-*.yaml"))
    assert moved
    assert "1 new" in replace(folder, "train:1", "train:2").err
    assert sorted(folder.glob("out/runs/vision/digits/*/trainjob-*.yaml")) == moved


def test_an_edited_lock_is_seen(folder: Path) -> None:
    lock = next(folder.glob(f"tjgen.lock.d/{path_of(None, 'vision', 'digits')}/*.yaml"))
    lock.unlink()
    assert "2 new" in replace(folder, "train:1", "train:2").err
    assert lock.exists()


def test_locks_at_rest_are_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the second build after a pause, the states of the locks are known."""
    monkeypatch.setattr(locknotes, "is_at_rest", lambda *_: True)
    assert "1 new" in replace(folder, "train:1", "train:2").err
    assert "1 unchanged" in replace(folder, "train:2", "train:3").err
    monkeypatch.setattr(locknotes.LockNotes, "_digest", lambda *_: b"")
    assert "1 unchanged" in replace(folder, "train:3", "train:4").err


ENVIRONMENTS = "  environments: {east: {cluster: east}, west: {cluster: west}}\n"
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: NAME}
spec:
  match: {environments: [west], names: [NAME]}
  experiment: {env: {OVERLAID: "1"}}
"""


@pytest.fixture
def environments(folder: Path) -> Path:
    """A project with two environments; each experiment is for one, and has an overlay for the other one, too."""
    for written in TOPS:
        shutil.rmtree(folder / written)
    project = PROJECT.replace("overlays: [overlays]\n", f"overlays: [overlays]\n{ENVIRONMENTS}")
    (folder / "tjgen.yaml").write_text(project, encoding="utf-8")
    (folder / "overlays").mkdir()
    for name, environment in (("digits", "east"), ("letters", "west")):
        file = folder / f"experiments/{name}.yaml"
        file.write_text(file.read_text(encoding="utf-8") + f"  environments: [{environment}]\n", encoding="utf-8")
        (folder / f"overlays/{name}.yaml").write_text(OVERLAY.replace("NAME", name), encoding="utf-8")
    assert tjgen(folder, "build", "-o", "tree").code == 0
    return folder


def test_experiments_of_other_environments_stay_known(environments: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The overlay of the one that is not read again is not reported as unused."""
    first = tjgen(environments, "build", "-o", "tree")
    file = environments / "experiments/letters.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("train:1", "train:2"), encoding="utf-8")
    read: list[str] = []
    documents = Plan.documents

    def documents_and_note(plan: Plan, file: str, content: bytes) -> Any:
        read.append(file)
        return documents(plan, file, content)

    monkeypatch.setattr(Plan, "documents", documents_and_note)
    again = tjgen(environments, "build", "-o", "tree")
    assert (again.code, "TJ" in again.err) == (0, False), again.err
    assert "TJ" not in first.err
    if os.environ["TJGEN_CACHE"] == "on":
        assert read == ["experiments/letters.yaml"]


def test_an_experiment_that_is_for_no_environment_is_reported_each_time(environments: Path) -> None:
    words = ("build", "experiments/letters.yaml", "--env", "east", "-o", "tree")
    assert tjgen(environments, "build", "-o", "tree").code == 0
    answers = [tjgen(environments, *words) for _ in range(2)]
    assert [(answer.code, "TJ227" in answer.err) for answer in answers] == [(1, True)] * 2


def test_an_experiment_gets_another_environment(environments: Path) -> None:
    file = environments / "experiments/letters.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("[west]", "[west, east]"), encoding="utf-8")
    assert "1 new, 2 unchanged" in tjgen(environments, "build", "-o", "tree").err


def test_a_warning_about_the_text_of_a_file_stays(folder: Path) -> None:
    """A source that is not compiled again has its warnings, also about its YAML."""
    file = folder / "experiments/digits.yaml"
    file.write_text(f"{file.read_text(encoding='utf-8')}  env: {{MASK: 0777}}\n", encoding="utf-8")
    for number in range(3):
        answer = replace(folder, f"train:{number}", f"train:{number + 1}")
        assert "warning[TJ004] experiments/digits.yaml" in answer.err
    assert tjgen(folder, *BUILD, "--strict").code == 1


def test_a_source_with_a_unit_that_is_not_noted_is_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The findings of a source alone are not taken for a source without experiments, whose runs would be orphans."""
    note = Memory.note

    def note_letters(memory: Memory, built: Built, done: Done | None, lock: Lock | None) -> None:
        if built.unit.name == "letters":
            note(memory, built, done, lock)

    monkeypatch.setattr(Memory, "note", note_letters)
    file = folder / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("train:1", "train:5"), encoding="utf-8")
    assert tjgen(folder, *BUILD).code == 0
    answer = replace(folder, "train:1", "train:2")
    assert (answer.code, "1 new, 1 unchanged" in answer.err) == (0, True), answer.err
