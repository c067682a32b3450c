"""What runs did -> one of the results of the table of outcomes; "" if it is none of them."""

from __future__ import annotations

from collections.abc import Mapping

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

LATE = 8.0
"""Seconds by which a busy cluster may be late."""
_MANY = 2
"""Starts after the first one that make a repetition."""


def after_end(before: Seen, after: Seen) -> str:
    """What followed the end of a run: of its time to live, or of the deletion of what its controller created."""
    if not before.end or not after.removed:
        return ""
    if after.identities > before.identities:
        return RECREATED if _started(after) > _started(before) else ""
    again = [count - before.starts.get(place, 0) for place, count in after.starts.items()]
    if not any(again):
        return STAYS
    if not all(again):
        return ""
    return REPEATS if max(again) >= _MANY else STARTS_AGAIN


def deadline(limit: float, quiet: Seen, touched: Seen, failing: Seen) -> str:
    """What a deadline did.

    `quiet` is a run of which no pod ends, well after its deadline; `touched` is the same after a change of one of its pods;
    `failing` is a run in which each pod fails once, before the deadline.
    """
    if any(count > 1 for count in quiet.starts.values()):
        return RESTARTED if touched.end == "Failed" else ""
    if quiet.end != "Failed":
        return QUIET if touched.end == "Failed" else ""
    if not _by(limit, quiet) or failing.end != "Failed" or failing.age < limit - 1 or _started(failing) <= len(failing.starts):
        return ""
    return ON_TIME if _by(limit, failing) else PER_START


def _by(limit: float, seen: Seen) -> bool:
    """Whether a run ended at its deadline. That of a TrainJob counts from its creation, and others from a start of pods."""
    return limit - 1 <= seen.age and seen.seconds < limit + LATE


def suspended_deadline(limit: float, resumed: Seen) -> str:
    """What a deadline did to a run that was suspended for longer than it."""
    if resumed.end != "Failed":
        return ""
    return FROM_RESUMPTION if limit - 1 <= resumed.last < limit + LATE else ""


def starts(seen: Mapping[int, Seen]) -> str:
    """How often pods start that fail each time, under each limit."""
    if any(one.end != "Failed" or not one.starts for one in seen.values()):
        return ""
    if all(count == limit + 1 for limit, one in seen.items() for count in one.starts.values()):
        return EACH
    if all(limit < _started(one) <= limit + len(one.starts) for limit, one in seen.items()):
        return SHARED
    again = {limit: (_started(one) - len(one.starts), len(one.starts)) for limit, one in seen.items()}
    if all(limit * pods < restarts <= limit * pods + pods for limit, (restarts, pods) in again.items()):
        return CONTAINERS
    return ""


def resumption(suspended: Seen, resumed: Seen) -> str:
    """What the manifest without a suspension did to a suspended run."""
    if suspended.running:
        return ""
    return RESUMES if resumed.running else STAYS_SUSPENDED


def _started(seen: Seen) -> int:
    return sum(seen.starts.values())
