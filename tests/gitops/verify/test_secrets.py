"""What `tjgen verify` reports about variables that look like secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import PROJECT, build, commit, experiment, git, overlay, start, verify
from tests.program import tjgen

ENV = """\
  env:
    ALPHA: "1"
    BETA: "2"
    WANDB_API_KEY: 0123456789abcdef0123456789abcdef01234567
"""


def test_the_place_is_the_line_of_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(tmp_path)
    monkeypatch.chdir(tmp_path)
    experiment(tmp_path, "words", more=ENV)
    build(tmp_path)
    commit(tmp_path)
    line = (tmp_path / "experiments/words.yaml").read_text(encoding="utf-8").splitlines().index(ENV.splitlines()[3]) + 1
    answer = verify(tmp_path, "--base", "base")
    assert f"warning[TJ662] experiments/words.yaml:{line}:20:" in answer.err
    assert "0123456789" not in answer.err
    assert "ALPHA" not in answer.err


def test_a_project_without_gitops_gets_the_same_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "tjgen.yaml").write_text(PROJECT.partition("  gitops:")[0], encoding="utf-8")
    (tmp_path / "catalog").mkdir()
    overlay(tmp_path, 1)
    base = commit(tmp_path)
    experiment(tmp_path, "words", more=ENV)
    assert "warning[TJ109] experiments/words.yaml:13:20:" in build(tmp_path).err
    commit(tmp_path)
    assert "warning[TJ662] experiments/words.yaml:13:20:" in verify(tmp_path, "--base", base).err


def test_a_committed_secret_leaves_the_tree_with_the_runs_that_contain_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps of docs/troubleshooting.md."""
    value = "0123456789abcdef0123456789abcdef01234567"
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    project = PROJECT.replace(
        "  output:", "  environments: {dev: {namespace: lab}, prod: {namespace: vision, runs: promoted}}\n  output:"
    )
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    (tmp_path / "catalog").mkdir()
    overlay(tmp_path, 1)
    holding: set[str] = set()
    for more in (ENV, ENV.replace(value, "{secret: wandb, key: WANDB_API_KEY}")):
        experiment(tmp_path, "words", f"1@sha256:{'1' * 64}", more)
        source = tmp_path / "experiments/words.yaml"
        source.write_text(source.read_text(encoding="utf-8").replace(", namespace: vision", ""), encoding="utf-8")
        assert ("revoke it" in build(tmp_path).err) == (value in more)
        (run,) = {path.name for path in (tmp_path / "deploy/dev/runs/lab/words").iterdir()} - holding
        assert tjgen(tmp_path, "promote", run, "--env", "prod").code == 0
        commit(tmp_path)
        holding = holding or {path.name for path in tmp_path.glob("deploy/*/runs/*/words/*")}
    found = tjgen(tmp_path, "lint")
    assert holding == {run for run in holding if f"/{run}/trainjob-{run}.yaml:" in found.err}
    assert tjgen(tmp_path, "runs", "prune", *holding).code == 0
    commit(tmp_path)
    assert "TJ662" not in tjgen(tmp_path, "lint").err
    assert not [path for path in tmp_path.rglob("*.yaml") if value in path.read_text(encoding="utf-8")]
    assert verify(tmp_path, "--base", "HEAD^").code == 0
    assert tjgen(tmp_path, "build", "--check").code == 0
