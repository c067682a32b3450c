"""Command lines -> what each run of them costs: CPU, time by the clock, peak memory."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from math import nan
from statistics import median
from typing import NamedTuple


class Task(NamedTuple):
    """A command to measure. `prepare` puts things in order before each run and is not measured."""

    name: str
    words: Sequence[str]
    folder: str
    prepare: Callable[[], None] | None = None


class Cost(NamedTuple):
    """One run: seconds of CPU (user and system, with children), seconds by the clock, peak memory in MiB."""

    cpu: float
    wall: float
    memory: float


_FAILED = Cost(nan, nan, nan)
"""The cost of a command that failed: not a number, like each figure that is computed from it."""


class Sample(NamedTuple):
    """Several runs of one command."""

    costs: tuple[Cost, ...]
    failure: str = ""
    """The command, its exit code and its messages, if it failed."""

    @property
    def least(self) -> float:
        """The smallest CPU time: what the command costs when nothing else disturbs it."""
        return min(cost.cpu for cost in self.costs)

    @property
    def median(self) -> float:
        return median(cost.cpu for cost in self.costs)

    @property
    def memory(self) -> float:
        return max(cost.memory for cost in self.costs)

    @property
    def wall(self) -> float:
        """The smallest number of seconds by the clock."""
        return min(cost.wall for cost in self.costs)


class FailedError(Exception):
    """A command ended with an error; the text holds what it said."""


def measure(tasks: Sequence[Task], times: int, environment: Mapping[str, str], *, warm: bool = True) -> dict[str, Sample]:
    """Run every task `times` times, in turns, so that all of them see the same machine.

    `warm` runs each once before, so that compiled modules and the file cache are there. A task that fails is not run again,
    and the others still are.
    """
    costs: dict[str, list[Cost]] = {task.name: [] for task in tasks}
    failures: dict[str, str] = {}
    for turn in range(times + warm):
        for task in tasks:
            if task.name in failures:
                continue
            try:
                cost = run(task, environment)
            except FailedError as error:
                failures[task.name] = str(error)
                continue
            if turn >= warm:
                costs[task.name].append(cost)
    return {
        name: Sample((_FAILED,), failures[name]) if name in failures else Sample(tuple(found)) for name, found in costs.items()
    }


def run(task: Task, environment: Mapping[str, str]) -> Cost:
    """One run of a task; raises FailedError where it does not end with 0."""
    if task.prepare is not None:
        task.prepare()
    with tempfile.TemporaryFile() as said, open(os.devnull, "wb") as nowhere:
        begin = time.perf_counter()
        # A fork of this small process; posix_spawn cannot change the folder.
        child = os.fork()
        if child == 0:
            _become(task, environment, nowhere.fileno(), said.fileno())
        _, status, usage = os.wait4(child, 0)
        wall = time.perf_counter() - begin
        if status:
            said.seek(0)
            words = said.read(2000).decode(errors="replace").strip()
            code = os.waitstatus_to_exitcode(status)
            raise FailedError(f"{task.name}: {' '.join(task.words)} ended with {code}\n{words}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def _become(task: Task, environment: Mapping[str, str], out: int, err: int) -> None:
    try:
        os.chdir(task.folder)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.execve(task.words[0], list(task.words), dict(environment))
    finally:
        os._exit(127)


def capture(words: Sequence[str], folder: str, environment: Mapping[str, str]) -> str:
    """What a command writes to stdout; raises FailedError where it does not end with 0."""
    import subprocess

    done = subprocess.run(words, cwd=folder, env=dict(environment), capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"{' '.join(words)} ended with {done.returncode}\n{done.stderr.strip()[:2000]}")
    return done.stdout
