"""The table of outcomes -> the page about what happens to a run."""

from __future__ import annotations

from collections.abc import Iterator

from docs.generate.markdown import NOTICE, table
from tjgen.cluster.outcomes import OUTCOMES, SEEN, EventOutcome

INTRODUCTION = """\
The tables list the effect of events on a run. tjgen writes fields and messages by these tables. Most rows were seen on a test
cluster with the real controllers and sync engines; the other rows name the source that was read. An event without a row is
unknown.
"""


def page() -> str:
    """The page."""
    events = dict.fromkeys(outcome.event for outcome in OUTCOMES)
    parts = ["# What happens to a run\n", NOTICE, INTRODUCTION]
    for event in events:
        header = ("Kind", "Decided by", "With", "Then", "Evidence")
        parts.append(f"## {event[:1].upper()}{event[1:]}\n\n{table(header, _rows(event))}")
    return "\n".join(parts)


def _rows(event: str) -> Iterator[tuple[str, ...]]:
    """A row for the kinds whose rows are equal otherwise."""
    kinds: dict[EventOutcome, list[str]] = {}
    for outcome in OUTCOMES:
        if outcome.event == event:
            kinds.setdefault(outcome._replace(kind=""), []).append(outcome.kind)
    for outcome, names in kinds.items():
        evidence = "seen" if outcome.evidence == SEEN else outcome.evidence
        yield ", ".join(names), outcome.controller, outcome.means, outcome.result, evidence
