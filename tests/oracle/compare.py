"""Random inputs through tjgen and through the real code, on demand: expansions and admissions, until a time or number is reached.

    python -m tests.oracle.compare --expand PROGRAM --release 2.3 --admit KADMIT --crds FOLDERS [--count 10000] [--seed 1]
        [--minutes 60] [--record]

PROGRAM runs the Trainer controller of the release, KADMIT the API server (see tests/fuzz/trainer.py and
tests/cluster/validate/fuzz.py, which compare). Differences are printed. `--record` adds the numbers to results.json, from
which `python -m docs.generate` makes the page on comparisons.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

RESULTS = Path(__file__).parent / "results.json"
BATCH = 2000
_NUMBERS = {
    "expand": re.compile(r"^(?P<same>\d+) of (?P<all>\d+) cases agree", re.MULTILINE),
    "admit": re.compile(r"^seed \d+: (?P<all>\d+) cases, (?P<differ>\d+) differ", re.MULTILINE),
}


def main(words: list[str]) -> int:
    """Compare in batches; the exit code is 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.compare")
    parser.add_argument("--expand", metavar="PROGRAM")
    parser.add_argument("--release", default="2.3")
    parser.add_argument("--admit", metavar="KADMIT")
    parser.add_argument("--crds", default="")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args(words)
    commands = {}
    if given.expand:
        commands["expand"] = ["tests.fuzz.trainer", given.expand, "--release", given.release]
    if given.admit:
        commands["admit"] = ["tests.cluster.validate.fuzz", given.admit, given.crds]
    if not commands:
        parser.error("name --expand, --admit or both")
    totals = {name: [0, 0] for name in commands}
    stop = None if given.minutes is None else time.monotonic() + 60 * given.minutes
    for seed in range(given.seed, given.seed - (-given.count // BATCH)):
        if stop is not None and time.monotonic() > stop:
            break
        for name, (module, *arguments) in commands.items():
            ran, differing = compare(name, [module, *arguments, "--count", str(BATCH), "--seed", str(seed)])
            totals[name] = [totals[name][0] + ran, totals[name][1] + differing]
    for name, (ran, differing) in totals.items():
        sys.stdout.write(f"{name}: {ran} cases, {differing} differ\n")
        if given.record:
            record(name, given.release, ran, differing)
    return 1 if any(differing for _, differing in totals.values()) else 0


def compare(name: str, arguments: list[str]) -> tuple[int, int]:
    """Run one batch, print its differences, and return the numbers of cases and of differing cases."""
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
    found = _NUMBERS[name].search(done.stdout)
    if found is None:
        raise SystemExit(f"{' '.join(arguments)} ended early:\n{done.stdout}{done.stderr}")
    ran = int(found["all"])
    differing = ran - int(found["same"]) if name == "expand" else int(found["differ"])
    if differing:
        sys.stdout.write(done.stdout)
    return ran, differing


def record(name: str, release: str, ran: int, differing: int) -> None:
    """Add numbers to the row of the table that the comparison belongs to."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    for row in rows:
        if row["key"] == (f"expand-{release}" if name == "expand" else "admit"):
            row["cases"] += ran
            row["differing"] += differing
    RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
