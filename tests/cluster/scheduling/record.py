"""Records what the real kube-scheduler does with random clusters, and compares the model with all of them.

(cd tests/cluster/scheduling/recorder && go build -o RECORDER .)
python -m tests.cluster.scheduling.record RECORDER [COUNT]

RECORDER is the program of recorder/main.go, with its absolute path. COUNT (3300) clusters are scheduled; one in ten stays in
recorded.json.xz.
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cluster.scheduling.clusters import cluster
from tests.cluster.scheduling.compared import differences

RECORDED = Path(__file__).parent / "recorded.json.xz"
RELEASE = "k8s.io/kubernetes v1.36.3"
COUNT = 3300
KEPT = 10


def main(arguments: list[str]) -> int:
    """Schedule the clusters, print the differences and counts, and write the recording."""
    recorder, count = arguments[0], int(arguments[1]) if len(arguments) > 1 else COUNT
    cases = [cluster(seed) for seed in range(count)]
    verdicts = schedule(recorder, cases)
    different = 0
    for seed, (case, found) in enumerate(zip(cases, verdicts, strict=True)):
        lines = list(differences(case, found))
        different += bool(lines)
        sys.stdout.write("".join(f"cluster {seed}: {line}\n" for line in lines))
    kept = [{"case": cases[seed], "verdicts": verdicts[seed]} for seed in range(0, count, KEPT)]
    text = json.dumps({"release": RELEASE, "cases": kept}, sort_keys=True)
    RECORDED.write_bytes(lzma.compress(text.encode(), preset=9))
    several = [one for found in verdicts for one in found]
    scheduled = sum("node" in one for one in several)
    preempting = sum("nominated" in one for one in several)
    sys.stdout.write(
        f"{count} clusters with {len(several)} pods: {scheduled} scheduled, {preempting} after preemption, "
        f"{len(several) - scheduled - preempting} pending; {different} clusters differ\n"
    )
    return 1 if different else 0


def schedule(recorder: str, cases: list[dict[str, Any]]) -> list[list[dict[str, str]]]:
    """What the scheduler does with the pods of each cluster. Raises CalledProcessError if the recorder fails."""
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([recorder], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
