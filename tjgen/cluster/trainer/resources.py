"""Resource maps -> merged maps, GPU and CPU counts, and the total requests of a gang."""

from __future__ import annotations

from tjgen.cluster.trainer.info import NODE, TRAINER, Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.trees.k8s.quantity import Quantity, add, multiply, parse
from tjgen.trees.typing import Any


def merged(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """`override` over `base`, key by key; claims of both are lost.

    Upstream: pkg/util/trainingruntime `MergeResourceRequirements` and what newRuntimeInfo keeps of it, v2.3.0.
    """
    result = {}
    for kind in ("limits", "requests"):
        amounts = {**base.get(kind, {}), **override.get(kind, {})}
        if amounts:
            result[kind] = amounts
    return result


def per_node(info: Info, job: DecodedTrainJob) -> dict[str, Any]:
    """The resources that processes are counted from: the TrainJob's alone if it has any, else the runtime's.

    Upstream: pkg/runtime `ExtractResourcePerNodeFromRuntime`, v2.3.0.
    """
    if job.resources is not None:
        return job.resources
    for podset in info.podsets:
        if NODE in (podset.name,) or podset.ancestor == TRAINER:
            for container in podset.containers:
                if container.name == NODE:
                    amounts: dict[str, Any] = container.tree["resources"]
                    return amounts
    return {}


def gpu_names(amounts: dict[str, Any]) -> list[str]:
    """The resources that the controller takes for GPUs."""
    return sorted(name for name in amounts if "gpu" in name.lower())


def gpus(resources: dict[str, Any]) -> int:
    """The GPUs of a node: requests, or limits where requests have none.

    Of two GPU resources in one map the controller takes a random one; this takes the first by name.
    Upstream: pkg/runtime `GetNumGPUPerNode`, v2.3.0.
    """
    requested = _gpus(resources.get("requests", {}))
    return requested or max(_gpus(resources.get("limits", {})), 0)


def _gpus(amounts: dict[str, Any]) -> int:
    names = gpu_names(amounts)
    return parse(amounts[names[0]]).value if names else 0


def int32(value: int) -> int:
    """The value as Go's int32 holds it: larger values overflow."""
    return (value + 2**31) % 2**32 - 2**31


def cpus(resources: dict[str, Any]) -> int:
    """The CPUs of a node, rounded up: requests, or limits where requests have none.

    Upstream: plugins/torch `getNumCPUPerNode`, v2.3.0.
    """
    requested = parse(resources.get("requests", {}).get("cpu", 0))
    return requested.value if requested.nanos else parse(resources.get("limits", {}).get("cpu", 0)).value


def gang_resources(info: Info) -> dict[str, str]:
    """The sum over all pods, as both kinds of PodGroup print it.

    Upstream: plugins/coscheduling and plugins/volcano `Build`, v2.3.0.
    """
    sums: dict[str, Quantity] = {}
    for podset in info.podsets:
        for name, quantity in podset.requests.items():
            product = multiply(quantity, podset.count)
            sums[name] = add(sums[name], product) if name in sums else product
    return {name: str(quantity) for name, quantity in sums.items()}
