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
    """How many expansions of the newest release of Trainer are compared."""
    return f"corpus of recorded expansions: {sum(path.is_dir() for path in CORPUS.iterdir())} cases"


@pytest.fixture
def expected(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The expected files of the test's case: `assert output == expected(name="applied.yaml")`."""
    return snapshot.use_extension(ExpectedFile)
