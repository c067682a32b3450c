"""Runs that no source requests: they stay byte for byte, every gate fails, and an explicit command resolves it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gitops.output.test_runs import EXPERIMENT, edit, snapshot
from tests.program import Answer, tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  environments: {dev: {}, prod: {}}
  output: {directory: out}
"""
CLAIM = "  volumes:\n    results: {pvc: {create: {size: 10Gi}}, mountPath: /results}\n"


@pytest.fixture(params=["cache", "no cache"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A project with two experiments in two environments, built."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TJGEN_CACHE", "off" if request.param == "no cache" else "")
    project = tmp_path / "project"
    (project / "experiments").mkdir(parents=True)
    (project / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (project / "experiments/digits.yaml").write_text(EXPERIMENT + CLAIM, encoding="utf-8")
    other = EXPERIMENT.replace("digits", "letters").replace("train:1", "letters:1")
    (project / "experiments/letters.yaml").write_text(other + CLAIM, encoding="utf-8")
    assert build(project).code == 0
    return project


def build(folder: Path, *words: str) -> Answer:
    return tjgen(folder, "build", "-o", "out", *words)


def tree(folder: Path) -> dict[str, bytes]:
    return {path: body for path, body in snapshot(folder).items() if path.startswith("out/")}


def states(folder: Path) -> dict[str, str]:
    """Environment and name of each run -> its state; `tjgen runs` without a word lists them."""
    answer = tjgen(folder, "runs", "--json")
    assert answer.code == 0, answer.err
    return {f"{run['environment']}/{run['name']}": run["state"] for run in json.loads(answer.out)}


def of(folder: Path, experiment: str) -> list[str]:
    return sorted(state for name, state in states(folder).items() if f"/{experiment}-" in name)


CHANGES: dict[str, Callable[[Path], object]] = {
    "the experiment is removed": lambda folder: (folder / "experiments/letters.yaml").unlink(),
    "the experiment is renamed": lambda folder: edit(folder, "name: letters", "name: glyphs", "experiments/letters.yaml"),
    "the namespace changes": lambda folder: edit(folder, "namespace: vision", "namespace: sight", "experiments/letters.yaml"),
    "the file moves out": lambda folder: (folder / "experiments/letters.yaml").rename(folder / "letters.yaml"),
    "the folder is left out": lambda folder: edit(folder, "[experiments]", "[experiments/digits.yaml]", "tjgen.yaml"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_orphaned_runs_stay_byte_for_byte_and_every_gate_fails(folder: Path, change: str) -> None:
    before = tree(folder)
    CHANGES[change](folder)
    answer = build(folder)
    assert answer.code == 0, answer.err
    assert "warning[TJ273] 2 runs are orphaned" in answer.err
    assert {path: tree(folder).get(path) for path in before} == before
    assert of(folder, "letters") == ["orphaned", "orphaned"]
    for gate in (["--check"], ["--strict"], ["--check", "--strict"]):
        refused = build(folder, *gate)
        assert (refused.code, "error[TJ273]" in refused.err) == (1, True), gate
    assert build(folder).code == 0
    assert {path: tree(folder).get(path) for path in before} == before


def test_the_pre_commit_gate_fails_too(folder: Path) -> None:
    from tests.gitops.output.test_merges import git

    git(folder, "init", "--quiet")
    (folder / "experiments/letters.yaml").unlink()
    git(folder, "add", "--all")
    refused = build(folder, "--staged")
    assert (refused.code, "error[TJ273]" in refused.err) == (1, True)


RESOLUTIONS = {
    "prune": (["runs", "prune", "letters-*"], ["pruned", "pruned"]),
    "archive": (["runs", "archive", "letters-*"], ["archived", "archived"]),
    "keep": (["runs", "keep", "letters-*"], ["orphaned", "orphaned"]),
    "prune in a build": (["build", "-o", "out", "--prune-runs"], ["pruned", "pruned"]),
}


@pytest.mark.parametrize("command", RESOLUTIONS)
def test_one_command_resolves_it(folder: Path, command: str) -> None:
    (folder / "experiments/letters.yaml").unlink()
    build(folder)
    words, after = RESOLUTIONS[command]
    answer = tjgen(folder, *words)
    assert answer.code == 0, answer.err
    assert of(folder, "letters") == after
    assert "TJ273" not in build(folder).err
    checked = build(folder, "--check", "--strict")
    assert checked.code == 0, checked.err
    assert of(folder, "letters") == after


def test_a_source_that_returns_resolves_it(folder: Path) -> None:
    before = snapshot(folder)
    file = folder / "experiments/letters.yaml"
    text = file.read_text(encoding="utf-8")
    file.unlink()
    build(folder)
    file.write_text(text, encoding="utf-8")
    assert build(folder).code == 0
    assert snapshot(folder) == before


def test_a_source_that_returns_forgets_that_the_orphan_was_kept(folder: Path) -> None:
    file = folder / "experiments/letters.yaml"
    text = file.read_text(encoding="utf-8")
    file.unlink()
    build(folder)
    assert tjgen(folder, "runs", "keep", "letters-*").code == 0
    # Another tool changes only annotations, so the files of the run are changed in place.
    edit(folder, "  output:", "  gitops: {tool: flux}\n  output:", "tjgen.yaml")
    file.write_text(text, encoding="utf-8")
    assert build(folder).code == 0
    before = snapshot(folder)
    assert build(folder).code == 0
    assert snapshot(folder) == before
    assert "kept: true" not in "".join(str(content) for content in before.values())


def test_a_pruned_name_is_never_used_again(folder: Path) -> None:
    file = folder / "experiments/letters.yaml"
    text = file.read_text(encoding="utf-8")
    names = {name for name in states(folder) if "/letters-" in name}
    for _ in range(3):
        file.unlink()
        build(folder)
        assert tjgen(folder, "runs", "prune", "letters-*").code == 0
        file.write_text(text, encoding="utf-8")
        assert build(folder).code == 0
        new = {name for name, state in states(folder).items() if "/letters-" in name and state == "current"}
        assert len(new) == 2
        assert not new & names
        names |= new
    assert build(folder, "--check").code == 0


def test_a_pruned_fixed_name_is_refused(folder: Path) -> None:
    file = folder / "experiments/letters.yaml"
    edit(folder, "spec:\n", "spec:\n  naming: fixed\n", "experiments/letters.yaml")
    text = file.read_text(encoding="utf-8")
    build(folder)
    file.unlink()
    build(folder)
    assert tjgen(folder, "runs", "prune", "letters*").code == 0
    file.write_text(text, encoding="utf-8")
    refused = build(folder)
    assert (refused.code, "error[TJ272]" in refused.err) == (1, True)
    edit(folder, "naming: fixed", "naming: fixed\n  attempt: 2", "experiments/letters.yaml")
    assert build(folder).code == 0


def test_a_superseded_run_that_was_pruned_gets_another_name_when_its_content_returns(folder: Path) -> None:
    before = set(states(folder))
    edit(folder, "train:1", "train:2")
    build(folder)
    assert tjgen(folder, "runs", "prune").code == 0
    edit(folder, "train:2", "train:1")
    build(folder)
    now = {name for name, state in states(folder).items() if state == "current" and "/digits-" in name}
    assert len(now) == 2
    assert not now & before


def test_an_environment_that_is_gone_is_an_error_with_the_ways_out(folder: Path) -> None:
    before = snapshot(folder)
    edit(folder, "prod: {}", "production: {}", "tjgen.yaml")
    for words in ([], ["--check"]):
        refused = build(folder, *words)
        assert refused.code == 1
        assert 'error[TJ274] environment "prod" is not in the project, but 2 runs of "prod" still exist' in refused.err
        assert "tjgen runs prune, archive or keep --env prod" in refused.err
        assert snapshot(folder) == before
    assert tjgen(folder, "runs", "archive", "*", "--env", "prod").code == 0
    assert build(folder).code == 0
    assert build(folder, "--check").code == 0
    assert all(path in tree(folder) for path in before if path.startswith("out/"))


@pytest.mark.parametrize("verb", ["prune", "keep"])
def test_runs_of_an_environment_that_is_gone_can_be_chosen(folder: Path, verb: str) -> None:
    edit(folder, ", prod: {}", "", "tjgen.yaml")
    assert tjgen(folder, "runs", verb, "*", "--env", "prod").code == 0
    assert build(folder).code == 0
    assert bool(list((folder / "out/prod/runs").rglob("trainjob-*"))) == (verb == "keep")


def test_environments_that_are_added_do_not_remove_the_runs_without_one(tmp_path: Path) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (tmp_path / "tjgen.yaml").write_text(PROJECT.replace("  environments: {dev: {}, prod: {}}\n", ""), encoding="utf-8")
    assert build(tmp_path).code == 0
    before = snapshot(tmp_path)
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    refused = build(tmp_path)
    assert (refused.code, "error[TJ274]" in refused.err) == (1, True)
    assert snapshot(tmp_path) == before


def test_a_path_that_matches_nothing_removes_nothing(folder: Path) -> None:
    before = snapshot(folder)
    edit(folder, "[experiments]", "[experimentz]", "tjgen.yaml")
    refused = build(folder)
    assert (refused.code, "error[TJ202]" in refused.err) == (1, True)
    assert snapshot(folder) == before


def test_a_deleted_lock_removes_nothing_not_even_of_experiments_that_are_gone(folder: Path) -> None:
    import shutil

    before = tree(folder)
    (folder / "experiments/letters.yaml").unlink()
    shutil.rmtree(folder / "tjgen.lock.d")
    refused = build(folder)
    assert refused.code == 1
    assert refused.err.count("error[TJ740]") == 2
    assert tree(folder) == before


def test_a_stray_run_next_to_a_cached_experiment_is_refused(folder: Path) -> None:
    (folder / "out/dev/runs/vision/digits/digits-stray").mkdir()
    job = next((folder / "out/dev/runs/vision/digits").rglob("trainjob-*.yaml"))
    stray = folder / "out/dev/runs/vision/digits/digits-stray" / job.name
    stray.write_bytes(job.read_bytes())
    refused = build(folder)
    assert (refused.code, "error[TJ740]" in refused.err, stray.exists()) == (1, True, True)


def test_a_lock_of_a_newer_release_is_refused_and_nothing_changes(folder: Path) -> None:
    lock = next((folder / "tjgen.lock.d/dev/vision/letters").iterdir())
    edit(folder, "tjgen.dev/v1alpha1", "tjgen.dev/v2", str(lock.relative_to(folder)))
    before = snapshot(folder)
    (folder / "experiments/letters.yaml").unlink()
    refused = build(folder)
    assert (refused.code, "error[TJ017]" in refused.err) == (1, True)
    assert snapshot(folder) == before


def test_line_ends_of_a_checkout_change_nothing(folder: Path) -> None:
    """With core.autocrlf, Git writes CRLF into the tree, the lock and the sources."""
    states_before = states(folder)
    for path in [*(folder / "out").rglob("*.yaml"), *(folder / "tjgen.lock.d").rglob("*.yaml")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    for source in (folder / "experiments").iterdir():
        source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    paths = set(tree(folder))
    (folder / "experiments/letters.yaml").unlink()
    assert "TJ273" in build(folder).err
    assert set(tree(folder)) == paths
    assert set(states(folder)) == set(states_before)
    assert of(folder, "digits") == ["current", "current"]


def test_a_check_names_the_line_ends_of_a_checkout_once(folder: Path) -> None:
    files = sorted((folder / "out").rglob("*.yaml"))
    for path in [*files, *(folder / "tjgen.lock.d").rglob("*.yaml")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = snapshot(folder)
    answer = tjgen(folder, "build", "-o", "out", "--check")
    assert (answer.code, answer.err.count("error[")) == (1, 1), answer.err
    assert "have CRLF line endings, but tjgen writes LF" in answer.err
    assert "git config core.autocrlf input" in answer.err
    assert snapshot(folder) == before
    files[0].write_bytes(before[str(files[0].relative_to(folder))].replace(b"\r\n", b"\n"))
    files[1].unlink()
    assert f"{files[1].relative_to(folder)} is missing" in tjgen(folder, "build", "-o", "out", "--check").err


def test_a_run_whose_lock_was_deleted_names_the_way_to_restore_it(folder: Path) -> None:
    shutil.rmtree(folder / "tjgen.lock.d")
    edit(folder, "letters:1", "letters:2", "experiments/letters.yaml")
    before = snapshot(folder)
    answer = tjgen(folder, "build", "-o", "out")
    assert (answer.code, "error[TJ740]" in answer.err) == (1, True), answer.err
    assert "hint: restore the folder of locks from Git" in answer.err
    assert snapshot(folder) == before


def test_the_runtime_of_a_run_that_was_deleted_with_its_lock_is_not_removed_in_silence(folder: Path) -> None:
    (folder / "experiments/letters.yaml").unlink()
    for path in [*(folder / "out").glob("*/runs/*/letters"), *(folder / "tjgen.lock.d").glob("*/*/letters")]:
        shutil.rmtree(path)
    assert "TJ750" not in build(folder).err  # the runs of digits use it
    for path in [*(folder / "out").glob("*/runs"), folder / "tjgen.lock.d"]:
        shutil.rmtree(path)
    edit(folder, "tjgen-torch", "tjgen-jax", "experiments/digits.yaml")
    answer = build(folder)
    assert (answer.code, answer.err.count("warning[TJ750]")) == (0, 2), answer.err
    assert "TJ750" not in build(folder).err


def test_the_runtime_of_a_pruned_run_is_removed_without_a_warning(folder: Path) -> None:
    for name in ("digits", "letters"):
        edit(folder, "tjgen-torch", "tjgen-jax", f"experiments/{name}.yaml")
    assert build(folder).code == 0
    before = len(list((folder / "out").glob("*/runtimes/*/*")))
    assert tjgen(folder, "runs", "prune", "-o", "out").code == 0
    answer = build(folder)
    assert (answer.code, "TJ750" in answer.err) == (0, False), answer.err
    assert len(list((folder / "out").glob("*/runtimes/*/*"))) < before


def test_conflict_markers_in_a_lock_of_an_experiment_that_is_gone_change_nothing(folder: Path) -> None:
    lock = next((folder / "tjgen.lock.d/dev/vision/letters").iterdir())
    edit(
        folder,
        "state: active\n",
        "<<<<<<< a\nstate: active\n=======\nstate: superseded\n>>>>>>> b\n",
        str(lock.relative_to(folder)),
    )
    (folder / "experiments/letters.yaml").unlink()
    before = snapshot(folder)
    for words in (["build", "-o", "out"], ["build", "-o", "out", "--prune-runs"], ["runs", "prune", "letters-*"]):
        refused = tjgen(folder, *words)
        assert (refused.code, "error[TJ070]" in refused.err) == (1, True)
        assert snapshot(folder) == before


def test_runs_that_are_still_requested_are_listed_as_kept(folder: Path) -> None:
    before = snapshot(folder)
    (folder / "experiments/letters.yaml").unlink()
    answer = tjgen(folder, "runs", "prune", "letters-*")
    assert answer.code == 0
    assert "runs: 0 removed\nkept: letters-" in answer.err
    assert "If you removed their experiment, build first" in answer.err
    assert tree(folder) == {path: body for path, body in before.items() if path.startswith("out/")}
