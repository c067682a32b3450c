"""Play scenarios on the running cluster and record what they showed: `python -m tests.e2e.lifecycle [WORD...]`.

Only scenarios of the cluster's controllers are played, and of these, with words, those that contain all words. What they
showed replaces their records in results.yaml; the other records stay.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime

from tests.e2e.lifecycle.plays import play
from tests.e2e.lifecycle.recorder import Recorder
from tests.e2e.lifecycle.results import Record, load, save
from tests.e2e.lifecycle.scenarios import AT_ONCE, SCENARIOS, playable, plays


def main(words: list[str]) -> None:
    """Play and record."""
    chosen = [one for one in playable() if all(word in " / ".join(one) for word in words)]
    with Recorder() as recorder, ThreadPoolExecutor(AT_ONCE) as pool:
        running = {
            pool.submit(play, recorder, *key, [one.kind for one in scenarios]): scenarios
            for key, scenarios in plays(chosen).items()
        }
        for future in as_completed(running):
            if future.exception() is not None:
                sys.stderr.write(f"{running[future][0].play}: {future.exception()}\n")
                continue
            played, today = future.result(), datetime.now(UTC).date()
            new = [Record(*one, date=today, **played[one.kind]._asdict()) for one in running[future]]
            for one in new:
                sys.stdout.write(f"{' / '.join(one[:4])}: {one.result or 'no result of the table'}, {one.seen}\n")
                sys.stdout.flush()
            kept = [one for one in load() if one[:4] not in {other[:4] for other in new}]
            order = {tuple(one): index for index, one in enumerate(SCENARIOS)}
            save(sorted([*kept, *new], key=lambda one: order.get(one[:4], len(order))))


if __name__ == "__main__":
    main(sys.argv[1:])
