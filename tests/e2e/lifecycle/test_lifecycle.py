"""Every row of the table of outcomes that names the rig as its evidence, played on the rig.

It runs on demand, and takes about five minutes. Start a cluster, then run the tests in one process, because they share what is
played:

    minicluster up --dir STATE --with training-operator,mpi-operator
    MINICLUSTER=.../minicluster MINICLUSTER_DIR=STATE .ci/test -n 0 tests/e2e/lifecycle

A second cluster, `--with trainer-2.1,training-operator`, plays the rows of Trainer 2.1. A test whose controller the cluster does
not have is skipped. To record the results, run `python -m tests.e2e.lifecycle` with the same variables. It replaces the records
of results.yaml that the cluster can show; a test without a rig compares the file with the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.e2e.lifecycle.plays import Played, play
from tests.e2e.lifecycle.recorder import Recorder
from tests.e2e.lifecycle.scenarios import AT_ONCE, SCENARIOS, Scenario, playable, plays
from tests.e2e.rig import NEEDED
from tjgen.cluster.outcomes import OUTCOMES

pytestmark = NEEDED


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest) -> Iterator[dict[Scenario, Future[Mapping[str, Played]]]]:
    """What each scenario that was chosen and that the cluster can show did, or will have done."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    chosen = {item.callspec.params["scenario"] for item in items}
    some = plays(one for one in playable() if one in chosen)
    with Recorder() as recorder, ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {key: pool.submit(play, recorder, *key, [one.kind for one in them]) for key, them in some.items()}
        yield {one: futures[key] for key, them in some.items() for one in them}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=" / ".join)
def test_the_row_is_what_the_rig_shows(played: dict[Scenario, Future[Mapping[str, Played]]], scenario: Scenario) -> None:
    if scenario not in played:
        pytest.skip(f"the cluster has no {scenario.controller}, or no controller of a {scenario.kind}")
    (row,) = [one for one in OUTCOMES if (one.kind, one.controller, one.event, one.means) == scenario]
    shown = played[scenario].result()[scenario.kind]
    assert shown.result == row.result, shown.seen
