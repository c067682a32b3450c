"""The number of pods of a run -> an error if no cluster can have so many."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.workload.roles import MOST_PODS, at_once, excess
from tjgen.trees.workload.workload import Workload


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ595 for more pods than a cluster supports. Lists of hosts and peers, which grow with this number, are built later."""
    number = at_once(workload, workload.podsets)
    if number > MOST_PODS:
        path = (*SPEC, "nodes") if experiment.spec.nodes is not None else SPEC
        yield excess(number)._replace(path=path)
