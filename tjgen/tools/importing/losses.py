"""What a build shows of a run, and the settings that another target has no equivalent of."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.kinds import table
from tjgen.cluster.kinds.trainjob import TARGET as TRAINJOB
from tjgen.compiler.passes.failures import trains_together
from tjgen.compiler.targets.kubeflow import restarts
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.roles import at_once, members
from tjgen.trees.workload.workload import Workload

DEFAULT = TRAINJOB
"""The target of an experiment that sets none."""
MOST_RESTARTS = 100
"""The limit for each pod that replaces restarts without a limit."""
PERMANENT = tuple(range(1, 128))
"""Exit codes that end a job of the Training Operator with policy ExitCode."""


def framework_of(target: Tree) -> str:
    """The framework whose programs the operator of a target connects; empty for other targets, and for other values."""
    return table.facts_of(target).framework if target in table.targets() else ""


class Loss(NamedTuple):
    """A setting without an equivalent. `path` is its place in the spec."""

    path: FieldPath
    why: str
    hint: str


class FormerRun(NamedTuple):
    """What a build for the former target shows."""

    together: bool
    """Whether all pods of the runtime restart together."""
    pods: int
    jobs: int
    """Pod sets, each of which is a Job in a JobSet."""
    restarts: int
    """Restarts that the runtime allows."""
    is_torch: bool
    mpi_nodes: int
    """Nodes of a runtime for MPI, with a launcher that computes; 0 for another runtime."""
    tasks: Sequence[str] = ()
    """Roles of the new target."""


def facts_of(workload: Workload, tasks: Sequence[str] = ()) -> FormerRun:
    """The facts of a run."""
    sets = members(workload)
    pods, mpi = at_once(workload, sets), get(workload.ml_policy, ("mpi",), None)
    return FormerRun(
        trains_together(workload),
        pods,
        len(sets),
        max((restarts(workload, podset) for podset in sets), default=0),
        get(workload.ml_policy, ("torch",), None) is not None,
        0 if mpi is None else pods if get(mpi, ("runLauncherAsNode",), False) else pods - 1,
        tasks,
    )


LOST_TTL = Loss(
    ("cleanup", "ttlSeconds"),
    "Trainer starts a failed run again after every TTL",
    "remove it: pods that have ended hold no devices",
)


def lost_pods(pods: str, target: str) -> Loss:
    """`cleanup.pods`. Running is what other targets do."""
    stays = "pods that still run are deleted" if pods == "None" else "pods that have ended stay"
    has_ttl = pods == "All" and target != TRAINJOB
    hint = "set the TTL, which deletes all of them" if has_ttl else "remove it"
    return Loss(("cleanup", "pods"), f"target {target} has no setting for the pods of a run that has ended: {stays}", hint)
