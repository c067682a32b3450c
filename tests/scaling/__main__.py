"""CPU time of larger inputs, for what the count of lines does not see: `python -m tests.scaling [PART OF A NAME]`.

Each input doubles until a command takes a third of a second. Where the machine is idle, the last ratios are near 2.
"""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from tests.program import tjgen
from tests.scaling.case import Case
from tests.scaling.measure import write
from tests.scaling.test_scaling import CASES

LONG = 1 / 3
"""Seconds after which a case ends."""
DOUBLINGS = 9


def seconds(case: Case, size: int) -> float:
    """CPU seconds of the case's command line for so many elements."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        stdin = write(case, size, folder)
        start = time.process_time()
        tjgen(folder, *case.words, stdin=stdin)
        return time.process_time() - start


def main(wanted: str) -> None:
    """Print a line for each case whose name has the text."""
    for case in CASES:
        if wanted not in case.name:
            continue
        seconds(case, case.size)
        times = [seconds(case, case.size)]
        while times[-1] < LONG and len(times) < DOUBLINGS:
            times.append(seconds(case, case.size << len(times)))
        ratios = [after / before for before, after in pairwise(times)]
        shown = " ".join(f"{ratio:.2f}" for ratio in ratios[-3:])
        print(f"{case.name:45} {case.size << (len(times) - 1):8} elements {times[-1]:7.3f} s, each time x {shown}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
