"""Fixtures of all tests."""

from __future__ import annotations

import os
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, settings
from syrupy.assertion import SnapshotAssertion

from tests import parts
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names the part of the slow tests."""
    parser.addoption("--part", default=parts.ALL, help=f"slow tests: {parts.ALL}, {parts.COMMIT}, or one of {parts.PARTS} parts")


def pytest_configure(config: pytest.Config) -> None:
    """Measure what each file of tests takes."""
    config.pluginmanager.register(Stopwatch(), "stopwatch")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Which tests run, and how many expansions of the newest release of Trainer are compared."""
    part = _part(config)
    return [
        "slow tests: all" if part is None else f"slow tests: part {part} of {parts.PARTS} (tests/parts.py)",
        f"corpus of recorded expansions: {sum(path.is_dir() for path in list_entries(CORPUS))} cases",
    ]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the slow tests of other parts."""
    runs, waits = parts.split([item.nodeid for item in items], _part(config))
    config.hook.pytest_deselected(items=[items[position] for position in waits])
    items[:] = [items[position] for position in runs]


def _part(config: pytest.Config) -> int | None:
    try:
        return parts.chosen(config.getoption("part"))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture
def expected(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The expected files of the test's case: `assert output == expected(name="applied.yaml")`."""
    return snapshot.use_extension(ExpectedFile)
