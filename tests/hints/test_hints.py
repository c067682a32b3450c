"""Each hint of the tables resolves its finding when it is applied, and each other code is listed with a reason."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.hints.repository import start
from tests.hints.table import HERE, Situation, applied, situations
from tjgen.trees.diagnostics.codes import ACTIVE, load_codes

ALL = situations()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hints") / "nlp"
    folder.mkdir()
    start(folder)
    return folder


@pytest.mark.parametrize("situation", ALL, ids=[one.name for one in ALL])
def test_a_hint_resolves_its_finding(situation: Situation, repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "nlp"
    shutil.copytree(repository, folder)
    assert situation.faults(folder) == []


def test_each_code_is_applied_or_listed_with_a_reason() -> None:
    groups = tomllib.loads((HERE / "unapplied.toml").read_text(encoding="utf-8"))["group"]
    listed = [code for group in groups for code in group["codes"]]
    active = {entry.code for entry in load_codes() if entry.status == ACTIVE}
    assert all(group["reason"] for group in groups)
    assert len({*listed}) == len(listed)
    assert {*listed} == active - applied()
