"""mlPolicy.jax -> JAX_* variables and the port of the trainer container.

Upstream: pkg/runtime/framework/plugins/jax `EnforceMLPolicy`, v2.3.0. The TrainJob's own variables
are added later, when the JobSet is built, so they follow these and take precedence.
"""

from __future__ import annotations

from tjgen.cluster.trainer.info import PANIC, TRAINER, Info, PanicError
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.plugins.rendezvous import COMPLETION_INDEX, PORT, enforce_count, host
from tjgen.trees.fields.managed import Origin

MANAGER = "trainer:jax"


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """Count, variables and port; raises PanicError without a trainer, in releases that take it for granted."""
    if info.policy("jax") is None:
        return
    podset = info.podset_of_ancestor(TRAINER)
    if podset is None and not info.release.tolerates_jax_without_trainer:
        raise PanicError(PANIC, ("spec", "runtimeRef"), "use a runtime with a trainer")
    enforce_count(podset, job)
    container = info.trainer_container() if job.trainer is not None else None
    if podset is None or container is None:
        return
    rule = Origin(MANAGER, "tjgen")
    container.upsert_env(
        (
            {"name": "JAX_NUM_PROCESSES", "value": str(podset.count)},
            {"name": "JAX_PROCESS_ID", "valueFrom": {"fieldRef": {"fieldPath": COMPLETION_INDEX}}},
            {"name": "JAX_COORDINATOR_ADDRESS", "value": f"{host(job)}:{PORT}"},
        ),
        (
            (Origin(MANAGER, podset.count_origin.source, podset.count_origin.because),),
            (rule,),
            (Origin(MANAGER, "trainjob", ("metadata", "name")),),
        ),
    )
    container.add_port({"containerPort": PORT}, rule)
