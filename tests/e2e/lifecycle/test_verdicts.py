"""The classifier of scenarios, on what runs did: each result, and what is none of them. It needs no rig."""

from __future__ import annotations

import pytest

from tests.e2e.lifecycle import verdicts
from tests.e2e.lifecycle.recorder import Seen
from tjgen.cluster.outcomes import (
    CONTAINERS,
    EACH,
    FROM_RESUMPTION,
    ON_TIME,
    PER_START,
    QUIET,
    RECREATED,
    REPEATS,
    RESTARTED,
    RESUMES,
    SHARED,
    STARTS_AGAIN,
    STAYS,
    STAYS_SUSPENDED,
)

LIMIT = 15
FAILED = "Failed"


def seen(
    *starts: int, end: str = "", seconds: float = 0, last: float = 0, running: int = 0, removed: int = 0, identities: int = 1
) -> Seen:
    places = {f"run-{index}": count for index, count in enumerate(starts)}
    return Seen(identities, places, end, seconds + 2, seconds, last, "", running, removed)


@pytest.mark.parametrize(
    ("after", "result"),
    [
        (seen(1, 1, end="Complete", removed=1), STAYS),
        (seen(2, 2, end="Complete", removed=2), STARTS_AGAIN),
        (seen(5, 4, end="", removed=4), REPEATS),
        (seen(14, 14, end="", removed=13), REPEATS),
        (seen(2, 2, end="Complete", removed=1, identities=2), RECREATED),
        # A second sync created it, and nothing started.
        (seen(1, 1, end="", removed=1, identities=2), ""),
        # Nothing was deleted.
        (seen(1, 1, end="Complete"), ""),
        # Only one of the pods started again.
        (seen(2, 1, end="Complete", removed=1), ""),
    ],
)
def test_after_the_end(after: Seen, result: str) -> None:
    assert verdicts.after_end(seen(1, 1, end="Complete"), after) == result


def test_a_run_that_did_not_end_shows_nothing_about_its_end() -> None:
    assert verdicts.after_end(seen(1, 1), seen(1, 1, end="Complete", removed=1)) == ""


@pytest.mark.parametrize(
    ("quiet", "touched", "failing", "result"),
    [
        (seen(1, 1, end=FAILED, seconds=15), seen(1, 1, end=FAILED), seen(2, 1, end=FAILED, seconds=16), ON_TIME),
        (seen(1, 1, end=FAILED, seconds=15), seen(1, 1, end=FAILED), seen(2, 2, end=FAILED, seconds=25), PER_START),
        (seen(2, 2, end=FAILED, seconds=31), seen(2, 2, end=FAILED), seen(3, 3), RESTARTED),
        (seen(2, 2, running=2), seen(2, 2, end=FAILED), seen(3, 3), RESTARTED),
        (seen(1, 1, running=2), seen(1, 1, end=FAILED, seconds=44), seen(1, 2, running=2), QUIET),
        # A change of a pod did not end it either.
        (seen(1, 1, running=2), seen(1, 1, running=2), seen(1, 2, running=2), ""),
        # It restarts without end.
        (seen(3, 3, running=2), seen(4, 4, running=2), seen(4, 4), ""),
        # It ended before its deadline, or long after it.
        (seen(1, 1, end=FAILED, seconds=5), seen(1, 1, end=FAILED), seen(1, 1, end=FAILED, seconds=15), ""),
        (seen(1, 1, end=FAILED, seconds=30), seen(1, 1, end=FAILED), seen(1, 1, end=FAILED, seconds=30), ""),
        # The failure of a pod ended the other run, or it did not start again.
        (seen(1, 1, end=FAILED, seconds=15), seen(1, 1, end=FAILED), seen(1, 1, end=FAILED, seconds=15), ""),
        (seen(1, 1, end=FAILED, seconds=15), seen(1, 1, end=FAILED), seen(2, 1, end=FAILED, seconds=9), ""),
        (seen(1, 1, end="Complete", seconds=15), seen(1, 1, end="Complete"), seen(1, 1, end=FAILED, seconds=15), ""),
    ],
)
def test_a_deadline(quiet: Seen, touched: Seen, failing: Seen, result: str) -> None:
    assert verdicts.deadline(LIMIT, quiet, touched, failing) == result


@pytest.mark.parametrize(
    ("resumed", "result"),
    [
        (seen(2, 2, end=FAILED, seconds=40, last=15), FROM_RESUMPTION),
        # The time before the suspension counts, or that of the suspension too.
        (seen(2, 2, end=FAILED, seconds=30, last=10), ""),
        (seen(2, 2, end=FAILED, seconds=20, last=0), ""),
        (seen(2, 2, running=2), ""),
    ],
)
def test_a_deadline_of_a_suspended_run(resumed: Seen, result: str) -> None:
    assert verdicts.suspended_deadline(LIMIT, resumed) == result


@pytest.mark.parametrize(
    ("starts", "result"),
    [
        ({0: (1, 1), 1: (2, 2), 3: (4, 4)}, EACH),
        ({0: (1,), 1: (2,), 3: (4,)}, EACH),
        ({0: (1, 1), 1: (1, 1), 3: (2, 2)}, SHARED),
        ({0: (1, 1), 1: (1, 2), 3: (3, 2)}, SHARED),
        ({0: (2, 1), 1: (3, 2), 3: (5, 4)}, CONTAINERS),
        ({0: (2, 2), 1: (3, 3), 3: (5, 5)}, CONTAINERS),
        ({0: (2,), 1: (3,), 3: (5,)}, CONTAINERS),
        # The limit has no effect.
        ({0: (1, 1), 1: (1, 1), 3: (1, 1)}, ""),
        ({0: (9, 9), 1: (9, 9), 3: (9, 9)}, ""),
    ],
)
def test_starts_under_limits(starts: dict[int, tuple[int, ...]], result: str) -> None:
    assert verdicts.starts({limit: seen(*counts, end=FAILED) for limit, counts in starts.items()}) == result


def test_a_run_that_goes_on_has_no_number_of_starts() -> None:
    assert verdicts.starts({0: seen(1, 1, end=FAILED), 1: seen(2, 2, running=2), 3: seen(4, 4, end=FAILED)}) == ""


@pytest.mark.parametrize(
    ("suspended", "resumed", "result"),
    [
        (seen(1, 1), seen(2, 2, running=2), RESUMES),
        (seen(1, 1), seen(1, 1), STAYS_SUSPENDED),
        # It was never suspended.
        (seen(1, 1, running=2), seen(1, 1, running=2), ""),
    ],
)
def test_resumption(suspended: Seen, resumed: Seen, result: str) -> None:
    assert verdicts.resumption(suspended, resumed) == result
