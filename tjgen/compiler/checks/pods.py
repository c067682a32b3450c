"""The number of pods of a run -> an error if no cluster can have so many, or if two fields set it."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.workload.roles import MOST_PODS, at_once, excess, workers
from tjgen.trees.workload.workload import Workload


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ595 for more pods than a cluster supports. Lists of hosts and peers, which grow with this number, are built later.

    TJ149 for replicas of a role that change the nodes of the run.
    """
    number = at_once(workload, workload.podsets)
    if number > MOST_PODS:
        path = (*SPEC, "nodes") if experiment.spec.nodes is not None else SPEC
        yield excess(number)._replace(path=path)
    if experiment.spec.roles and not workload.is_direct:
        yield from _nodes(workload, experiment)


def _nodes(workload: Workload, experiment: Experiment) -> Iterator[Diagnostic]:
    """Replicas of the roles that train: Trainer has one number for all of them, which `nodes` sets too."""
    nodes, training = experiment.spec.nodes, workers(workload)
    for podset in training:
        role = experiment.spec.roles.get(podset.name)
        replicas = role.replicas if role is not None else None
        if replicas is None:
            continue
        at = (*SPEC, "roles", podset.name, "replicas")
        if nodes not in (None, replicas):
            message = f"replicas of role {podset.name} is {replicas}, but nodes is {nodes}, and both set the nodes of the run"
            yield Diagnostic("TJ149", message, path=at, hint="remove replicas, or write the same number in nodes")
        elif len(training) > 1 and replicas > 1:
            message = f"replicas of role {podset.name} sets the nodes of the run to {replicas}, including the launcher"
            hint = f"write nodes: {replicas} in spec instead, or nodes: {replicas + 1} for {replicas} pods next to the launcher"
            yield Diagnostic("TJ149", message, path=at, hint=hint, severity=WARNING)
