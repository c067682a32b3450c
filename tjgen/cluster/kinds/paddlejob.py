"""PaddleJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import foreign_job

PADDLEJOB = foreign_job("PaddleJob", "paddleReplicaSpecs")
