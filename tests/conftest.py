"""Fixtures of all tests."""

from __future__ import annotations

import os
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, settings
from syrupy.assertion import SnapshotAssertion

from tests.checkout import list_entries
from tests.cluster.trainer.cases import CORPUS
from tests.snapshots import ExpectedFile

IDENTITY = {"NAME": "tests", "EMAIL": "tests@example.com"}
# The same examples on every machine, however slow it is; HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
# Git works alike for everybody: with an identity, and without the settings of the person who runs the tests (signatures, hooks).
os.environ |= {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in IDENTITY.items()}
os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Stopwatch:
    """Sums up the seconds of the tests of each file, in all processes, and prints the five slowest files."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test to its file."""
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the files that take the most time, so that the time of all tests stays visible."""
        slowest = sorted(self.seconds.items(), key=lambda item: -item[1])[:5]
        if len(slowest) > 1:
            terminalreporter.section(f"slowest files, of {sum(self.seconds.values()):.0f} seconds of tests")
            for file, seconds in slowest:
                terminalreporter.line(f"{seconds:6.0f} s  {file}")


def pytest_configure(config: pytest.Config) -> None:
    """Measure what each file of tests takes."""
    config.pluginmanager.register(Stopwatch(), "stopwatch")


def pytest_report_header() -> str:
    """How many expansions of the newest release of Trainer are compared."""
    return f"corpus of recorded expansions: {sum(path.is_dir() for path in list_entries(CORPUS))} cases"


@pytest.fixture
def expected(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The expected files of the test's case: `assert output == expected(name="applied.yaml")`."""
    return snapshot.use_extension(ExpectedFile)
