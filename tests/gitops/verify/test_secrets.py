"""What `tjgen verify` reports about variables that look like secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import PROJECT, build, commit, experiment, git, overlay, start, verify

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
