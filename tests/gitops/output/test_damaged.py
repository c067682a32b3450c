"""Files of runs that no build writes again: what is lost or edited shows in every build, and stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, experiment, git, runs, start, verify
from tests.program import tjgen


@pytest.fixture(params=["off", "on"])
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A repository with a superseded run of digits, and orphaned ones of letters; with and without a cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TJGEN_CACHE", request.param)
    folder = tmp_path / "project"
    start(folder)
    assert tjgen(folder, "runs", "archive", "letters-*").code == 0
    experiment(folder, "glyphs", "1")
    build(folder)
    commit(folder)
    for name in ("letters", "glyphs"):
        (folder / f"experiments/{name}.yaml").unlink()
    build(folder)
    assert tjgen(folder, "runs", "keep", "glyphs-*").code == 0
    build(folder)
    commit(folder)
    assert tjgen(folder, "build", "--check").code == 0
    return folder


def superseded(folder: Path) -> Path:
    """The folder of the superseded run."""
    states = {one: (folder / f"tjgen.lock.d/default/vision/digits/{one.name}.yaml").read_text() for one in runs(folder, "digits")}
    (run,) = [one for one, text in states.items() if "state: superseded" in text]
    return run


def manifest(run: Path) -> Path:
    (file,) = run.glob("trainjob-*.yaml")
    return file


def test_lost_files_show_until_they_are_restored(folder: Path) -> None:
    (letters,), (glyphs,) = runs(folder, "letters"), runs(folder, "glyphs")
    for run in (superseded(folder), letters, glyphs):
        manifest(run).unlink()
        for _ in range(2):
            answer = tjgen(folder, "build")
            assert (answer.code, answer.err.count("warning[TJ697]")) == (0, 1), answer.err
            assert f'run "{run.name}" is in the lock' in answer.err
            assert f"git checkout HEAD -- deploy/runs/vision/{run.parent.name}/{run.name}" in answer.err
        assert not manifest_exists(run)
        answer = tjgen(folder, "build", "--check")
        assert (answer.code, answer.err.count("error[TJ697]")) == (1, 1), answer.err
        assert tjgen(folder, "build", "--strict").code == 1
        git(folder, "checkout", "HEAD", "--", f"deploy/runs/vision/{run.parent.name}/{run.name}")
        answer = tjgen(folder, "build", "--check")
        assert answer.code == 0, answer.err


def manifest_exists(run: Path) -> bool:
    return any(run.glob("trainjob-*.yaml"))


def test_edited_files_show_and_stay(folder: Path) -> None:
    file = manifest(superseded(folder))
    content = file.read_text(encoding="utf-8").replace("train:1", "train:7")
    file.write_text(content, encoding="utf-8")
    for _ in range(2):
        answer = tjgen(folder, "build")
        assert (answer.code, answer.err.count("warning[TJ697]")) == (0, 1), answer.err
        assert "do not match its lock" in answer.err
    assert file.read_text(encoding="utf-8") == content
    answer = tjgen(folder, "build", "--check")
    assert (answer.code, answer.err.count("error[TJ697]")) == (1, 1), answer.err


def test_a_pruned_run_is_not_reported(folder: Path) -> None:
    run = superseded(folder)
    manifest(run).unlink()
    answer = tjgen(folder, "runs", "prune", run.name)
    assert answer.code == 0, answer.err
    answer = tjgen(folder, "build")
    assert (answer.code, "TJ697" in answer.err) == (0, False), answer.err
    assert tjgen(folder, "build", "--check").code == 0


def test_lost_files_of_a_run_that_moved_to_an_environment_show(folder: Path) -> None:
    text = (folder / "tjgen.yaml").read_text(encoding="utf-8").replace("spec:\n", "spec:\n  environments: {dev: {}}\n")
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(folder, "migrate", "--environment", "dev", "--write")
    assert answer.code == 0, answer.err
    (file,) = [
        one for one in (folder / "deploy/dev/runs").rglob("trainjob-*.yaml") if "train:2" in one.read_text(encoding="utf-8")
    ]
    file.unlink()
    for _ in range(2):
        answer = tjgen(folder, "build")
        assert (answer.code, answer.err.count("warning[TJ697]")) == (0, 1), answer.err
        assert "runs prune" not in answer.err
    assert tjgen(folder, "build", "--check").code == 1
    assert not file.exists()


def test_verify_finds_what_the_base_lost_too(folder: Path) -> None:
    assert verify(folder).code == 0
    run = superseded(folder)
    manifest(run).unlink()
    answer = verify(folder)
    assert (answer.code, "error[TJ293]" in answer.err, "TJ697" in answer.err) == (1, True, False), answer.err
    commit(folder)
    commit(folder)
    answer = verify(folder)
    assert (answer.code, answer.err.count("error[TJ697]")) == (1, 1), answer.err
    git(folder, "checkout", "HEAD~2", "--", f"deploy/runs/vision/digits/{run.name}")
    answer = verify(folder, "--base", "HEAD~2")
    assert answer.code == 0, answer.err


DAMAGES = ("<<<<<<< HEAD\n=======\n", "---\n- 1\n", "metadata: {}\n", "}\n", "\x00", "a: !!int b\n", "&a [*a]\n")


@pytest.mark.parametrize("damage", [*DAMAGES, ""], ids=repr)
def test_a_damaged_shared_file_of_superseded_runs_is_named(tmp_path: Path, damage: str) -> None:
    """Also without any object: the header stays, so the file is one of tjgen. `--force` writes it again."""
    folder = tmp_path / "project"
    start(folder)
    file = folder / "experiments/digits.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "  pod: {dnsPolicy: Default}\n", encoding="utf-8")
    for nodes in (2, 3):
        file.write_text(file.read_text(encoding="utf-8").replace("\nspec:", f"\nspec:\n  nodes: {nodes}", 1), encoding="utf-8")
        build(folder)
        commit(folder)
        file.write_text(file.read_text(encoding="utf-8").replace(f"\n  nodes: {nodes}", "", 1), encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace("\nspec:", "\nspec:\n  nodes: 3", 1), encoding="utf-8")
    shared = sorted((folder / "deploy/runtimes").glob("*/*.yaml"))
    assert shared
    for one in shared:
        text = one.read_text(encoding="utf-8")
        kept = text if damage else "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
        one.write_text(kept + damage, encoding="utf-8")
    for words in (["build", "--check"], ["diff"], ["build"], ["runs", "list"], ["fit"]):
        answer = tjgen(folder, *words)
        assert answer.code in (0, 1), (words, answer.err)
        if words[0] == "build":
            assert (answer.code, shared[0].name in answer.err) == (1, True), (words, answer.err)
    answer = tjgen(folder, "build", "--force")
    assert answer.code == 0, answer.err
    assert tjgen(folder, "build", "--check").code == 0
