"""PaddleJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job
from tjgen.cluster.kinds.protocol import COUNTED, PADDLEPADDLE

PADDLEJOB = operator_job("PaddleJob", "paddleReplicaSpecs", PADDLEPADDLE, processes=COUNTED)
