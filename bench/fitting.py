"""A setting -> the figures of `tjgen fit`: all runs of a project on the nodes of a Platform, and the build that precedes it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator

from bench import project
from bench.process import Task, capture
from bench.report import Figure, Part
from bench.setting import TJGEN, Setting, seconds

NODES, RACK, BLOCK = 200, 8, 40
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
      topology: {{example.com/block: {BLOCK}, example.com/rack: {RACK}}}
"""
_TEAMS = range(project.TEAMS)
_KUEUE = """\
  topologies: {default: {levels: [example.com/block, example.com/rack, kubernetes.io/hostname]}}
  flavors: {h100: {nodeLabels: {pool: training}, topology: default}}
  defaults: {schedule: {topology: {required: example.com/rack}}}
  queues:
""" + "".join(
    f"    team-{team}: {{create: {{kueue: {{namespaces: [team-{team}], cohort: lab, "
    "flavors: [{name: h100, quota: {cpu: 5000, memory: 60000Gi, nvidia.com/gpu: 230}}]}}}\n"
    for team in _TEAMS
)
_VOLCANO = """\
  cluster: {networkTopologyAware: true}
  nodes: [hypernodes.yaml]
  defaults: {schedule: {networkTopology: {mode: hard, highestTierAllowed: 1}}}
  queues:
""" + "".join(f"    team-{team}: {{create: {{volcano: {{weight: {team + 1}}}}}}}\n" for team in _TEAMS)
_GOAL = 1.0
"""Seconds for 1,000 runs, the build left out."""


def fit_of_runs(setting: Setting) -> Part:
    """The runs of a project: built without nodes, built with nodes, and placed next to each other in three kinds of queues.

    The figure with the goal is the CPU time of the prediction alone, in the process that built the runs.
    """
    folders = [setting.place(name) for name in ("without-nodes", "no-queues", "kueue", "volcano")]
    for folder in folders:
        project.write(folder, setting.experiments)
    plain, kueue, volcano = folders[1:]
    _describe_nodes(plain, "")
    _describe_nodes(kueue, _KUEUE)
    _for_kueue(kueue, setting.experiments)
    _describe_nodes(volcano, _VOLCANO)
    with open(os.path.join(volcano, "hypernodes.yaml"), "w", encoding="utf-8") as stream:
        stream.write("---\n".join(_hyper_nodes()))
    build, fit = (TJGEN, "build", "--no-cache", "--quiet"), (TJGEN, "fit", "--quiet")
    samples = setting.measure(
        Task("tjgen build, no nodes", build, folders[0]),
        Task(f"tjgen build, {NODES} nodes", build, plain),
        Task(f"tjgen fit, {NODES} nodes", fit, plain),
        Task("tjgen fit, topologies of Kueue", fit, kueue),
        Task("tjgen fit, queues and HyperNodes of Volcano", fit, volcano),
        times=max(2, setting.times // 4),
    )
    goal = _GOAL if setting.experiments == 1000 else None
    names = {plain: "prediction alone", kueue: "prediction alone, Kueue", volcano: "prediction alone, Volcano"}
    figures = [Figure(name, _prediction(setting, folder), "s", "", goal) for folder, name in names.items()]
    for folder in folders:
        shutil.rmtree(folder)
    return Part(f"{setting.experiments} runs on {NODES} nodes", [*seconds(samples, {}), *figures])


def predict() -> None:
    """Build the project of the working directory, and print the seconds of CPU time that the prediction then takes."""
    from tjgen.compiler.building.compile import build
    from tjgen.compiler.building.fit import fit
    from tjgen.compiler.building.plan import make_plan
    from tjgen.compiler.building.request import Request
    from tjgen.trees.session import Session

    plan = make_plan(Request(()))
    runs = [(plan, run) for one in build(plan, Session()) for run in one.runs]
    begin = time.process_time()
    assert len([verdict for one in fit(runs) for verdict in one.verdicts]) == len(runs), "each run has a verdict"
    sys.stdout.write(f"{time.process_time() - begin}\n")


def _prediction(setting: Setting, folder: str) -> float:
    """The least CPU time of several predictions for a project."""
    words = (sys.executable, "-c", "from bench.fitting import predict; predict()")
    environment = {**setting.environment, "PYTHONPATH": os.getcwd()}
    return min(float(capture(words, folder, environment)) for _ in range(max(2, setting.times // 4)))


def _describe_nodes(folder: str, more: str) -> None:
    """Add a Platform with nodes, and with more fields, to a project."""
    _change(os.path.join(folder, "tjgen.yaml"), lambda text: text.rstrip() + "\n  platforms: [platform.yaml]\n")
    with open(os.path.join(folder, "platform.yaml"), "w", encoding="utf-8") as stream:
        stream.write(_PLATFORM + more)


def _for_kueue(folder: str, count: int) -> None:
    """Let Kueue admit the runs of a project instead of Volcano."""
    _change(os.path.join(folder, "tjgen.yaml"), lambda text: text.replace("system: volcano", "system: kueue"))
    for number in range(count):
        _change(os.path.join(folder, project.path_of(number)), lambda text: text.replace("tjgen-torch-volcano", "tjgen-torch"))


def _hyper_nodes() -> Iterator[str]:
    """HyperNodes for the racks and blocks of the nodes."""
    head = "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {{name: {}}}\nspec:\n  tier: {}\n  members:\n"
    for rack in range(NODES // RACK):
        labels = f"{{matchLabels: {{example.com/rack: h100-{rack}}}}}"
        yield head.format(f"rack-{rack}", 1) + f"  - {{type: Node, selector: {{labelMatch: {labels}}}}}\n"
    each = BLOCK // RACK
    for block in range(NODES // BLOCK):
        racks = range(each * block, each * (block + 1))
        members = [f"  - {{type: HyperNode, selector: {{exactMatch: {{name: rack-{rack}}}}}}}\n" for rack in racks]
        yield head.format(f"block-{block}", 2) + "".join(members)


def _change(file: str, change: Callable[[str], str]) -> None:
    with open(file, encoding="utf-8") as stream:
        text = change(stream.read())
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(text)
