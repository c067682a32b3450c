"""A new run and the runs of the base: names that clash, whichever of the two comes first."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, git, verify

BUILT = Path(__file__).resolve().parents[2] / "cluster/validate/built"


@pytest.mark.parametrize("new", [0, 1])
@pytest.mark.parametrize("code", ["TJ865", "TJ866"])
def test_verify_reports_names_that_clash_with_those_of_the_base(
    code: str, new: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for name in ("tjgen.yaml", "runtime.yaml"):
        shutil.copy(BUILT / name, tmp_path)
    texts = (BUILT / f"{code}.yaml").read_text(encoding="utf-8").split("---\n")
    folder = tmp_path / "experiments"
    folder.mkdir()
    (folder / "base.yaml").write_text(texts[1 - new], encoding="utf-8")
    build(tmp_path)
    commit(tmp_path)
    assert "TJ656" not in verify(tmp_path).err
    (folder / "new.yaml").write_text(texts[new], encoding="utf-8")
    build(tmp_path)
    answer = verify(tmp_path)
    assert answer.code == 1
    assert "error[TJ656]" in answer.err
