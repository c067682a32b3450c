"""Records what Kueue decides about random workloads, and compares the model with all of it.

(cd tests/cluster/queueing/recorder && go build -o RECORDER .)
python -m tests.cluster.queueing.record RECORDER [COUNT]

RECORDER is the program of recorder/main.go, with its absolute path. COUNT (1500) clusters are considered; one in ten stays in
recorded.json.xz.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cluster.queueing.compared_queues import differences
from tests.cluster.queueing.workloads import queues
from tests.cluster.recording import record

RECORDED = Path(__file__).parent / "recorded.json.xz"
RELEASE = "sigs.k8s.io/kueue v0.19.0"
COUNT = 1500


def main(arguments: list[str]) -> int:
    """Consider the workloads, print the differences and counts, and write the recording."""
    recorder, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else COUNT
    cases = [queues(seed) for seed in range(count)]
    verdicts, different = record(recorder, cases, differences, release=RELEASE, path=RECORDED)
    modes = [(one["mode"], one["alone"]) for several in verdicts for one in several]
    fitting = sum(mode == "Fit" for mode, _ in modes)
    never = sum(alone == "NoFit" for _, alone in modes)
    sys.stdout.write(
        f"{count} clusters with {len(modes)} workloads: {fitting} fit, {len(modes) - fitting - never} wait, {never} never fit; "
        f"{different} clusters differ\n"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
