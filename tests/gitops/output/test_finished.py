"""`tjgen runs archive --finished`: the cluster reports which runs have ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitops.output.test_runs import build, edit, folder, names, runs, snapshot
from tests.program import tjgen

__all__ = ["folder"]
AT = "2024-05-01T10:00:00Z"


def condition(kind: str, status: str = "True") -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": status, "reason": "JobsCompleted", "lastTransitionTime": AT}]}


def in_cluster(folder: Path, statuses: dict[str, dict[str, Any]]) -> str:
    """A list as kubectl prints it: the TrainJobs of the tree that have a status."""
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out").rglob("trainjob-*.yaml")]
    items = [{**tree, "status": statuses[tree["metadata"]["name"]]} for tree in found if tree["metadata"]["name"] in statuses]
    (folder / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    return "cluster.json"


ENDED = {
    "one that is complete": (condition("Complete"), True),
    "one that has failed": (condition("Failed"), True),
    "one that runs": ({"jobsStatus": [{"name": "node", "active": 1}]}, False),
    "one that is suspended": (condition("Suspended"), False),
    "one whose condition is not true": (condition("Complete", "False"), False),
    "one that no controller has seen": ({}, False),
}


@pytest.mark.parametrize("case", ENDED)
def test_runs_that_have_ended_are_archived(folder: Path, case: str) -> None:
    status, archived = ENDED[case]
    (name,) = names(folder, "current")
    answer = runs(folder, "archive", "--finished", "--from", in_cluster(folder, {name: status}))
    assert (answer.code, answer.err) == (0, f"runs: {int(archived)} archived\n")
    assert names(folder, "archived") == ([name] if archived else [])
    assert build(folder).code == 0
    assert tjgen(folder, "build", "--check").code == 0


def test_a_run_that_the_cluster_does_not_have_is_left(folder: Path) -> None:
    before = snapshot(folder)
    assert runs(folder, "archive", "--finished", "--from", in_cluster(folder, {})).err == "runs: 0 archived\n"
    assert snapshot(folder) == before


def test_superseded_runs_that_have_ended_are_archived_too_and_a_name_limits_them(folder: Path) -> None:
    edit(folder, "train:1", "train:2")
    build(folder)
    old, new = names(folder, "superseded") + names(folder, "current")
    source = in_cluster(folder, {old: condition("Complete"), new: condition("Complete")})
    assert runs(folder, "archive", old, "--finished", "--from", source).err == "runs: 1 archived\n"
    assert (names(folder, "archived"), names(folder, "current")) == ([old], [new])


def test_standard_input_is_read(folder: Path) -> None:
    (name,) = names(folder, "current")
    text = (folder / in_cluster(folder, {name: condition("Complete")})).read_text(encoding="utf-8")
    answer = tjgen(folder, "runs", "archive", "--finished", "--from", "-", stdin=text)
    assert (answer.code, answer.err) == (0, "runs: 1 archived\n")


@pytest.mark.parametrize(
    "text", ["", "kind: List", "[]", "3", '{"items": [3]}', '{"items": [{"kind": "ConfigMap"}]}', "[" * 100000]
)
def test_an_input_of_another_form_is_refused_and_changes_nothing(folder: Path, text: str) -> None:
    before = snapshot(folder)
    (folder / "cluster.json").write_text(text, encoding="utf-8")
    answer = runs(folder, "archive", "--finished", "--from", "cluster.json")
    assert (answer.code, "error[TJ041]" in answer.err) == (1, True)
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    "words", [["archive", "x", "--from", "y"], ["prune", "--finished", "--from", "y"], ["archive", "x", "--context", "y"]]
)
def test_wrong_use_is_refused(folder: Path, words: list[str]) -> None:
    assert runs(folder, *words).code == 2
