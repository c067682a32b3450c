"""A setting -> the figures of whole projects: built, built again, checked, and how that grows with their size."""

from __future__ import annotations

import os
import shutil
from functools import partial

from bench import equals, peers, project
from bench.process import Cost, Task, run
from bench.report import Figure, Part, exponent
from bench.setting import BUILD_ALL, TJGEN, TREES, Setting, ratio, seconds

_THOUSAND = 1000
"""The number of experiments that goals are set for."""


def whole_project(setting: Setting) -> Part:
    """A project built from nothing, again without a change, again with one; all that was built checked."""
    where = setting.place("project")
    project.write(where, setting.experiments)
    equals.write_chart(
        setting.place("charts"), equals.parse(setting.objects(where)), project.name_of(0), project.values(setting.experiments)
    )
    location = peers.copy_schemas(setting.schemas, os.path.join(where, "schemas"))
    samples = setting.measure(
        setting.from_nothing("tjgen build, from nothing", where),
        Task("tjgen build, nothing changed", BUILD_ALL, where),
        Task("tjgen build, one changed", BUILD_ALL, where, partial(_change, where)),
        Task("tjgen check of all files", (TJGEN, "check", *TREES, "--quiet", "--no-cache"), where),
        *setting.peer("kubeconform", "-schema-location", location, *TREES, folder=where),
        *setting.peer("helm", "template", setting.place("charts"), folder=where),
        times=max(2, setting.times // 4),
    )
    shutil.rmtree(where)
    goals = {"tjgen build, from nothing": 1.5, "tjgen build, nothing changed": 0.3} if setting.experiments == _THOUSAND else {}
    against = ratio(samples, "tjgen check of all files", "kubeconform", 0.7)
    return Part(f"{setting.experiments} experiments", [*seconds(samples, goals), *against])


def large_builds(setting: Setting) -> Part:
    """Projects whose experiments are more or less alike, built from nothing; and each with every run compiled."""
    figures: list[Figure] = []
    for kind in (project.MIXED, project.ALIKE, project.DIFFERENT):
        where = setting.place(f"large-{kind}")
        project.write(where, setting.experiments, kind)
        names = f"{kind}", f"{kind}, every run compiled"
        task = setting.from_nothing(names[0], where)
        every = task._replace(name=names[1], words=("/usr/bin/env", "TJGEN_STAMPS=off", *task.words))
        samples = setting.measure(task, every, times=max(2, setting.times // 8))
        figures += [*seconds(samples), *ratio(samples, *names, 1.05 if kind != project.ALIKE else 0.5)]
        shutil.rmtree(where)
    return Part(f"{setting.experiments} experiments, built from nothing", figures)


def growth(setting: Setting) -> Part:
    """Builds from nothing in several sizes."""
    costs = {size: _build(setting, size) for size in setting.sizes}
    *sizes, most = setting.sizes
    small = _THOUSAND if _THOUSAND in costs else sizes[-1]
    figures = [Figure(f"{size} experiments", cost.cpu, "s", f"{cost.memory:.0f} MiB") for size, cost in costs.items()]
    slope = exponent({size: costs[size].cpu for size in sizes})
    return Part(
        "growth",
        [
            *figures,
            Figure("exponent", slope, "", f"from {sizes[0]} to {sizes[-1]} experiments", 1.05),
            Figure(f"memory with {small}", costs[small].memory, "MiB", "", 80 if small == _THOUSAND else None),
            Figure(f"memory with {most} / with {small}", costs[most].memory / costs[small].memory, "x", "", 1.1),
        ],
    )


def _build(setting: Setting, size: int) -> Cost:
    where = setting.place(f"growth-{size}")
    project.write(where, size)
    task = setting.from_nothing(f"tjgen build of {size}", where)
    costs = [run(task, setting.environment) for _ in range(max(2, setting.times // 8))]
    shutil.rmtree(where)
    return min(costs)


def _change(where: str) -> None:
    """Give the first experiment another seed than it had."""
    path = os.path.join(where, project.path_of(0))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('SEED: "', 'SEED: "1'))
