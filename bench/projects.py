"""A setting -> the figures of whole projects: built, built again, and how that grows with their size."""

from __future__ import annotations

import os
import shutil
from functools import partial

from bench import equals, project
from bench.process import Sample, Task, measure
from bench.report import Figure, Part, exponent
from bench.setting import BUILD, BUILD_ALL, Setting, ratio, seconds

_THOUSAND = 1000
"""The number of experiments that goals are set for."""


def whole_project(setting: Setting) -> Part:
    """A project of a few shapes built from nothing, without and with previews; again without a change, and again with one."""
    where = setting.place("project")
    project.write(where, setting.experiments, project.ALIKE)
    equals.write_chart(
        setting.place("charts"), equals.parse(setting.objects(where)), project.name_of(0), project.values(setting.experiments)
    )
    plain, previewed, same, changed = "tjgen build", "tjgen build, previews", "nothing changed", "one changed"
    samples = setting.measure(
        setting.from_nothing(plain, where)._replace(words=BUILD),
        setting.from_nothing(previewed, where),
        Task(same, BUILD_ALL, where),
        Task(changed, BUILD_ALL, where, partial(_change, where)),
        *setting.peer("helm", "template", setting.place("charts"), folder=where),
        times=max(2, setting.times // 4),
    )
    shutil.rmtree(where)
    goals = {same: 0.1, changed: 0.15} if setting.experiments == _THOUSAND else {}
    against = [*ratio(samples, plain, "helm", 0.5), *ratio(samples, previewed, "helm", 0.6)]
    return Part(f"{setting.experiments} experiments of a few shapes", [*seconds(samples, goals), *against])


def large_builds(setting: Setting) -> Part:
    """Projects whose experiments are more or less alike, built from nothing."""
    figures: list[Figure] = []
    for kind in (project.MIXED, project.ALIKE, project.DIFFERENT):
        where = setting.place(f"large-{kind}")
        project.write(where, setting.experiments, kind)
        samples = setting.measure(setting.from_nothing(kind, where, "--jobs", "1"), times=max(2, setting.times // 8))
        goals = {kind: 1.3} if kind == project.DIFFERENT and setting.experiments == _THOUSAND else {}
        figures += seconds(samples, goals)
        shutil.rmtree(where)
    return Part(f"{setting.experiments} experiments, built from nothing", figures)


def workers(setting: Setting) -> Part:
    """A project of experiments that are all different, built by one process and by several, in seconds by the clock."""
    where = setting.place("workers")
    project.write(where, setting.experiments, project.DIFFERENT)
    names = {jobs: f"--jobs {jobs}" for jobs in (1, 2)}
    tasks = [setting.from_nothing(name, where, "--jobs", str(jobs)) for jobs, name in names.items()]
    samples = setting.measure(*tasks, times=max(2, setting.times // 8))
    shutil.rmtree(where)
    times = {name: sample.wall for name, sample in samples.items()}
    figures = [
        Figure(name, sample.wall, "s", f"by the clock; {sample.least:.2f} s of CPU", failure=sample.failure)
        for name, sample in samples.items()
    ]
    return Part(
        f"{setting.experiments} different experiments, built by several processes",
        [*figures, Figure(f"{names[2]} / {names[1]}", times[names[2]] / times[names[1]], "x", "by the clock", 1 / 1.8)],
    )


def points(setting: Setting) -> Part:
    """The points of one sweep, and as many experiments that are alike."""
    count = 2 * setting.experiments
    swept, single = f"sweep of {count} points", f"{count} experiments"
    folders = {swept: setting.place("sweep"), single: setting.place("experiments")}
    project.write(folders[swept], 1, points=count)
    project.write(folders[single], count, project.ALIKE)
    tasks = [setting.from_nothing(name, folder, "--jobs", "1") for name, folder in folders.items()]
    samples = setting.measure(*tasks, times=max(2, setting.times // 8))
    for folder in folders.values():
        shutil.rmtree(folder)
    return Part(f"{count} points", [*seconds(samples), *ratio(samples, swept, single, 1.5)])


def growth(setting: Setting) -> Part:
    """Builds from nothing in several sizes, each by one process."""
    samples = {size: _build(setting, size) for size in setting.sizes}
    *sizes, most = setting.sizes
    figures = [Figure(f"{size} experiments", one.least, "s", failure=one.failure) for size, one in samples.items()]
    slope = exponent({size: samples[size].least for size in sizes})
    large = [size for size in setting.sizes if size >= _THOUSAND] or [most]
    return Part(
        "growth",
        [
            *figures,
            Figure("exponent", slope, "", f"from {sizes[0]} to {sizes[-1]} experiments", 1.05),
            *[Figure(f"memory with {size}", samples[size].memory, "MiB", "", 45) for size in large],
        ],
    )


def _build(setting: Setting, size: int) -> Sample:
    where = setting.place(f"growth-{size}")
    project.write(where, size)
    task = setting.from_nothing(f"tjgen build of {size}", where, "--jobs", "1")
    sample = measure([task], max(1, setting.times // 10), setting.environment, warm=False)[task.name]
    shutil.rmtree(where)
    return sample


def _change(where: str) -> None:
    """Give the first experiment another seed than it had."""
    path = os.path.join(where, project.path_of(0))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('SEED: "', 'SEED: "1'))
