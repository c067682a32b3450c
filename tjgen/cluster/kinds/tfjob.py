"""TFJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job

TFJOB = operator_job("TFJob", "tfReplicaSpecs")
