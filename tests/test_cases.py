"""Every case: what the experiment becomes, what controllers make of it, what is noted, and who set each field."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.checkout import list_entries
from tests.program import arguments, cases, tjgen


@pytest.mark.parametrize("case", cases("cases"), ids=lambda case: case.name)
def test_case(case: Path, expected: SnapshotAssertion) -> None:
    words = arguments(case)
    applied = tjgen(case, "build", *words)
    preview = tjgen(case, "build", *words, "--expanded")
    explained = tjgen(case, "explain", "--all", *words)

    assert (applied.code, preview.code, explained.code) == (0, 0, 0), applied.err + preview.err + explained.err
    assert applied.err == preview.err == explained.err
    found = {
        "applied.yaml": applied.out,
        "preview.yaml": preview.out,
        "notes.txt": applied.err,
        "explain.txt": explained.out,
    }
    # An empty file is left out: there is nothing to preview with target jobset, and most cases have no notes.
    found = {name: text for name, text in found.items() if text}
    for name, text in found.items():
        assert text == expected(name=name)
    assert {path.name for path in list_entries(case / "expected")} == set(found), "remove the files that nothing makes any more"
