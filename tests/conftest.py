"""Fixtures of all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from syrupy.assertion import SnapshotAssertion

from tests.cluster.trainer.cases import CORPUS
from tests.snapshots import ExpectedFile

# The same examples on every machine, however slow it is; HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_report_header() -> str:
    """Whether the recorded corpora are there, without which a run compares less."""
    present = sum(path.is_dir() for path in CORPUS.iterdir()) if CORPUS.is_dir() else 0
    return (
        f"corpus of recorded expansions: {present} cases" if present else "corpus of recorded expansions: absent (TJGEN_CORPUS)"
    )


@pytest.fixture
def expected(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The expected files of the test's case: `assert output == expected(name="applied.yaml")`."""
    return snapshot.use_extension(ExpectedFile)
