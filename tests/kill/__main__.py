"""Kill real builds: `python -m tests.kill` at every system call (strace), `python -m tests.kill --random 200` at random moments.

Calls before the first one that names the staging directory are left out: nothing is written before. So are calls that
only read, without `--all`. A state that was seen before is not followed up again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.kill.processes import ENVIRONMENT, POINTS, Judge, at_every_call, at_random


def main() -> int:
    """Kill, report, and answer 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("--random", type=int, metavar="N", help="kill N builds at random moments, without strace")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument("--all", action="store_true", help="kill at calls that only read, too")
    arguments = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tjgen-kill-") as folder:
        judge = Judge(Path(folder), points=POINTS if arguments.random else 1)
        if arguments.random:
            at_random(judge, arguments.random, random.Random(arguments.seed))
        else:
            at_every_call(judge, reading=arguments.all)
    judge.counts["seconds"] = round(time.monotonic() - started)
    figures = [f"{count} {what}" for what, count in judge.counts.items()] + [f"{len(judge.problems)} problems"]
    sys.stdout.write("\n".join([", ".join(figures), *judge.problems, ""]))
    return 1 if judge.problems else 0


if __name__ == "__main__":
    sys.exit(main())
