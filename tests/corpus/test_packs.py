"""The packs hold the recordings that they are made of, whole, and every release of Trainer has one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import packs
from tjgen.cluster.trainer.release import NEWEST, RELEASES

LEAST = {"admit": 40, "expand": 1000, "expand-v2.0.1": 500, "expand-v2.1.0": 500, "expand-v2.2.1": 500}
"""Files that each pack holds at least."""


@pytest.mark.parametrize("name", packs.NAMES)
@pytest.mark.skipif(not packs.SOURCE.is_dir(), reason="no recordings next to the checkout: the packs are all that there is")
def test_a_pack_holds_the_recordings(name: str) -> None:
    recorded = dict(packs.files(packs.SOURCE / name))
    held = dict(packs.unpacked(name))
    assert sorted(held) == sorted(recorded)
    assert [file for file, text in held.items() if text != recorded[file]] == []


def test_every_release_has_a_pack() -> None:
    releases = {"expand" if one is NEWEST else f"expand-{one.version}" for one in RELEASES.values()}
    assert set(packs.NAMES) == {"admit", *releases} == set(LEAST)


@pytest.mark.parametrize("name", packs.NAMES)
def test_the_folder_holds_what_the_pack_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TJGEN_CORPUS", raising=False)
    held = dict(packs.unpacked(name))
    assert len(held) >= LEAST[name]
    assert dict(packs.files(packs.corpora() / name)) == held


def test_a_case_of_a_release_is_complete() -> None:
    for name in packs.NAMES[1:]:
        cases: dict[str, set[str]] = {}
        for file, _ in packs.unpacked(name):
            cases.setdefault(Path(file).parent.name, set()).add(Path(file).name)
        assert [case for case, found in cases.items() if not {"input.yaml", "expanded.yaml", "admit.json"} <= found] == []


def test_a_pack_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    for file in ("b/input.yaml", "a.jsonl", "README.md"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(json.dumps({"é": file}, ensure_ascii=False), encoding="utf-8")
    assert packs.packed(tmp_path) == packs.packed(tmp_path)
    assert [file for file, _ in packs.files(tmp_path)] == ["a.jsonl", "b/input.yaml"]
