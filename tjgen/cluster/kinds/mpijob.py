"""MPIJob of the MPI Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job

MPIJOB = operator_job("MPIJob", "mpiReplicaSpecs", version="v2beta1", starter="MPI Operator")
