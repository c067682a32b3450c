"""Fixtures of all tests."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.snapshots import ExpectedFile


@pytest.fixture
def expected(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The expected files of the test's case: `assert output == expected(name="applied.yaml")`."""
    return snapshot.use_extension(ExpectedFile)
