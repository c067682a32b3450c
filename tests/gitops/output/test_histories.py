"""A sample of random histories: `python -m tests.gitops.output.histories` runs more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.gitops.output.histories import WITHOUT_MIGRATE, BrokenPromiseError, Project, history


@pytest.mark.parametrize("seed", range(1, 7))
def test_no_run_or_claim_leaves_the_tree_without_an_explicit_command(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    assert len(history(tmp_path, seed)) > 20


# Histories that once broke a promise, before `tjgen migrate` was a step.
@pytest.mark.parametrize("seed", [11, 412, 20390, 40197])
def test_a_history_that_broke_a_promise_holds_it_now(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    assert history(tmp_path, seed, commands=WITHOUT_MIGRATE)


def test_the_watch_sees_a_run_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    project = Project(tmp_path, random.Random(1))
    next((tmp_path / "out").rglob("trainjob-digits-*.yaml")).unlink()
    with pytest.raises(BrokenPromiseError, match="is gone, and has no tombstone"):
        project.watch.look()


def test_the_watch_sees_a_claim_that_is_gone_and_other_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    project = Project(tmp_path, random.Random(1))
    job = next((tmp_path / "out").rglob("trainjob-letters-*.yaml"))
    text = job.read_text(encoding="utf-8")
    job.write_text(text.replace("train:1", "train:2"), encoding="utf-8")
    with pytest.raises(BrokenPromiseError, match="other content under the same name"):
        project.watch.look()
    job.write_text(text, encoding="utf-8")
    next((tmp_path / "out").rglob("persistentvolumeclaim-*")).unlink()
    with pytest.raises(BrokenPromiseError, match=r"claim .* is gone"):
        project.watch.look()
