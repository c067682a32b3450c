"""The table of outcomes: each row that names the rig is what the rig showed, as recorded by tests/e2e/lifecycle."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.e2e.lifecycle.results import Record, load
from tests.e2e.lifecycle.scenarios import SCENARIOS, Scenario
from tjgen.cluster.outcomes import OUTCOMES, SEEN

RECORDS = {Scenario(*record[:4]): record for record in load()}
SEEN_ROWS = {Scenario(row.kind, row.controller, row.event, row.means): row for row in OUTCOMES if row.evidence == SEEN}


def test_nothing_has_two_rows_scenarios_or_records() -> None:
    assert max(Counter((row.kind, row.controller, row.event, row.means) for row in OUTCOMES).values()) == 1
    assert max(Counter(SCENARIOS).values()) == 1
    assert len(RECORDS) == len(load())


def test_each_row_that_was_seen_has_a_scenario_and_each_scenario_a_row() -> None:
    assert set(SCENARIOS) == set(SEEN_ROWS)


def test_each_record_has_a_row() -> None:
    assert set(RECORDS) <= set(SEEN_ROWS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=" / ".join)
def test_the_row_repeats_the_record(scenario: Scenario) -> None:
    record: Record = RECORDS[scenario]
    assert record.result == SEEN_ROWS[scenario].result
    assert record.seen
