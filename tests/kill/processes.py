"""Real builds that are killed, at each system call or at random moments, and judged by what the next build gives."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.checkout import ROOT
from tests.kill.repository import CHECKS, IDENTITY, NEXT, Files, clean, create, output, renew, visible

BUILD = (sys.executable, "-m", "tjgen", "build", "-o", "out")
ENVIRONMENT = {**os.environ, **IDENTITY, "TJGEN_CACHE": "off", "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
CALL = re.compile(r"\d+ +(\w+)\(")
READING = re.compile(
    r"\d+ +(?:open(?:at)?\([^\n]*O_RDONLY(?!\|O_CREAT)|(?:"
    r"read|pread64|readlink|getdents64|l?stat|fstat|newfstatat|statx|access|faccessat2?|lseek|ioctl|fcntl|getcwd|"
    r"mmap|munmap|mprotect|mremap|brk|madvise|futex|rt_sig\w+|getrandom|prlimit64|sysinfo|uname|"
    r"getpid|gettid|getuid|geteuid|getgid|getegid|clock_gettime)\()"
)
"""Calls that change no file: a kill there leaves what a kill at the next other call leaves."""
POINTS = 60
"""Runs of the sweep in builds that are killed at random, so that a commit takes some time."""


class Point(NamedTuple):
    """A moment to kill at: the n-th call of a name."""

    call: str
    number: int


class Judge:
    """What builds of each branch give, and what was found wrong."""

    def __init__(self, folder: Path, *, points: int) -> None:
        self.template, self.place = folder / "template", folder / "place"
        create(self.template, points=points)
        self.clean = {branch: clean(self.template, self.place, branch) for branch in ("main", "other", "upstream")}
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []

    def follow_up(self, what: str, kill: Callable[[], object]) -> None:
        """Kill, do what people do, build, and compare."""
        branch, act = NEXT[what]
        renew(self.template, self.place)
        kill()
        act(self.place)
        answer = subprocess.run(BUILD, cwd=self.place, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        self.counts["follow-ups"] += 1
        if answer.returncode != 0 or output(self.place) != self.clean[branch]:
            self.problems.append(f"{what}: exit code {answer.returncode}, {self._differences(branch)}\n{answer.stderr}")

    def check(self, left: Files) -> None:
        """Run each command that compares; it must fail unless everything agrees, and change nothing."""
        agrees = visible(left) == self.clean["main"] and "out/.tjgen/journal" not in left
        for words in CHECKS:
            command = (*BUILD[:3], *words)
            answer = subprocess.run(command, cwd=self.place, env=ENVIRONMENT, capture_output=True, text=True, check=False)
            self.counts["checks"] += 1
            if answer.returncode != (0 if agrees else 1) or output(self.place) != left:
                self.problems.append(f"{words}: exit code {answer.returncode}, agrees: {agrees}\n{answer.stderr}")

    def _differences(self, branch: str) -> list[str]:
        found, wanted = output(self.place), self.clean[branch]
        return sorted(path for path in {*found, *wanted} if found.get(path) != wanted.get(path))


def at_every_call(judge: Judge, *, reading: bool) -> None:
    """Kill a build at every system call since the staging directory was first named; `reading`: also at calls that only read."""
    if shutil.which("strace") is None:
        sys.exit("strace is not installed")
    seen: set[frozenset[tuple[str, bytes]]] = set()
    points = list(_points(judge, reading=reading))
    judge.counts["system calls"] = len(points)
    for point in points:
        renew(judge.template, judge.place)
        if not _traced(judge.place, point):
            judge.counts["not reached"] += 1
            continue
        judge.counts["kills"] += 1
        left = output(judge.place)
        state = frozenset((path, b"" if path.endswith("/journal") else content) for path, content in left.items())
        if state in seen:
            continue
        seen.add(state)
        judge.counts["states"] = len(seen)
        judge.check(left)
        begun = "out/.tjgen/journal" in left
        for what in NEXT if begun else ("build again",):
            judge.follow_up(what, lambda: _traced(judge.place, point))  # noqa: B023  # called at once
    if judge.counts["not reached"] > len(points) // 20:
        judge.problems.append("strace killed too few builds: calls are not as in the first build, or it cannot inject signals")


def _points(judge: Judge, *, reading: bool) -> Iterator[Point]:
    """Every system call of a build from the first one on that names the staging directory."""
    renew(judge.template, judge.place)
    log = judge.place.parent / "calls"
    subprocess.run(["strace", "-f", "-o", log, *BUILD], cwd=judge.place, env=ENVIRONMENT, capture_output=True, check=True)
    counts: Counter[str] = Counter()
    begun = False
    for line in log.read_text(errors="replace").splitlines():
        found = CALL.match(line)
        if found is None:
            continue
        counts[found[1]] += 1
        begun = begun or "/.tjgen" in line
        if begun and (reading or not READING.match(line)):
            yield Point(found[1], counts[found[1]])


def _traced(place: Path, point: Point) -> bool:
    """Build, killed at that call; whether it was."""
    inject = f"inject={point.call}:signal=KILL:when={point.number}"
    command = ["strace", "-f", "-qq", "-e", f"trace={point.call}", "-e", inject, "-o", os.devnull, *BUILD]
    answer = subprocess.run(command, cwd=place, env=ENVIRONMENT, capture_output=True, check=False)
    return answer.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


def at_random(judge: Judge, count: int, chance: random.Random) -> None:
    """Kill builds at random moments, most of them while files are replaced."""
    renew(judge.template, judge.place)
    started = time.monotonic()
    subprocess.run(BUILD, cwd=judge.place, env=ENVIRONMENT, capture_output=True, check=True)
    whole = time.monotonic() - started
    names = list(NEXT)
    for number in range(count):
        # The commit takes a small part of the time: three of four kills wait for it to begin.
        waits = number % 4 > 0
        moment = chance.random() * (0.01 if waits else whole)

        def kill(moment: float = moment, waits: bool = waits) -> None:
            journal = judge.place / "out/.tjgen/journal"
            with subprocess.Popen(BUILD, cwd=judge.place, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
                while waits and not journal.exists() and process.poll() is None:
                    pass
                time.sleep(moment)
                process.kill()
            judge.counts["kills"] += process.returncode == -signal.SIGKILL
            left = output(judge.place)
            judge.counts["kills with a journal"] += "out/.tjgen/journal" in left
            judge.check(left)
            if process.returncode == 0 or (visible(left) == judge.clean["main"] and "out/.tjgen/journal" not in left):
                # The build has ended: what it wrote goes along to another branch, as all that is not committed.
                judge.counts["ended before"] += 1
                renew(judge.template, judge.place)

        judge.follow_up(names[number % len(names)], kill)
