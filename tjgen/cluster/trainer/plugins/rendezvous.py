"""How the processes of a job find each other: first pod's address, port, rank, and the number of nodes."""

from __future__ import annotations

from tjgen.cluster.trainer.info import NODE, PodSet
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.trees.fields.managed import Origin

PORT = 29500
NODES = Origin("trainer:jobset", "trainjob", ("spec", "trainer", "numNodes"), mirrors=True)
COMPLETION_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


def host(job: DecodedTrainJob) -> str:
    """The address of the first pod, as the controller writes it: it ignores the names of the job and of the subdomain."""
    return f"{job.name}-{NODE}-0-0.{job.name}"


def enforce_count(podset: PodSet | None, job: DecodedTrainJob) -> None:
    """The TrainJob's numNodes, without any lower bound, as the count of the pod set."""
    nodes = job.trainer_field("numNodes")
    if podset is not None and nodes is not None:
        podset.count = nodes
        podset.count_origin = NODES
