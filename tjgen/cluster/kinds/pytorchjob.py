"""PyTorchJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job

PYTORCHJOB = operator_job("PyTorchJob", "pytorchReplicaSpecs")
