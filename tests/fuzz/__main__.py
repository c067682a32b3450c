"""Runs every command and the library on mutated inputs, and reports what must never happen.

    python -m tests.fuzz [--seed 1] [--count N] [--minutes M] [--workers N] [--findings DIR]
    python -m tests.fuzz --replay FILE...
    python -m tests.fuzz --seed 1 --only NUMBER

A finding is a traceback, more than a second of CPU time, more than 300 MiB of memory, an exit code that does not fit what is
reported, or output that does not read back. The smallest input of each is written below DIR. The exit code is 1 where there are
findings.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.corpus import Corpus, load
from tests.fuzz.inputs import Input, to_json
from tests.fuzz.inputs import load as load_input
from tests.fuzz.judge import HANG, MEMORY, Finding
from tests.fuzz.scenes import make
from tests.fuzz.shrink import shrunk
from tests.fuzz.workers import BLOCK, alone, explore


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--count", type=int, help="how many inputs; 10000 where neither this nor --minutes is given")
    parser.add_argument("--minutes", type=float, help="how long, on the clock")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), help="folder that findings are written to")
    parser.add_argument("--only", type=int, help="run the input of one number, and print it")
    parser.add_argument("--replay", type=Path, nargs="+", help="run the inputs of files")
    options = parser.parse_args()
    if options.replay is not None:
        return max([_shown(load_input(file), str(file)) for file in options.replay])
    corpus = load()
    if options.only is not None:
        one = make(options.seed, options.only, corpus)
        sys.stdout.write(to_json(one))
        return _shown(one, f"input {options.only}")
    return _explored(options, corpus)


def _shown(one: Input, name: str) -> int:
    finding = alone(one, seconds=20.0)
    sys.stdout.write(f"{name}: {finding.key}\n{finding.detail}\n" if finding is not None else f"{name}: nothing is wrong\n")
    return int(finding is not None)


def _explored(options: argparse.Namespace, corpus: Corpus) -> int:
    began = time.monotonic()
    until = began + options.minutes * 60 if options.minutes is not None else None
    count = options.count if options.count is not None else None if until is not None else 10_000
    firsts: dict[str, tuple[int, Finding]] = {}
    numbers: Counter[str] = Counter()
    scenes: Counter[str] = Counter()
    done, seconds, shown = 0, 0.0, began
    for report in explore(options.seed, _blocks(options.first, count, until), corpus, options.workers):
        done += report.done
        seconds += report.seconds
        scenes += report.scenes
        for number, found in report.findings:
            finding: Finding | None = found
            if found.kind in (HANG, MEMORY):
                # The load of the machine and what a process remembers count too: what stays is found again alone.
                finding = alone(make(options.seed, number, corpus), times=3)
            if finding is None:
                continue
            numbers[finding.key] += 1
            if finding.key not in firsts:
                firsts[finding.key] = (number, finding)
                _say(f"input {number}: {finding.key}")
                _write(options, number, finding, make(options.seed, number, corpus))
        if time.monotonic() - shown > 30:
            shown = time.monotonic()
            _say(f"{done} inputs, {seconds:.0f} s of CPU time, {shown - began:.0f} s on the clock, {len(firsts)} findings")
    for number, finding in firsts.values():
        _say(f"{finding.key} ({numbers[finding.key]} times)\n    {_minimized(options, number, finding, corpus)}")
    rate = done / seconds if seconds else 0
    for name, times in scenes.most_common():
        sys.stdout.write(f"{times:10} {name}\n")
    sys.stdout.write(
        f"seed {options.seed}, inputs {options.first} to {options.first + done - 1}: {done} inputs in {seconds:.0f} s of CPU "
        f"time ({rate:.0f} for each second), {sum(numbers.values())} findings at {len(firsts)} sites\n"
    )
    return bool(firsts)


def _blocks(first: int, count: int | None, until: float | None) -> Iterator[range]:
    start = first
    while (count is None or start < first + count) and (until is None or time.monotonic() < until):
        stop = start + BLOCK if count is None else min(start + BLOCK, first + count)
        yield range(start, stop)
        start = stop


def _minimized(options: argparse.Namespace, number: int, finding: Finding, corpus: Corpus) -> str:
    """The command that runs the smallest input with the finding."""
    one = make(options.seed, number, corpus)

    def is_found(smaller: Input) -> bool:
        found = alone(smaller)
        return found is not None and found.key == finding.key

    if not is_found(one):
        first = max(0, number - 2000)
        return f"not found alone: python -m tests.fuzz --seed {options.seed} --first {first} --count 2001 --workers 1"
    return _write(options, number, finding, shrunk(one, is_found))


def _write(options: argparse.Namespace, number: int, finding: Finding, one: Input) -> str:
    """Write the input with what was found; the command that runs it again."""
    folder: Path = options.findings
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in finding.key)[:120]
    (folder / f"{name}.json").write_text(to_json(one), encoding="utf-8")
    said = f"{finding.key}\npython -m tests.fuzz --seed {options.seed} --only {number}\n\n{finding.detail}\n"
    (folder / f"{name}.txt").write_text(said, encoding="utf-8", errors="backslashreplace")
    return f"python -m tests.fuzz --replay {folder / name}.json"


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    raise SystemExit(main())
