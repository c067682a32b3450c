"""Records what Kueue decides about random workloads, and compares the model with all of it.

(cd tests/cluster/queueing/recorder && go build -o RECORDER .)
python -m tests.cluster.queueing.record RECORDER [COUNT [WITH_TOPOLOGIES]]

RECORDER is the program of recorder/main.go, with its absolute path. COUNT (1100) clusters without topologies and WITH_TOPOLOGIES
(600) clusters with topologies are considered; one in ten stays in recorded.json.xz.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cluster.queueing.compared_queues import differences
from tests.cluster.queueing.topologies import topologies
from tests.cluster.queueing.workloads import queues
from tests.cluster.recording import record

RECORDED = Path(__file__).parent / "recorded.json.xz"
RELEASE = "sigs.k8s.io/kueue v0.19.0"
COUNTS = (1100, 600)


def main(arguments: list[str]) -> int:
    """Consider the workloads, print the differences and counts, and write the recording."""
    recorder = arguments[0]
    count, arranged = (*map(int, arguments[1:]), *COUNTS[len(arguments) - 1 :])
    cases = [*map(queues, range(count)), *map(topologies, range(arranged))]
    verdicts, different, _ = record(recorder, cases, differences, release=RELEASE, path=RECORDED)
    every = [one for several in verdicts for one in several["inTurn"]]
    fitting = sum(one["mode"] == "Fit" for one in every)
    evicting = sum("targets" in one for one in every)
    never = sum(one["alone"] == "NoFit" for one in every)
    placed = sum("domains" in one for one in every)
    admitted = sum(len(one["together"]["admitted"]) for one in verdicts)
    evictions = sum(len(one["together"].get("evictions", ())) for one in verdicts)
    sys.stdout.write(
        f"{len(cases)} clusters with {len(every)} workloads: {fitting} fit, {evicting} evict others, "
        f"{len(every) - fitting - evicting - never} wait, {never} never fit, {placed} have domains; "
        f"together {admitted} are admitted, and {evictions} evicted; "
        f"{different} clusters differ\n"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
