"""A sample of random histories: `python -m tests.gitops.verify.histories` runs more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gitops.verify.histories import Count, history


@pytest.mark.parametrize("seed", [2, 7, 9, 11])
def test_verify_accepts_what_commands_make_and_finds_each_edit_by_hand(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    count = Count()
    history(tmp_path, seed, count)
    assert count.accepted == count.found > 0
