"""Records what Volcano's scheduler does with random jobs, and compares the prediction with all of it.

tests/oracle/volcano/build.sh FOLDER tests/cluster/queueing/volcano/recorder
python -m tests.cluster.queueing.volcano.record FOLDER/recorder [COUNT]

COUNT (1000) clusters, and as many with HyperNodes. One in ten of them stays in recorded.json.xz.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cluster.queueing.volcano.clusters import cluster, network
from tests.cluster.queueing.volcano.compared import differences
from tests.cluster.recording import record

RECORDED = Path(__file__).parent / "recorded.json.xz"
RELEASE = "volcano.sh/volcano v1.15.1"
COUNT = 1000
TRIES = 30
"""Volcano divides the nodes among queues, and tries HyperNodes, in any order."""


def main(arguments: list[str]) -> int:
    """Run the scheduler, print the differences and counts, and write the recording."""
    recorder, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else COUNT
    cases = [*map(cluster, range(count)), *map(network, range(count))]
    verdicts, different, varying = record(recorder, cases, differences, release=RELEASE, path=RECORDED, tries=TRIES)
    jobs = sum(len(case["jobs"]) for case in cases)
    started = sum(len(one["started"]) for one in verdicts)
    pending = sum(phase == "Pending" for one in verdicts for phase in one["phases"].values())
    sys.stdout.write(
        f"{len(cases)} clusters with {jobs} jobs: {started} start, {pending} stay Pending, {jobs - started - pending} are "
        f"Inqueue; Volcano's own answers vary for {varying}; {different} clusters differ\n"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
