"""Prints each typical mistake with the reasons why its message is not good, and how many are good."""

from __future__ import annotations

import sys

from tests.mistakes.table import faults, mistakes

if __name__ == "__main__":
    found = {f"{one.shape} {one.name}": faults(one) for one in mistakes()}
    for name, reasons in found.items():
        sys.stdout.write(" ".join(["bad " if reasons else "good", name, *reasons]) + "\n")
    good = sum(not reasons for reasons in found.values())
    sys.stdout.write(f"{good} of {len(found)} mistakes have a good message\n")
