"""What no tracked file may hold."""

from __future__ import annotations

import re

import pytest

from tests.checkout import ROOT, tracked

CONFLICT = re.compile(rb"^(<<<<<<< |>>>>>>> |=======$)", re.MULTILINE)


@pytest.mark.skipif(len(ROOT.parts) < 3, reason="a checkout right under / has no path that tells it from other words")
def test_no_file_names_the_machine_it_was_written_on() -> None:
    here = f"{ROOT}/".encode()
    assert [name for name in tracked() if here in (ROOT / name).read_bytes()] == []


def test_no_file_holds_a_conflict_marker() -> None:
    texts = [name for name in tracked() if not name.startswith(("tests/language/runs/", "tests/gitops/emit/"))]
    assert [name for name in texts if CONFLICT.search((ROOT / name).read_bytes())] == []


def test_scripts_can_be_run() -> None:
    scripts = [ROOT / name for name in tracked() if name.startswith(".ci/")]
    assert scripts
    assert [script.name for script in scripts if not script.stat().st_mode & 0o100] == []
