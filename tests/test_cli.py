"""Command lines: exit code, standard output and standard error of each, as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from tests.program import cases, tjgen


@pytest.mark.parametrize("case", cases("cli"), ids=lambda case: case.name)
def test_command_line(case: Path, expected: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    described = yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))
    # A copy of all: cases look at each other's files, and none may write into the repository.
    shutil.copytree(case.parent, tmp_path / "cli", ignore=shutil.ignore_patterns("expected"))
    answer = tjgen(tmp_path / "cli" / case.name, *described["command"], stdin=described.get("stdin", ""))
    text = f"exit code {answer.code}\n"
    for name, stream in (("standard output", answer.out), ("standard error", answer.err)):
        text += f"--- {name}\n{stream}" if stream else ""
    assert text == expected(name="answer.txt")
