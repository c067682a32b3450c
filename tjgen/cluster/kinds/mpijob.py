"""MPIJob of the MPI Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job
from tjgen.cluster.kinds.protocol import COUNTED, MPI

MPIJOB = operator_job(
    "MPIJob",
    "mpiReplicaSpecs",
    MPI,
    processes=COUNTED,
    version="v2beta1",
    starter="MPI Operator",
    # Its launcher is a Job, with which it fails.
    job_owner="MPIJob",
)
