"""JAXJob of the Training Operator."""

from __future__ import annotations

from tjgen.cluster.kinds.operator_job import operator_job
from tjgen.cluster.kinds.protocol import JAX

JAXJOB = operator_job("JAXJob", "jaxReplicaSpecs", JAX)
