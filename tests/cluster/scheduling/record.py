"""Records what the real kube-scheduler does with random clusters, and compares the model with all of them.

(cd tests/cluster/scheduling/recorder && go build -o RECORDER .)
python -m tests.cluster.scheduling.record RECORDER [COUNT]

RECORDER is the program of recorder/main.go, with its absolute path. COUNT (3300) clusters are scheduled; one in ten stays in
recorded.json.xz.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cluster.recording import record
from tests.cluster.scheduling.clusters import cluster
from tests.cluster.scheduling.compared import differences

RECORDED = Path(__file__).parent / "recorded.json.xz"
RELEASE = "k8s.io/kubernetes v1.36.3"
COUNT = 3300


def main(arguments: list[str]) -> int:
    """Schedule the clusters, print the differences and counts, and write the recording."""
    recorder, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else COUNT
    cases = [cluster(seed) for seed in range(count)]
    verdicts, different, _ = record(recorder, cases, differences, release=RELEASE, path=RECORDED)
    several = [one for found in verdicts for one in found]
    scheduled = sum("node" in one for one in several)
    preempting = sum("nominated" in one for one in several)
    sys.stdout.write(
        f"{count} clusters with {len(several)} pods: {scheduled} scheduled, {preempting} after preemption, "
        f"{len(several) - scheduled - preempting} pending; {different} clusters differ\n"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
