"""XGBoostJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job
from tjgen.cluster.kinds.protocol import XGBOOST

XGBOOSTJOB = operator_job("XGBoostJob", "xgbReplicaSpecs", XGBOOST)
