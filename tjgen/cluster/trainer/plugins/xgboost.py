"""mlPolicy.xgboost -> DMLC_* variables and the port of the trainer container.

Upstream: pkg/runtime/framework/plugins/xgboost `EnforceMLPolicy`, v2.3.0.
"""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.info import TRAINER, Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.plugins.rendezvous import COMPLETION_INDEX, PORT, enforce_count, host
from tjgen.trees.fields.managed import Origin

MANAGER = "trainer:xgboost"
RESERVED = ("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER")
"""Variables that a TrainJob may not set."""


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """Count, variables and port; a worker for each GPU, or one for each node."""
    if info.policy("xgboost") is None:
        return
    podset = info.podset_of_ancestor(TRAINER)
    enforce_count(podset, job)
    container = info.trainer_container() if job.trainer is not None else None
    if podset is None or container is None:
        return
    gpus = resources.gpus(resources.per_node(info, job))
    rule = Origin(MANAGER, "tjgen")
    container.upsert_env(
        (
            {"name": "DMLC_TRACKER_URI", "value": host(job)},
            {"name": "DMLC_TRACKER_PORT", "value": str(PORT)},
            {"name": "DMLC_TASK_ID", "valueFrom": {"fieldRef": {"fieldPath": COMPLETION_INDEX}}},
            {"name": "DMLC_NUM_WORKER", "value": str(resources.int32(podset.count * resources.int32(gpus or 1)))},
        ),
        (
            (Origin(MANAGER, "trainjob", ("metadata", "name")),),
            (rule,),
            (rule,),
            (Origin(MANAGER, podset.count_origin.source, podset.count_origin.because),),
        ),
    )
    container.add_port({"containerPort": PORT}, rule)
