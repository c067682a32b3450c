"""`tjgen runs`, and what a build does with runs that were archived, renamed or superseded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import Answer, tjgen

EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: digits, namespace: vision}
spec:
  runtime: tjgen-torch
  image: train:1
  script: train.py
"""
PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  overlays: [overlays]
  output: {directory: out}
"""
OVERLAY = """\
apiVersion: tjgen.dev/v1alpha1
kind: Overlay
metadata: {name: bigger}
spec: {experiment: {nodes: 2}}
"""
MARKS = {"argocd.argoproj.io/hook": "Skip", "kustomize.toolkit.fluxcd.io/ssa": "Ignore"}


@pytest.fixture(params=["cache", "no cache"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A project with one experiment, built."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TJGEN_CACHE", "off" if request.param == "no cache" else "")
    project = tmp_path / "project"
    for path, text in {
        "tjgen.yaml": PROJECT,
        "overlays/bigger.yaml": OVERLAY,
        "experiments/digits.yaml": EXPERIMENT,
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    assert build(project).code == 0
    return project


def build(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "build", "-o", "out", *words)


def runs(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "runs", *words)


def states(folder: Path) -> list[tuple[str, str]]:
    """Experiment and state of each run that exists."""
    answer = runs(folder, "list", "--format", "json")
    assert answer.code == 0, answer.err
    return [(run["experiment"], run["state"]) for run in json.loads(answer.out) if run["state"] != "pruned"]


def names(folder: Path, state: str) -> list[str]:
    return [run["name"] for run in json.loads(runs(folder, "list", "--format", "json").out) if run["state"] == state]


def jobs(folder: Path) -> dict[str, Any]:
    """Name -> annotations of every TrainJob in the tree."""
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in (folder / "out").rglob("trainjob-*.yaml")]
    return {tree["metadata"]["name"]: tree["metadata"].get("annotations", {}) for tree in found}


def snapshot(folder: Path) -> dict[str, bytes]:
    files = [path for top in ("out", "tjgen.lock.d") for path in (folder / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def edit(folder: Path, old: str, new: str, file: str = "experiments/digits.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def test_list_shows_every_state(folder: Path) -> None:
    assert runs(folder, "list").out.split("\n")[0].split() == ["RUN", "STATE", "DEVICES", "EXPERIMENT", "RUNTIME"]
    assert states(folder) == [("digits", "current")]
    edit(folder, "train:1", "train:2")
    build(folder)
    assert states(folder) == [("digits", "superseded"), ("digits", "current")]
    runs(folder, "archive", *names(folder, "superseded"))
    edit(folder, "spec:\n", "spec:\n  state: suspended\n")
    build(folder)
    assert states(folder) == [("digits", "archived"), ("digits", "suspended")]


def test_an_archived_run_carries_the_marks_and_a_build_leaves_it(folder: Path) -> None:
    fresh = snapshot(folder)
    (name,) = jobs(folder)
    answer = runs(folder, "archive", name)
    assert (answer.code, answer.out, answer.err) == (
        0,
        "",
        "runs: 1 archived; a run that is still in the cluster keeps running (tjgen status)\n",
    )
    assert jobs(folder) == {name: MARKS}
    archived = snapshot(folder)
    assert build(folder).err == "runs: 0 new, 1 unchanged, 0 kept, 0 removed\n"
    assert tjgen(folder, "build", "--check").code == 0
    assert snapshot(folder) == archived
    assert runs(folder, "archive", name).err == "runs: 0 archived\n"
    assert runs(folder, "unarchive", name).err == "runs: 1 brought back\n"
    assert snapshot(folder) == fresh
    assert build(folder).err == "runs: 0 new, 1 unchanged, 0 kept, 0 removed\n"


def test_an_archived_tree_is_a_function_of_sources_and_lock(folder: Path) -> None:
    runs(folder, "archive", *jobs(folder))
    archived = snapshot(folder)
    for path in (folder / "out").rglob("*.yaml"):
        path.unlink()
    build(folder)
    assert snapshot(folder) == archived


def test_a_catalog_or_overlay_that_changes_does_not_touch_a_record(folder: Path) -> None:
    runs(folder, "archive", *jobs(folder))
    archived = snapshot(folder)
    edit(folder, "nodes: 2", "nodes: 4", "overlays/bigger.yaml")
    answer = build(folder, "--renew", "*")
    assert (answer.code, answer.err) == (0, "runs: 0 new, 0 unchanged, 1 kept, 0 removed\n")
    assert snapshot(folder) == archived


def test_renewing_a_run_that_does_not_exist_writes_nothing(folder: Path) -> None:
    fresh = snapshot(folder)
    edit(folder, "train:1", "train:2")
    answer = build(folder, "--renew", "digits-nope")
    assert (answer.code, snapshot(folder)) == (1, fresh)
    assert 'error[TJ080] no run matches "digits-nope"' in answer.err
    (name,) = jobs(folder)
    answer = build(folder, "--renew", "digits")
    assert f"hint: digits is an experiment: name one of its runs ({name} of vision/digits), or use a pattern" in answer.err


def test_renewing_a_run_without_an_effect_gives_the_reason(folder: Path) -> None:
    (name,) = jobs(folder)
    unchanged = build(folder, "--renew", name)
    assert unchanged.code == 0
    assert f'info[TJ219] run "{name}" is not renewed: the sources would not change it' in unchanged.err
    assert f"hint: to train it again, use tjgen runs rerun {name}" in unchanged.err
    assert runs(folder, "archive", name).code == 0
    assert f"hint: use tjgen runs unarchive {name} first" in build(folder, "--renew", name).err
    runs(folder, "unarchive", name)
    edit(folder, "train:1", "train:2")
    assert "TJ" not in build(folder).err
    superseded = build(folder, "--renew", name)
    assert superseded.code == 1
    assert f'error[TJ085] run "{name}" cannot run again: experiment' in superseded.err


def test_labels_still_reach_a_record_in_place(folder: Path) -> None:
    runs(folder, "archive", *jobs(folder))
    edit(folder, "namespace: vision}", "namespace: vision, annotations: {paper: accepted}}")
    assert build(folder).code == 0
    assert list(jobs(folder).values()) == [{"paper": "accepted", **MARKS}]


def test_an_experiment_archives_its_runs_and_brings_them_back(folder: Path) -> None:
    fresh = snapshot(folder)
    edit(folder, "spec:\n", "spec:\n  state: archived\n")
    assert build(folder).code == 0
    assert states(folder) == [("digits", "archived")]
    assert list(jobs(folder).values()) == [MARKS]
    refused = runs(folder, "unarchive", "digits-*")
    assert refused.code == 1
    assert "TJ084" in refused.err
    edit(folder, "  state: archived\n", "")
    build(folder)
    assert snapshot(folder) == fresh


def test_explain_names_who_archived_a_run(folder: Path) -> None:
    (name,) = jobs(folder)
    runs(folder, "archive", name)
    answer = tjgen(folder, "explain", "experiments/digits.yaml", "TrainJob", "metadata.annotations")
    assert f'["argocd.argoproj.io/hook"]: Skip  <- lock runs.{name}.archived\n' in answer.out
    runs(folder, "unarchive", name)
    edit(folder, "spec:\n", "spec:\n  state: archived\n")
    answer = tjgen(folder, "explain", "experiments/digits.yaml", "TrainJob", "metadata.annotations")
    assert '["argocd.argoproj.io/hook"]: Skip  <- experiment spec.state (experiments/digits.yaml:5:' in answer.out


def test_an_archived_run_is_renamed_with_its_experiment_and_not_trained_again(folder: Path) -> None:
    (old,) = jobs(folder)
    runs(folder, "archive", old)
    edit(folder, "name: digits", "name: numbers")
    partial = tjgen(folder, "build", "experiments/digits.yaml", "-o", "elsewhere")
    assert "TJ089" in partial.err
    for path in (folder / "tjgen.lock.d").rglob("numbers-*.yaml"):
        path.unlink()
    answer = build(folder)
    assert answer.code == 0
    assert "TJ087" in answer.err
    assert set(jobs(folder)) == {old, old.replace("digits", "numbers")}
    assert list(jobs(folder).values()) == [MARKS, MARKS]
    assert sorted(states(folder)) == [("digits", "archived"), ("numbers", "archived")]
    assert build(folder).err == "runs: 0 new, 1 unchanged, 1 kept, 0 removed\n"


def test_two_living_experiments_may_say_the_same(folder: Path) -> None:
    runs(folder, "archive", *jobs(folder))
    (folder / "experiments/letters.yaml").write_text(EXPERIMENT.replace("digits", "letters"), encoding="utf-8")
    answer = build(folder)
    assert answer.err == "runs: 1 new, 1 unchanged, 0 kept, 0 removed\n"
    assert states(folder) == [("digits", "archived"), ("letters", "current")]


def test_a_record_outlives_its_experiment_until_it_is_pruned(folder: Path) -> None:
    (name,) = jobs(folder)
    runs(folder, "archive", name)
    edit(folder, "train:1", "train:2")
    build(folder)
    (folder / "experiments/digits.yaml").unlink()
    (folder / "experiments/other.yaml").write_text(EXPERIMENT.replace("digits", "other").replace("train:1", "other:1"))
    assert build(folder, "--prune-runs").code == 0
    assert states(folder) == [("digits", "archived"), ("other", "current")]
    assert (folder / "out/runtimes/vision").is_dir()
    assert runs(folder, "prune").err == "runs: 0 removed\n"
    assert runs(folder, "prune", "--archived").err.startswith("runs: 1 removed\nremoved: ")
    assert states(folder) == [("other", "current")]
    assert name not in jobs(folder)


def test_a_record_that_is_asked_for_again_stays_a_record(folder: Path) -> None:
    runs(folder, "archive", *jobs(folder))
    edit(folder, "train:1", "train:2")
    build(folder)
    edit(folder, "train:2", "train:1")
    answer = build(folder)
    assert "TJ088" in answer.err
    assert states(folder) == [("digits", "archived"), ("digits", "superseded")]


def test_rerun_trains_again_under_a_new_name(folder: Path) -> None:
    (old,) = jobs(folder)
    runs(folder, "archive", old)
    answer = runs(folder, "rerun", old)
    assert answer.code == 0, answer.err
    assert answer.err == "runs: 1 new, 0 unchanged, 1 kept, 0 removed\n"
    (new,) = set(jobs(folder)) - {old}
    assert jobs(folder) == {old: MARKS, new: {}}
    assert states(folder) == [("digits", "archived"), ("digits", "current")]
    assert build(folder).err == "runs: 0 new, 1 unchanged, 1 kept, 0 removed\n"
    # Once more, and by a pattern, which means the runs of now.
    assert runs(folder, "rerun", "digits-*").err == "runs: 1 new, 0 unchanged, 2 kept, 0 removed\n"
    assert states(folder) == [("digits", "archived"), ("digits", "superseded"), ("digits", "current")]


def test_rerun_refuses_what_nothing_asks_for(folder: Path) -> None:
    (old,) = jobs(folder)
    edit(folder, "train:1", "train:2")
    before = snapshot(folder)
    assert "TJ085" in runs(folder, "rerun", old).err
    assert snapshot(folder) == before
    build(folder)
    assert "TJ085" in runs(folder, "rerun", old).err
    edit(folder, "spec:\n", "spec:\n  naming: fixed\n")
    build(folder)
    assert "TJ090" in runs(folder, "rerun", "digits").err


def test_history_keeps_the_last_runs(folder: Path) -> None:
    edit(folder, "output:", "history: {keep: 2}\n  output:", "tjgen.yaml")
    for version in range(2, 6):
        edit(folder, f"train:{version - 1}", f"train:{version}")
        answer = build(folder)
    assert answer.err.startswith("runs: 1 new, 0 unchanged, 2 kept, 1 removed\nUnless a sync prunes them, ")
    assert [state for _, state in states(folder)] == ["superseded", "superseded", "current"]
    assert len(jobs(folder)) == 3
    assert tjgen(folder, "build", "--check").code == 0
    assert runs(folder, "prune").err == "runs: 0 removed\n"
    assert runs(folder, "prune", "--keep", "1").err.startswith("runs: 1 removed\nremoved: ")
    assert len(jobs(folder)) == 2
    assert build(folder).err == "runs: 0 new, 1 unchanged, 1 kept, 0 removed\n"


def test_prune_refuses_what_is_asked_for(folder: Path) -> None:
    (name,) = jobs(folder)
    refused = runs(folder, "prune", name)
    assert refused.code == 1
    assert "TJ086" in refused.err
    removed, kept = runs(folder, "prune", "digits-*").err.splitlines()
    assert removed == "runs: 0 removed"
    assert kept.startswith(f"kept: {name};")


def test_what_does_not_fit_together_is_told(folder: Path) -> None:
    (name,) = jobs(folder)
    job = next((folder / "out").rglob("trainjob-*.yaml"))
    lost, stray = job.read_bytes(), job.parent.parent / "digits-stray"
    job.unlink()
    stray.mkdir()
    (stray / job.name).write_bytes(lost)
    answer = runs(folder, "list")
    assert answer.code == 0
    assert "TJ081" in answer.err
    assert "TJ082" in answer.err
    refused = runs(folder, "archive", name)
    assert (refused.code, "TJ081" in refused.err) == (1, True)
    stray.joinpath(job.name).rename(job)
    lock = next((folder / "tjgen.lock.d").rglob("*.yaml"))
    lines = [f"content: sha256:{'0' * 64}" if "content:" in line else line for line in lock.read_text().split("\n")]
    lock.write_text("\n".join(lines), encoding="utf-8")
    refused = runs(folder, "archive", name)
    assert (refused.code, "TJ083" in refused.err) == (1, True)


def test_a_file_that_was_edited_by_hand_is_neither_marked_nor_removed(folder: Path) -> None:
    edit(folder, "train:1", "train:2")
    build(folder)
    (old,) = names(folder, "superseded")
    (file,) = (folder / "out").rglob(f"trainjob-{old}.yaml")
    edit(folder, "train:1", "mine:1", str(file.relative_to(folder)))
    before = snapshot(folder)
    assert "TJ083" in runs(folder, "archive", old).err
    assert "TJ051" in runs(folder, "prune", old).err
    assert snapshot(folder) == before
    assert runs(folder, "prune", old, "--force").code == 0


def test_a_lock_in_conflict_is_shown(folder: Path) -> None:
    lock = next((folder / "tjgen.lock.d").rglob("*.yaml"))
    text = lock.read_text(encoding="utf-8")
    lock.write_text("\n<<<<<<< ours\n" + text, encoding="utf-8")
    answer = runs(folder, "list")
    assert answer.code == 1
    assert f"error[TJ070] {lock.relative_to(folder)}:2:1: the run lock contains a merge conflict\n" in answer.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show"], 2, "write tjgen runs list, archive"),
        (["archive"], 2, "needs the NAME of a run"),
        (["archive", "digit-x"], 1, "TJ080"),
        (["list", "--keep", "2"], 2, "go with prune"),
        (["prune", "--keep", "few"], 2, "takes a number"),
        (["prune", "digits-*", "--keep", "1"], 2, "remove NAME"),
        (["list", "--env", "prod"], 1, "TJ262"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_refused(folder: Path, words: list[str], code: int, said: str) -> None:
    answer = runs(folder, *words)
    assert answer.code == code
    assert said in answer.err


def test_a_tree_needs_to_be_named_where_there_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    assert tjgen(tmp_path, "build", "experiment.yaml", "-o", "deploy").code == 0
    assert tjgen(tmp_path, "runs", "list").out.count("digits-") == 1
    refused = tjgen(tmp_path, "runs", "archive", "digits-*")
    assert (refused.code, "use -o DIR" in refused.err) == (2, True)
    assert tjgen(tmp_path, "runs", "archive", "digits-*", "-o", "deploy").code == 0
    again = tjgen(tmp_path, "runs", "rerun", "digits-*", "-o", "deploy")
    assert again.err == "runs: 1 new, 0 unchanged, 1 kept, 0 removed\n"


def test_lists_of_slices_are_one_object_for_all_runs_that_read_them(tmp_path: Path) -> None:
    data = """\
  nodes: 2
  volumes: {corpus: {pvc: corpus, mountPath: /corpus, readOnly: true}}
  data: {volume: corpus, items: {list: [a, b]}, slices: {deliver: configMap}}
  sweep: {matrix: {spec.env.RATE: [1, 2]}}
