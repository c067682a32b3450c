"""Every reject: the diagnostics as they are printed; nothing on standard output, exit code 1."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.program import arguments, cases, tjgen


@pytest.mark.parametrize("case", cases("rejects"), ids=lambda case: case.name)
def test_reject(case: Path, expected: SnapshotAssertion) -> None:
    answer = tjgen(case, "build", *arguments(case))
    assert answer.code == 1, answer.out + answer.err
    assert answer.out == ""
    assert answer.err == expected(name="diagnostics.txt")
