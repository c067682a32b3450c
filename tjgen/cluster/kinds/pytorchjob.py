"""PyTorchJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job
from tjgen.cluster.kinds.protocol import COUNTED, PYTORCH

PYTORCHJOB = operator_job("PyTorchJob", "pytorchReplicaSpecs", PYTORCH, processes=COUNTED)
