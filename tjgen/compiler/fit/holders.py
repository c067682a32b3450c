"""A run that waits, and the verdicts of its cluster -> the superseded and orphaned runs that hold what it waits for."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.compiler.fit.verdicts import BY_QUEUE, WAITS, FitVerdict

_MOST_NAMES = 3
"""Above it, the other names are counted."""


def holders_of(verdict: FitVerdict, left: Sequence[FitVerdict]) -> str:
    """Which of the runs `left`, which no source requests, hold what a run waits for, and how to free it; or empty."""
    if verdict.mode != WAITS or verdict.condition:
        return ""
    needed = verdict.run.demand.resources
    devices = {name for name in needed if "/" in name} or set(needed)
    names = [
        one.run.name
        for one in left
        if (one.order or one.started)
        and (verdict.by != BY_QUEUE or one.run.queue == verdict.run.queue)
        and not devices.isdisjoint(one.run.demand.resources)
    ]
    if not names:
        return ""
    shown = names[:_MOST_NAMES]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    what = "superseded or orphaned runs hold" if len(names) > 1 else "a superseded or orphaned run holds"
    needless = "them" if len(names) > 1 else "it"
    command = f"tjgen runs prune {' '.join(shown)}"
    rest = "; tjgen runs list shows the others" if more else ""
    return f"{what} part of it: {', '.join(shown)}{more}; if you no longer need {needless}, run {command}{rest}"
