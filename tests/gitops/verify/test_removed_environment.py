"""The runs of an environment that was removed are pruned, archived or kept: what `verify` reports of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import PROJECT, build, commit, experiment, git, verify
from tests.program import tjgen

_ENVIRONMENTS = "  environments: {dev: {namespace: vision-dev}, prod: {namespace: vision}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with the environments dev and prod, and a run in each."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    text = PROJECT.replace("  overlays: [overlays]\n  catalogs: [catalog]\n", _ENVIRONMENTS)
    (tmp_path / "tjgen.yaml").write_text(text, encoding="utf-8")
    experiment(tmp_path, "digits")
    source = tmp_path / "experiments/digits.yaml"
    source.write_text(source.read_text(encoding="utf-8").replace(", namespace: vision", ""), encoding="utf-8")
    build(tmp_path)
    commit(tmp_path)
    (tmp_path / "tjgen.yaml").write_text(text.replace("dev: {namespace: vision-dev}, ", ""), encoding="utf-8")
    return tmp_path


def decided(folder: Path, verb: str) -> None:
    answer = tjgen(folder, "runs", verb, "--env", "dev", "*")
    assert answer.code == 0, answer.err
    build(folder)
    commit(folder)


def test_pruned_runs_are_listed_as_stopping(folder: Path) -> None:
    decided(folder, "prune")
    answer = verify(folder)
    assert (answer.code, "error[" in answer.err) == (0, False), answer.err
    assert "Environment dev\n  stops when you confirm it: 1 (digits-" in answer.out
    assert not list((folder / "deploy/dev").rglob("trainjob-*"))
    assert not list((folder / "deploy/dev").rglob("tjgen-torch-*"))


@pytest.mark.parametrize("verb", ["archive", "keep"])
def test_runs_that_stay_do_not_stop(folder: Path, verb: str) -> None:
    decided(folder, verb)
    answer = verify(folder)
    assert (answer.code, "error[" in answer.err) == (0, False), answer.err
    assert "stops when you confirm it" not in answer.out
