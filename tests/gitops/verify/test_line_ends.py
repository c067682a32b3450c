"""A file with CRLF line endings is reported as such, with a command that repairs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.gitops.verify.repository import commit, experiment, lock_of, runs, start, verify
from tests.program import tjgen


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("part", ["lock", "tree"])
def test_crlf_is_named_with_a_repair(tmp_path: Path, part: str, *, is_new: bool) -> None:
    start(tmp_path)
    if is_new:
        experiment(tmp_path, "words", "5")
        assert tjgen(tmp_path, "build").code == 0
    run = runs(tmp_path, "words" if is_new else "letters")[0]
    file = lock_of(tmp_path, run) if part == "lock" else next(run.glob("trainjob*.yaml"))
    before = file.read_bytes()
    file.write_bytes(before.replace(b"\n", b"\r\n"))
    commit(tmp_path)
    answer = verify(tmp_path, "--base", "base")
    place = file.relative_to(tmp_path)
    assert answer.code == 1
    assert (
        f"error[{'TJ291' if is_new else 'TJ292'}] {place}:1:1: the file has CRLF line endings, and tjgen writes LF" in answer.err
    )
    assert f"hint: use perl -pi -e 's/\\r$//' {place}, and commit the result" in answer.err
    subprocess.run(["perl", "-pi", "-e", "s/\\r$//", str(file)], check=True)
    assert file.read_bytes() == before
    commit(tmp_path)
    assert verify(tmp_path, "--base", "base").code == 0
