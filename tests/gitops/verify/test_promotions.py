"""Promotions in `tjgen verify`: what the command makes passes, and a promoted run that the command does not make fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.attacks import job, relock, restamp
from tests.gitops.verify.repository import build, commit, git, overlay, verify
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
spec:
  experiments: [experiments]
  output: {directory: deploy}
  environments:
    dev: {}
    prod: {runs: promoted}
"""
EXPERIMENT = f"""\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: digits, namespace: vision}}
spec: {{runtime: tjgen-torch, image: "train@sha256:{"1" * 64}", script: train.py}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose run of dev is promoted to prod, after the commit."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "experiments").mkdir()
    (tmp_path / "tjgen.yaml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "experiments/digits.yaml").write_text(EXPERIMENT, encoding="utf-8")
    build(tmp_path)
    commit(tmp_path)
    (run,) = (tmp_path / "deploy/dev/runs/vision/digits").iterdir()
    answer = tjgen(tmp_path, "promote", run.name, "--env", "prod")
    assert answer.code == 0, answer.err
    return tmp_path


def promoted(project: Path) -> tuple[Path, Path]:
    """Folder and lock of the promoted run."""
    (run,) = (project / "deploy/prod/runs/vision/digits").iterdir()
    return run, project / f"tjgen.lock.d/prod/vision/digits/{run.name}.yaml"


def test_a_promotion_passes(project: Path) -> None:
    answer = verify(project, "--base", "HEAD")
    assert answer.code == 0, answer.err
    assert "Environment prod" in answer.out


def test_a_promoted_run_with_another_image_fails(project: Path) -> None:
    run, lock = promoted(project)
    restamp(job(run), lambda text: text.replace("1" * 64, "2" * 64))
    relock(lock, run)
    answer = verify(project, "--base", "HEAD")
    assert (answer.code, str(job(run).relative_to(project)) in answer.err) == (1, True), answer.err


@pytest.mark.parametrize("origin", ["", "promotedFrom: dev/vision/digits/digits-aaaaaaaa\n"])
def test_a_promotion_of_no_run_fails(project: Path, origin: str) -> None:
    _, lock = promoted(project)
    lines = lock.read_text(encoding="utf-8").splitlines(keepends=True)
    (old,) = [line for line in lines if line.startswith("promotedFrom:")]
    lock.write_text("".join(lines).replace(old, origin), encoding="utf-8")
    answer = verify(project, "--base", "HEAD")
    assert (answer.code, str(lock.relative_to(project)) in answer.err) == (1, True), answer.err


@pytest.mark.parametrize("command", [("runs", "rerun"), ("build", "--renew")])
def test_a_promoted_run_runs_again(command: tuple[str, str], project: Path) -> None:
    """The run that it replaces is superseded, as everywhere, and can be pruned."""
    first, _ = promoted(project)
    commit(project)
    overlay(project, 2)
    text = (project / "tjgen.yaml").read_text(encoding="utf-8")
    (project / "tjgen.yaml").write_text(f"{text}  overlays: [overlays]\n", encoding="utf-8")
    answer = tjgen(project, *command, first.name)
    assert answer.code == 0, answer.err
    states = {one.stem: one.read_text() for one in (project / "tjgen.lock.d/prod/vision/digits").iterdir()}
    assert len(states) == 2
    assert [name for name, text in states.items() if "state: superseded" in text] == [first.name]
    answer = verify(project, "--base", "HEAD")
    assert answer.code == 0, answer.err
    assert tjgen(project, "build", "--check").code == 0
    commit(project)
    answer = verify(project, "--base", "HEAD~1")
    assert answer.code == 0, answer.err
    answer = tjgen(project, "runs", "prune", first.name)
    assert answer.code == 0, answer.err


def test_a_build_supersedes_a_promoted_run_that_ran_again_before(project: Path) -> None:
    """Earlier releases left both of them current."""
    first, lock = promoted(project)
    commit(project)
    assert tjgen(project, "runs", "rerun", first.name).code == 0
    lock.write_text(lock.read_text(encoding="utf-8").replace("state: superseded", "state: active"), encoding="utf-8")
    build(project)
    assert "state: superseded" in lock.read_text(encoding="utf-8")


def test_a_rollback_to_an_earlier_promoted_run_passes(project: Path) -> None:
    experiment = project / "experiments/digits.yaml"
    (first,) = (run.name for run in (project / "deploy/dev/runs/vision/digits").iterdir())
    _, old_lock = promoted(project)
    commit(project)
    experiment.write_text(EXPERIMENT.replace("train.py", "other.py"), encoding="utf-8")
    build(project)
    (second,) = (run.name for run in (project / "deploy/dev/runs/vision/digits").iterdir() if run.name != first)
    assert tjgen(project, "promote", second, "--env", "prod").code == 0
    (new_lock,) = (path for path in old_lock.parent.iterdir() if path != old_lock)
    assert verify(project, "--base", "HEAD").code == 0
    commit(project)
    experiment.write_text(EXPERIMENT, encoding="utf-8")
    build(project)
    # Only a promotion changes the current run of this environment.
    assert "state: superseded" in old_lock.read_text(encoding="utf-8")
    assert "state: active" in new_lock.read_text(encoding="utf-8")
    assert verify(project, "--base", "HEAD").code == 0
    answer = tjgen(project, "promote", first, "--env", "prod")
    assert (answer.code, "TJ276" in answer.err) == (0, False)
    assert "state: active" in old_lock.read_text(encoding="utf-8")
    assert "state: superseded" in new_lock.read_text(encoding="utf-8")
    answer = verify(project, "--base", "HEAD")
    assert answer.code == 0, answer.err
    before = {path: path.read_bytes() for path in (old_lock, new_lock)}
    build(project)
    assert {path: path.read_bytes() for path in before} == before
    new_lock.write_text(new_lock.read_text(encoding="utf-8").replace("superseded", "active"), encoding="utf-8")
    assert verify(project, "--base", "HEAD").code == 1


def test_the_revert_of_a_promotion_is_not_another_promotion(project: Path) -> None:
    commit(project)
    source = project / "experiments/digits.yaml"
    source.write_text(EXPERIMENT.replace("1" * 64, "2" * 64), encoding="utf-8")
    build(project)
    commit(project)
    names = [path.name for path in (project / "deploy/dev/runs/vision/digits").iterdir()]
    assert sorted(tjgen(project, "promote", name, "--env", "prod").code for name in names) == [0, 1]
    commit(project)
    git(project, "revert", "--no-edit", "HEAD")
    answer = verify(project)
    assert (answer.code, "error[TJ293]" in answer.err, "TJ733" in answer.err) == (1, True, False), answer.err


def test_the_hint_for_an_edit_of_a_promoted_run_names_the_promotion(project: Path) -> None:
    commit(project)
    run, _ = promoted(project)
    file = job(run)
    file.write_text(file.read_text(encoding="utf-8").replace("1" * 64, "2" * 64), encoding="utf-8")
    commit(project)
    expected = (
        "make the same change in experiments/digits.yaml, and build; then use tjgen promote NAME --env prod for the new run"
    )
    assert expected in verify(project).err


def test_a_promotion_after_which_the_earlier_runs_are_pruned_loses_no_runtime(project: Path) -> None:
    base = commit(project)
    folder = project / "deploy/dev/runs/vision/digits"
    earlier = set(folder.iterdir())
    (project / "experiments/digits.yaml").write_text(EXPERIMENT.replace("train.py", "train2.py"), encoding="utf-8")
    build(project)
    (run,) = set(folder.iterdir()) - earlier
    assert tjgen(project, "promote", run.name, "--env", "prod").code == 0
    commit(project)
    assert tjgen(project, "runs", "prune").code == 0
    commit(project)
    answer = verify(project, "--base", base)
    assert answer.code == 0, answer.err
    assert "TJ750" not in answer.err
