"""Return the pod sets of a run that a field of the experiment refers to."""

from __future__ import annotations

from collections.abc import Iterable

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.workload.workload import NODE, TRAINER, PodSet, Workload

MOST_PODS = 150_000
"""Pods that Kubernetes supports in a cluster ("Considerations for large clusters")."""
WORKER = "worker"
"""What an MPIJob calls the nodes that its launcher starts programs on."""


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
        nodes = [podset for podset in workload.podsets if podset.name in (NODE, WORKER)]
        launchers = programs(workload) if get(policy, ("mpi", "runLauncherAsNode"), False) else []
        return nodes + [podset for podset in launchers if podset not in nodes]
    return [podset for podset in programs(workload) if podset.name not in workload.aside]


def role(workload: Workload, name: str) -> PodSet | None:
    """The pod set that the experiment calls `name`."""
    for podset in workload.podsets:
        if podset.name == name:
            return podset
    return None


def nodes(workload: Workload) -> int:
    """The nodes of the run: the TrainJob's value, or else its runtime's."""
    if workload.is_direct:
        return sum(_pods(workload, podset) for podset in workers(workload))
    num_nodes = get(workload.tree.value, ("trainer", "numNodes"), None) or get(workload.ml_policy, ("numNodes",), None)
    return int(num_nodes or 1)


def at_once(workload: Workload, podsets: Iterable[PodSet]) -> int:
    """How many pods of `podsets` run at a time. Initializers have ended when the others begin, and are not counted."""
    return sum(_pods(workload, podset) for podset in podsets if not podset.is_initializer)


def _pods(workload: Workload, podset: PodSet) -> int:
    if workload.is_direct:
        return int(workload.tree.value["counts"].get(podset.name, 1))
    policy = workload.ml_policy
    num_nodes = get(workload.tree.value, ("trainer", "numNodes"), None)
    if get(policy, ("mpi",)):
        # plugins/mpi/mpi.go (v2.3.0): numNodes of the TrainJob counts the job "node", of which the launcher may be one.
        if podset.name == NODE and num_nodes is not None:
            return max(int(num_nodes) - 1, 1) if get(policy, ("mpi", "runLauncherAsNode"), False) else int(num_nodes)
    elif podset.ancestor == TRAINER:
        return nodes(workload)
    job = get(workload.tree.value, podset.path, {})
    parallelism = get(job, ("template", "spec", "parallelism"), None)
    return int(job.get("replicas", 1)) * int(1 if parallelism is None else parallelism)


def excess(number: int) -> Diagnostic:
    """TJ595 for a run with more than MOST_PODS pods."""
    message = f"the run has {number} pods, and a Kubernetes cluster supports at most {MOST_PODS}"
    return Diagnostic("TJ595", message, path=("spec",), hint="request fewer nodes or replicas")