"""
    for script in ("train.py", "other.py"):
        text = EXPERIMENT.replace("train.py", script) + data
        (tmp_path / "experiment.yaml").write_text(text, encoding="utf-8")
        answer = build(tmp_path, "experiment.yaml")
        assert answer.code == 0, answer.err
    assert len(list((tmp_path / "out").rglob("trainjob-*.yaml"))) == 4
    assert [file.parent.parent.name for file in (tmp_path / "out").rglob("configmap-*.yaml")] == ["data"]


def test_prune_removes_the_runtime_files_that_no_run_uses_any_more(folder: Path) -> None:
    edit(folder, "train:1", "train:2")
    edit(folder, "tjgen-torch", "tjgen-plain")
    assert build(folder).code == 0
    other = EXPERIMENT.replace("name: digits", "name: letters")
    (folder / "experiments/letters.yaml").write_text(other, encoding="utf-8")
    assert build(folder).code == 0
    assert runs(folder, "prune").err.splitlines()[0] == "runs: 1 removed"
    assert len(runtimes(folder)) == 2  # letters uses the runtime of the removed run
    edit(folder, "tjgen-torch", "tjgen-plain", "experiments/letters.yaml")
    assert build(folder).code == 0
    assert len(runtimes(folder)) == 2
    assert runs(folder, "prune").err.splitlines()[0] == "runs: 1 removed"
    remaining = runtimes(folder)
    assert [path.name.split("-")[1] for path in remaining] == ["plain"]
    assert tjgen(folder, "build", "--check").code == 0
    assert build(folder).code == 0
    assert runtimes(folder) == remaining


def runtimes(folder: Path) -> list[Path]:
    return sorted((folder / "out/runtimes").rglob("*.yaml"))


def test_a_run_that_was_changed_by_hand_names_the_command_that_restores_it(folder: Path) -> None:
    """The same change in the experiment would start a new run, and another build is refused."""
    (name,) = jobs(folder)
    file = f"out/runs/vision/digits/{name}/trainjob-{name}.yaml"
    edit(folder, "numNodes: 2", "numNodes: 3", file)
    check, again = build(folder, "--check"), build(folder)
    assert (check.code, "  hint: to discard the edit, use tjgen build --force; to keep it" in check.err) == (1, True), check.err
    restore = f"tjgen runs rerun {name} && tjgen runs prune --force {name}; otherwise, use --force, which discards the edit"
    assert again.code == 1
    assert f"use {restore}; to keep it, first make the same change in experiments/digits.yaml\n" in again.err
