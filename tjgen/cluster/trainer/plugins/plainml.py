"""No torch, MPI or JAX policy -> the count and the TrainJob's variables.

Upstream: pkg/runtime/framework/plugins/plainml `EnforceMLPolicy`, v2.3.0.
"""

from __future__ import annotations

from tjgen.cluster.trainer.info import TRAINER, Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.plugins.rendezvous import enforce_count


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """Count and variables of the trainer container; Flux and XGBoost come this way too."""
    if any(info.policy(name) is not None for name in ("torch", "mpi", "jax")):
        return
    enforce_count(info.podset_of_ancestor(TRAINER), job)
    container = info.trainer_container() if job.trainer is not None else None
    if container is not None and job.env:
        container.upsert_env(job.env, job.env_owners)
