"""mlPolicy.torch -> PET_* variables and the port of the trainer container, and of injection targets.

Upstream: pkg/runtime/framework/plugins/torch `EnforceMLPolicy`, v2.3.0.
"""

from __future__ import annotations

from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.info import TRAINER, Container, Info, RefusedError
from tjgen.cluster.trainer.job import RUNTIME, TORCHTUNE, DecodedTrainJob
from tjgen.cluster.trainer.plugins.rendezvous import COMPLETION_INDEX, PORT, enforce_count, host
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.quantity import parse
from tjgen.trees.typing import Any

MANAGER = "trainer:torch"
AUTO = "auto"
CPU = "cpu"
RESERVED = ("PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE")
"""Variables that a TrainJob may not set."""

_RULE = Origin(MANAGER, "tjgen")
_MASTER_ORIGINS = ((Origin(MANAGER, "trainjob", ("metadata", "name")),), (_RULE,))
_TARGETS = ("spec", "mlPolicy", "torch", "envInjection", "targets")


def enforce_ml_policy(info: Info, job: DecodedTrainJob) -> None:
    """Counts, variables, port and, for torchtune, the command; raises RefusedError for a missing injection target."""
    policy = info.policy("torch")
    if policy is None:
        return
    podset = info.podset_of_ancestor(TRAINER)
    enforce_count(podset, job)
    processes, because = processes_per_node(info, job)
    count, count_origin = (podset.count, podset.count_origin) if podset else (1, _RULE)
    variables: list[Tree] = [
        {"name": "PET_NNODES", "value": str(count)},
        {"name": "PET_NPROC_PER_NODE", "value": str(processes)},
        {"name": "PET_NODE_RANK", "valueFrom": {"fieldRef": {"fieldPath": COMPLETION_INDEX}}},
    ]
    master: list[Tree] = [
        {"name": "PET_MASTER_ADDR", "value": host(job)},
        {"name": "PET_MASTER_PORT", "value": str(PORT)},
    ]
    counted = Origin(MANAGER, count_origin.source, count_origin.because)
    origins = [(counted,), (because,), (_RULE,)]

    container = info.trainer_container() if job.trainer is not None else None
    if container is not None:
        container.upsert_env(job.env, job.env_owners)
        container.upsert_env(variables, origins)
        if job.command == TORCHTUNE:
            from tjgen.cluster.trainer.plugins import torchtune  # few jobs run it

            torchtune.extend_command(info, job, count, processes)
        else:
            container.upsert_env(master, _MASTER_ORIGINS)
        container.add_port({"containerPort": PORT}, _RULE)

    for target in policy.get("envInjection", {}).get("targets", []):
        for name in target.get("containerNames", []):
            target_podset = injection_target(info, target.get("jobName", ""), name)
            if target_podset is None:
                hint = "use another runtime, or correct its envInjection"
                raise RefusedError(missing_target(target.get("jobName", ""), name), ("spec", "runtimeRef"), hint)
            origin = Origin(MANAGER, RUNTIME, (*_TARGETS, (("jobName", target.get("jobName", "")),)))
            target_podset.upsert_env([*variables, *master], [(origin,)] * 5)


def processes_per_node(info: Info, job: DecodedTrainJob) -> tuple[int | str, Origin]:
    """The number of processes, or a word, and what decided it."""
    processes, by_whom = _processes(info, job)
    because = by_whom if job.resources is None else Origin(MANAGER, "trainjob", ("spec", "trainer", "resourcesPerNode"))
    if not info.release.looks_into_runtime:
        # Release 2.0 reads only the resources of the TrainJob.
        if job.resources is None:
            return processes, by_whom
        return by_lists(processes, job.resource_lists), because
    if processes not in (AUTO, CPU):
        return processes, by_whom
    amounts = resources.per_node(info, job)
    if processes == CPU or resources.gpus(amounts) == 0:
        return resources.int32(max(1, resources.cpus(amounts))), because
    return processes, because


def _processes(info: Info, job: DecodedTrainJob) -> tuple[int | str, Origin]:
    processes = job.trainer_field("numProcPerNode")
    if processes is not None:
        return processes, Origin(MANAGER, "trainjob", ("spec", "trainer", "numProcPerNode"))
    policy = info.policy("torch") or {}
    if "numProcPerNode" in policy:
        return policy["numProcPerNode"], info.origin(MANAGER, "spec", "mlPolicy", "torch", "numProcPerNode")
    return AUTO, _RULE


def by_lists(processes: int | str, lists: dict[str, Any]) -> int | str:
    """The number of processes by the limits, else by the requests of a TrainJob.

    Upstream: plugins/torch `calculateNumProcPerNode`, v2.0.1.
    """
    limits = lists.get("limits")
    if limits is not None and _counts_cpus(processes, limits):
        return _cpus(limits)
    requests = lists.get("requests")
    if requests is None:
        return 1
    if _counts_cpus(processes, requests):
        return _cpus(requests)
    return 1 if processes == CPU else processes


def _counts_cpus(processes: int | str, amounts: dict[str, Any]) -> bool:
    return not resources.gpu_names(amounts) if processes == AUTO else processes == CPU and "cpu" in amounts


def _cpus(amounts: dict[str, Any]) -> int:
    return max(1, resources.int32(parse(amounts.get("cpu", 0)).value))


def injection_target(info: Info, podset_name: str, name: str) -> Container | None:
    """The container of that name, containers before init containers, in the first pod set of that name."""
    podset = info.podset(podset_name)
    if podset is None:
        return None
    return podset.container(name) or next((item for item in podset.init_containers if item.name == name), None)


def missing_target(podset_name: str, name: str) -> str:
    """The error of the controller and its webhook for a missing target."""
    return f"envInjection target podSet {_quoted(podset_name)} container {_quoted(name)} not found in runtime template"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
