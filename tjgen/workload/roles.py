"""Which pod sets of a run a field of the experiment speaks about."""

from __future__ import annotations

from tjgen.fields.path import get
from tjgen.workload.workload import NODE, TRAINER, PodSet, Workload


def members(workload: Workload) -> list[PodSet]:
    """Every pod set that takes part in the training: all but the initializers."""
    return [podset for podset in workload.podsets if not podset.is_initializer]


def programs(workload: Workload) -> list[PodSet]:
    """The pod sets that start the user's program: the trainer's."""
    return [podset for podset in workload.podsets if podset.ancestor == TRAINER]


def workers(workload: Workload) -> list[PodSet]:
    """The pod sets that compute: the trainer's, or the nodes of an MPI runtime."""
    policy = workload.ml_policy
    if get(policy, ("mpi",)):
        nodes = [podset for podset in workload.podsets if podset.name == NODE]
        launchers = programs(workload) if get(policy, ("mpi", "runLauncherAsNode"), False) else []
        return nodes + [podset for podset in launchers if podset not in nodes]
    return programs(workload)


def role(workload: Workload, name: str) -> PodSet | None:
    """The pod set that the experiment calls `name`."""
    for podset in workload.podsets:
        if podset.name == name:
            return podset
    return None
