"""JAXJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job

JAXJOB = operator_job("JAXJob", "jaxReplicaSpecs")
