"""`history.onSupersede`: a superseded run trains on, or is suspended, which frees its devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.gitops.output.test_runs import build, edit, folder, names, runs, snapshot
from tests.program import tjgen

__all__ = ["folder"]


def stop(folder: Path) -> None:
    edit(folder, "output:", "history: {onSupersede: stop}\n  output:", "tjgen.yaml")


def suspended(folder: Path) -> dict[str, Any]:
    """Name of each TrainJob -> `suspend`."""
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out").rglob("trainjob-*.yaml")]
    return {tree["metadata"]["name"]: tree["spec"].get("suspend", False) for tree in found}


def test_by_default_a_superseded_run_is_not_touched(folder: Path) -> None:
    (old,) = names(folder, "current")
    before = {path: body for path, body in snapshot(folder).items() if path.startswith("out/runs")}
    edit(folder, "train:1", "train:2")
    build(folder)
    assert {path: snapshot(folder)[path] for path in before} == before
    assert suspended(folder)[old] is False


def test_stop_suspends_what_is_superseded_and_nothing_else(folder: Path) -> None:
    stop(folder)
    build(folder)
    for version in range(2, 5):
        edit(folder, f"train:{version - 1}", f"train:{version}")
        assert build(folder).code == 0
        (current,) = names(folder, "current")
        assert {name for name, found in suspended(folder).items() if not found} == {current}
        checked = tjgen(folder, "build", "--check", "--strict")
        assert checked.code == 0, checked.err
    before = snapshot(folder)
    assert build(folder).code == 0
    assert snapshot(folder) == before


def test_a_stopped_run_that_is_requested_again_goes_on(folder: Path) -> None:
    fresh = snapshot(folder)
    stop(folder)
    edit(folder, "train:1", "train:2")
    build(folder)
    edit(folder, "train:2", "train:1")
    answer = build(folder)
    assert answer.code == 0, answer.err
    assert {path: snapshot(folder)[path] for path in fresh} == fresh
    assert sorted(suspended(folder).values()) == [False, True]
    assert tjgen(folder, "build", "--check").code == 0


def test_a_stopped_run_can_be_archived_and_pruned(folder: Path) -> None:
    stop(folder)
    edit(folder, "train:1", "train:2")
    build(folder)
    (old,) = names(folder, "superseded")
    assert runs(folder, "archive", old).code == 0
    assert build(folder).code == 0
    assert runs(folder, "prune", "--archived").err == "runs: 1 removed\n"
    assert build(folder, "--check").code == 0
