"""A setting -> the figures of `tjgen fit`: all runs of a project on the nodes of a Platform, and the build that precedes it."""

from __future__ import annotations

import os
import shutil

from bench import project
from bench.process import Task
from bench.report import Figure, Part
from bench.setting import TJGEN, Setting, seconds

NODES = 200
_PLATFORM = f"""\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {{name: lab}}
spec:
  nodePools:
    h100:
      count: {NODES}
      like: h100
      devices: 8
      labels: {{pool: training}}
      resources: {{cpu: 192, memory: 2000Gi}}
"""
_WITHOUT, _WITH, _FIT = "tjgen build, no nodes", f"tjgen build, {NODES} nodes", f"tjgen fit, {NODES} nodes"
_GOAL = 1.0
"""Seconds for 1,000 runs, the build left out."""


def fit_of_runs(setting: Setting) -> Part:
    """The runs of a project built without nodes, built with nodes, and placed next to each other."""
    folders = [setting.place("without-nodes"), setting.place("with-nodes")]
    for folder in folders:
        project.write(folder, setting.experiments)
    _describe_nodes(folders[1])
    build = (TJGEN, "build", "--no-cache", "--quiet")
    samples = setting.measure(
        Task(_WITHOUT, build, folders[0]),
        Task(_WITH, build, folders[1]),
        Task(_FIT, (TJGEN, "fit", "--quiet"), folders[1]),
        times=max(2, setting.times // 4),
    )
    for folder in folders:
        shutil.rmtree(folder)
    difference = samples[_WITH].least - samples[_WITHOUT].least
    goal = _GOAL if setting.experiments == 1000 else None
    figure = Figure("build with nodes - without", difference, "s", "", goal)
    return Part(f"{setting.experiments} runs on {NODES} nodes", [*seconds(samples, {}), figure])


def _describe_nodes(folder: str) -> None:
    """Add a Platform with nodes to a project."""
    file = os.path.join(folder, "tjgen.yaml")
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    with open(os.path.join(folder, "platform.yaml"), "w", encoding="utf-8") as stream:
        stream.write(_PLATFORM)
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(text.rstrip() + "\n  platforms: [platform.yaml]\n")
