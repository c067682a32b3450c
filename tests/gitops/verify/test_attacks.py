"""Each change by hand fails in `tjgen verify`, which names the file; most pass `build --check` and `lint`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.gitops.verify.attacks import ATTACKS, Attack
from tests.gitops.verify.repository import start, verify
from tests.program import tjgen


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository that each attack gets a copy of."""
    folder = tmp_path_factory.mktemp("verify") / "project"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TJGEN_CACHE", "off")
        start(folder)
    return folder


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_verify_names_the_file(attack: Attack, origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    folder = tmp_path / "project"
    shutil.copytree(origin, folder, symlinks=True)
    assert verify(folder, "--base", "base").code == 0
    file = attack.change(folder)
    before = [tjgen(folder, "build", "--check").code, tjgen(folder, "lint").code]
    assert (before == [0, 0]) == attack.passes_before
    answer = verify(folder, "--base", "base")
    assert answer.code == 1, answer.out
    place = file.relative_to(folder)
    assert str(place) in answer.err or str(place.parent) in answer.err  # one error for all files of a removed run
