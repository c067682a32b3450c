"""What `tjgen verify` reports about changes of claims that the API server refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.repository import build, commit, start, verify

CHANGED = "accessModes: [ReadWriteOnce]"
IGNORED = CHANGED + ', annotations: {tjgen.dev/ignore: "TJ621: never applied"}'


def change(folder: Path, words: str) -> None:
    """Set fields of the claim of experiment `letters`."""
    file = folder / "experiments/letters.yaml"
    before = file.read_text(encoding="utf-8").partition("size: 10Gi")[0]
    file.write_text(f"{before}size: 10Gi, {words}}}}}, mountPath: /results}}\n", encoding="utf-8")
    build(folder)


def test_a_refused_change_is_one_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(tmp_path)
    monkeypatch.chdir(tmp_path)
    change(tmp_path, CHANGED)
    commit(tmp_path)
    answer = verify(tmp_path, "--base", "base")
    assert answer.code == 1
    assert (answer.err.count("error[TJ540]"), answer.err.count("error[TJ621]")) == (0, 1), answer.err


def test_a_class_for_a_claim_that_had_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(tmp_path)
    monkeypatch.chdir(tmp_path)
    change(tmp_path, "storageClassName: fast")
    commit(tmp_path)
    answer = verify(tmp_path, "--base", "base")
    assert answer.code == 1
    assert answer.err.count("error[TJ621] experiments/letters.yaml") == 1, answer.err
    assert "the claim has the default class of the cluster" in answer.err


def test_an_annotation_accepts_the_change_of_a_claim_that_was_never_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(tmp_path)
    monkeypatch.chdir(tmp_path)
    change(tmp_path, IGNORED)
    accepted = commit(tmp_path)
    assert verify(tmp_path, "--base", "base", "--strict").code == 0
    change(tmp_path, CHANGED)
    commit(tmp_path)
    assert verify(tmp_path, "--base", accepted, "--strict").code == 0
