"""Resource maps -> merged maps, GPU and CPU counts, and what one pod asks for."""

from __future__ import annotations

from typing import Any

from tjgen.k8s.quantity import ZERO, Quantity, add, compare, parse, parse_all, total
from tjgen.trainer.info import NODE, TRAINER, Info
from tjgen.trainer.job import Job

_POD_LEVEL = ("cpu", "memory")
_HUGE_PAGES = "hugepages-"


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


def per_node(info: Info, job: Job) -> dict[str, Any]:
    """The resources that processes are counted from: the TrainJob's alone where it has any, else the runtime's.

    Upstream: pkg/runtime `ExtractResourcePerNodeFromRuntime`, v2.3.0.
    """
    if job.resources is not None:
        return job.resources
    for podset in info.podsets:
        if NODE in (podset.name,) or podset.ancestor == TRAINER:
            for container in podset.containers:
                if container.name == NODE:
                    found: dict[str, Any] = container.tree["resources"]
                    return found
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


def cpus(resources: dict[str, Any]) -> int:
    """The CPUs of a node, rounded up: requests, or limits where requests have none.

    Upstream: plugins/torch `getNumCPUPerNode`, v2.3.0.
    """
    requested = parse(resources.get("requests", {}).get("cpu", 0))
    return requested.value if requested.nanos else parse(resources.get("limits", {}).get("cpu", 0)).value


def pod_requests(pod_spec: dict[str, Any]) -> dict[str, Quantity]:
    """What a scheduler counts for one pod of this spec.

    Upstream: k8s.io/component-helpers v0.36 `resource.PodRequests` without options.
    """
    requests = total(_requests(container) for container in pod_spec.get("containers", ()))
    sidecars: dict[str, Quantity] = {}
    largest: dict[str, Quantity] = {}
    for container in pod_spec.get("initContainers", ()):
        asked = _requests(container)
        if container.get("restartPolicy") == "Always":
            requests = total((requests, asked))
            sidecars = total((sidecars, asked))
            _raise_to(largest, sidecars)
        else:
            _raise_to(largest, total((asked, sidecars)))
    _raise_to(requests, largest)
    for name, quantity in parse_all(pod_spec.get("resources", {}).get("requests")).items():
        if name in _POD_LEVEL or name.startswith(_HUGE_PAGES):
            requests[name] = quantity
    return total((requests, parse_all(pod_spec.get("overhead"))))


def _requests(container: dict[str, Any]) -> dict[str, Quantity]:
    return parse_all(container.get("resources", {}).get("requests"))


def _raise_to(amounts: dict[str, Quantity], others: dict[str, Quantity]) -> None:
    for name, quantity in others.items():
        if name not in amounts or compare(quantity, amounts[name]) > 0:
            amounts[name] = quantity


def gang_resources(info: Info) -> dict[str, str]:
    """The sum over all pods, as both kinds of PodGroup print it.

    Upstream: plugins/coscheduling and plugins/volcano `Build`, v2.3.0.
    """
    sums: dict[str, Quantity] = {}
    for podset in info.podsets:
        for name, quantity in podset.requests.items():
            times = Quantity(quantity.nanos * podset.count, quantity.format)
            sums[name] = add(sums.get(name, ZERO), times)
    return {name: str(quantity) for name, quantity in sums.items()}
