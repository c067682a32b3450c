"""PaddleJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job

PADDLEJOB = operator_job("PaddleJob", "paddleReplicaSpecs")
