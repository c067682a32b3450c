"""Runs with the time after which they end -> when each starts and ends, if all are submitted at once.

The runs that fit start at 0. Whenever a run ends, the others start in the order of `verdicts`. A run whose end is unknown
never ends, so it never frees devices for others. A run that Kueue evicts starts again from its beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from tjgen.compiler.fit.occupancy import Candidate, Occupancy
from tjgen.compiler.fit.start import start
from tjgen.compiler.fit.verdicts import FitCluster, FitRun, FitVerdict, combined, is_submitted, verdict_alone
from tjgen.trees.typing import NamedTuple

ESTIMATE, BOUND, UNKNOWN = "estimate", "deadline", "unknown"
MOST_ENDS = 200
"""After this number of times at which runs end, the timeline stops."""


class RunDuration(NamedTuple):
    """How long a run takes."""

    kind: str
    """ESTIMATE of its author, BOUND by its deadline, or UNKNOWN."""
    seconds: int = 0


class TimedRun(NamedTuple):
    """A run, and its place in time."""

    verdict: FitVerdict
    """At time 0."""
    duration: RunDuration
    start: int | None = None
    """Seconds from now; None if it does not start as far as the ends of runs are known."""
    at_start: FitVerdict | None = None
    """The verdict at its start, with its nodes and flavors."""

    @property
    def end(self) -> int | None:
        """Seconds from now; None if it does not start, or its end is unknown."""
        return None if self.start is None or self.duration.kind == UNKNOWN else self.start + self.duration.seconds


def timeline(runs: Sequence[FitRun], durations: Sequence[RunDuration], shared: FitCluster) -> list[TimedRun]:
    """Each run with its times, in the order of `runs`. The nodes and queues of `shared` are empty and stay so."""
    alone = [verdict_alone(run, shared) for run in runs]
    known = {id(run): duration for run, duration in zip(runs, durations, strict=True)}
    candidates = [Candidate(one.run, ordinal) for ordinal, one in enumerate(alone) if is_submitted(one, shared)]
    occupancy = Occupancy(shared)
    first: dict[int, FitVerdict] = {}
    started: dict[int, tuple[int, FitVerdict]] = {}
    ending: list[tuple[int, int, Candidate]] = []
    entries: dict[int, int] = {}
    """Run -> the number of its entry in `ending`, unless it is evicted."""
    now = number = 0
    for _ in range(MOST_ENDS):
        waiting = [one for one in candidates if id(one.run) not in started]
        results = start(waiting, occupancy)
        several = [(one, results[id(one)]) for one in candidates if id(one) in results]
        first = first or {id(one.run): verdict for one, verdict in several}
        for one, verdict in several:
            run, duration = id(one.run), known[id(one.run)]
            entries.pop(run, None)
            if not verdict.order:
                started.pop(run, None)
                continue
            started[run] = (now, verdict)
            if duration.kind != UNKNOWN:
                number += 1
                entries[run] = number
                heappush(ending, (now + duration.seconds, number, one))
        ending = [one for one in ending if entries.get(id(one[2].run)) == one[1]]
        heapify(ending)
        if len(started) == len(candidates) or not ending:
            break
        now = ending[0][0]
        while ending and ending[0][0] == now:
            occupancy.release(heappop(ending)[2])
    return [
        TimedRun(combined(one, first.get(id(one.run))), known[id(one.run)], *started.get(id(one.run), (None, None)))
        for one in alone
    ]
