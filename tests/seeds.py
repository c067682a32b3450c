"""The command line of a program that compares random inputs: `--count N --seed FIRST --minutes MOST`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator


def selected_seeds() -> Iterator[int]:
    """The seeds that the command line selects, as long as there is time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            return
        yield seed
