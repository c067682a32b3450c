"""What every round is given: where to work, how often to run, what to run, what there is to compare with."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan
from typing import NamedTuple

from bench import project
from bench.process import Sample, Task, capture, measure
from bench.report import Figure

PYTHON = (sys.executable, "-c", "pass")
TJGEN = os.path.join(os.path.dirname(sys.executable), "tjgen")
TREES = ("deploy", "preview")
BUILD = (TJGEN, "build", "-o", TREES[0], "--quiet")
BUILD_ALL = (*BUILD, "--expanded", TREES[1])


class Setting(NamedTuple):
    """Fixed for one call of the benchmark."""

    folder: str
    schemas: str
    times: int
    """Runs of each small command; large ones run less often."""
    experiments: int
    """How many the project has that is built, checked and built again."""
    items: int
    """How many items the data has that is divided."""
    sizes: Sequence[int]
    """Numbers of experiments that growth is seen over; the last one is for memory alone."""
    peers: Mapping[str, str]
    environment: Mapping[str, str]

    def place(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def measure(self, *tasks: Task, times: int | None = None) -> dict[str, Sample]:
        return measure(tasks, times or self.times, self.environment)

    def peer(self, name: str, *words: str, folder: str) -> Iterator[Task]:
        """A command of another tool, where that is installed."""
        if name in self.peers:
            yield Task(name, (self.peers[name], *words), folder)

    def from_nothing(self, name: str, where: str, *words: str) -> Task:
        """A build of both trees that finds neither trees nor locks nor a cache."""
        return Task(name, (*BUILD_ALL, *words), where, partial(self._clear, where))

    def objects(self, where: str) -> str:
        """The stream of objects of the project's first experiment, with those that controllers will make."""
        build = (TJGEN, "build", project.path_of(0), "--quiet")
        parts = [capture(words, where, self.environment) for words in (build, (*build, "--expanded"))]
        return "---\n".join(parts)

    def _clear(self, where: str) -> None:
        for name in (*TREES, "tjgen.lock.d"):
            shutil.rmtree(os.path.join(where, name), ignore_errors=True)
        shutil.rmtree(self.environment["XDG_CACHE_HOME"], ignore_errors=True)


def seconds(samples: Mapping[str, Sample], goals: Mapping[str, float] | None = None) -> list[Figure]:
    """A line for each command."""
    return [
        Figure(name, sample.least, "s", _note(sample), (goals or {}).get(name), sample.failure)
        for name, sample in samples.items()
    ]


def _note(sample: Sample) -> str:
    return "" if sample.failure else f"median {sample.median:.3f}, {sample.memory:.0f} MiB"


def ratio(samples: Mapping[str, Sample], ours: str, theirs: str, goal: float) -> list[Figure]:
    """A line with the ratio of the smallest times, where the other tool is installed."""
    if theirs not in samples:
        return []
    value, medians = samples[ours].least / samples[theirs].least, samples[ours].median / samples[theirs].median
    return [Figure(f"{ours} / {theirs}", value, "x", "" if isnan(medians) else f"of medians {medians:.2f}", goal)]
