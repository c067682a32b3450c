"""Devices of a class -> resources or claims, node labels, tolerations and processes of the pod sets that use them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.device_class import SMALLEST, chosen
from tjgen.compiler.variables import env_item
from tjgen.language.platform.devices import Accelerator
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Gpu
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get, named
from tjgen.trees.k8s import quantity
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import Contribution, Contributions, extended, is_from_experiment
from tjgen.trees.workload.roles import at_once, role, workers
from tjgen.trees.workload.workload import PodSet, Workload

_MEBIBYTE = 1024 * 1024
"""The unit in which sharing systems count memory: their resources take whole numbers."""


class GpuRequest(NamedTuple):
    """What one `gpu` of the experiment came to."""

    gpu: Gpu
    device: Accelerator
    because: FieldPath


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """Resources by the class's name for them, never by a vendor's name in code."""
    spec = experiment.spec
    computing = workers(workload)
    processes: GpuRequest | None = None
    if spec.gpu is not None:
        because: FieldPath = (*SPEC, "gpu")
        device, diagnostics = chosen(spec.gpu, setting, because)
        yield from diagnostics
        if device is not None:
            request = GpuRequest(spec.gpu, device, because)
            theirs = _without_own(computing, experiment)
            yield from _given(workload, theirs, request, setting)
            for podset in theirs:
                yield from _accompanying_resources(workload, podset, experiment, request)
            if theirs or not computing:
                processes = request
    elif spec.rdma:
        yield from _network(workload, [], None, 0)
    for name, changed in spec.roles.items():
        own = role(workload, name)
        if changed.gpu is None or own is None:
            continue
        because = (*SPEC, "roles", name, "gpu")
        device, diagnostics = chosen(changed.gpu, setting, because)
        yield from diagnostics
        if device is not None:
            request = GpuRequest(changed.gpu, device, because)
            yield from _given(workload, [own], request, setting, role=name)
            if own in computing and processes is None:
                processes = request
    if processes is not None and not processes.device.is_resource and spec.procs_per_node is None and computing:
        # The controller would count resources whose name holds "gpu" (facts: MIG, TPU and others are not).
        count = processes.gpu.count * processes.device.processes
        yield Contribution(("trainer", "numProcPerNode"), count, (*processes.because, "count"))


def _without_own(podsets: list[PodSet], experiment: Experiment) -> list[PodSet]:
    """Return the pod sets whose role does not request devices of its own."""
    roles = experiment.spec.roles
    return [podset for podset in podsets if podset.name not in roles or roles[podset.name].gpu is None]


def _given(workload: Workload, podsets: list[PodSet], request: GpuRequest, setting: Setting, *, role: str = "") -> Contributions:
    """Add the settings for one `gpu` to `podsets`."""
    gpu, device, because = request
    yield from _number(gpu, device, because)
    if gpu.topology is not None:
        from tjgen.compiler.passes import device_topology  # devices that span nodes are rare

        yield from device_topology.contributions(workload, podsets, gpu, device, because)
    if device.dra is not None:
        from tjgen.compiler.passes import device_claims  # most clusters count devices

        yield from device_claims.unsupported(setting, because)
        name, template = device_claims.template(device.dra, gpu.count, setting, because)
        yield template
        for podset in podsets:
            yield from device_claims.claims(podset, name, because)
    for podset in podsets:
        yield from _devices(workload, podset, request)
    if gpu.mig is not None:
        together = at_once(workload, podsets) * gpu.count
        if together > 1 and not role:
            yield _parts_together(gpu, together, because)


def _devices(workload: Workload, podset: PodSet, request: GpuRequest) -> Contributions:
    gpu, device, because = request
    for resource, amount, field in _resources(gpu, device):
        for bound in ("limits",) if device.is_resource and not gpu.requests else ("limits", "requests"):
            yield Contribution((*podset.main, "resources", bound, resource), amount, (*because, field))
    for resource, each in device.resources.items():
        for bound in ("limits", "requests"):
            if not is_from_experiment(workload, (*podset.main, "resources", bound, resource)):
                amount = device.times(each, gpu.count)
                yield Contribution((*podset.main, "resources", bound, resource), amount, (*because, "count"))
    sharing = device.sharing if gpu.share is not None else None
    for key, value in {**device.annotations, **(sharing.annotations if sharing is not None else {})}.items():
        at = (*because, "share" if sharing is not None and key in sharing.annotations else "class")
        path: FieldPath = (*podset.pod_metadata, "annotations", key)
        if not is_from_experiment(workload, path):
            yield Contribution(path, value, at)
    for label, value in {**device.node_selector, **(sharing.node_selector if sharing is not None else {})}.items():
        yield Contribution((*podset.pod, "nodeSelector", label), value, (*because, "class"))
    path = (*podset.pod, "runtimeClassName")
    if device.runtime_class_name is not None and get(workload.tree.value, path, None) is None:
        yield Contribution(path, device.runtime_class_name, (*because, "class"))
    yield from _tolerated(workload, podset, device, because)
    present = {item["name"] for item in get(workload.tree.value, (*podset.main, "env"), None) or []}
    for name, variable in device.env.items():
        if name not in present:
            yield Contribution((*podset.main, "env", named(name)), env_item(name, variable), (*because, "class"))


def _tolerated(workload: Workload, podset: PodSet, device: Accelerator, because: FieldPath) -> Contributions:
    path: FieldPath = (*podset.pod, "tolerations")
    before = get(workload.tree.value, path, None) or []
    added = [toleration for toleration in device.tolerations if toleration not in before]
    if added:
        yield from extended(workload, path, added, (*because, "class"))


def _resources(gpu: Gpu, device: Accelerator) -> Iterator[tuple[str, str, str]]:
    """Resource, amount, and the field that requests it."""
    sharing = device.sharing if gpu.share is not None else None
    counted = (sharing.resource if sharing is not None else None) or device.resource
    if counted is not None:
        yield counted, str(gpu.count), "count"
    if gpu.share is not None and sharing is not None:
        if gpu.share.memory is not None and sharing.memory is not None:
            yield sharing.memory, str(-(-quantity.parse(gpu.share.memory).value // _MEBIBYTE)), "share"
        if gpu.share.cores is not None and sharing.cores is not None:
            yield sharing.cores, str(gpu.share.cores), "share"


def _accompanying_resources(workload: Workload, podset: PodSet, experiment: Experiment, request: GpuRequest) -> Contributions:
    """Return CPU, memory and network of the class, unless the experiment sets them."""
    spec, (gpu, device, because) = experiment.spec, request
    own = spec.roles.get(podset.name)
    for resource, each in (("cpu", device.cpu_per_device), ("memory", device.memory_per_device)):
        is_set = getattr(spec, resource) is not None or getattr(own, resource, None) is not None
        if each is not None and not is_set:
            for bound in ("limits", "requests"):
                yield Contribution(
                    (*podset.main, "resources", bound, resource), device.times(each, gpu.count), (*because, "count")
                )
    if spec.rdma:
        yield from _network(workload, [podset], device, gpu.count)


def _network(workload: Workload, podsets: list[PodSet], device: Accelerator | None, count: int) -> Contributions:
    from tjgen.compiler.passes import device_network  # most runs have one node, or a network that needs no devices

    if device is None or device.network is None:
        yield device_network.missing(device)
        return
    for podset in podsets:
        yield from device_network.contributions(workload, podset, device.network, count)


def _number(gpu: Gpu, device: Accelerator, because: FieldPath) -> Contributions:
    """Whether a pod can have so many."""
    most = device.sharing.most if gpu.share is not None and device.sharing is not None else device.most
    if gpu.mig is not None:
        most = None  # a node has more parts than devices
    if most is not None and gpu.count > most:
        what = "a pod shares at most" if gpu.share is not None else "a node has"
        message = f"gpu requests {gpu.count} devices of class {device.name}, but {what} {most}"
        hint = f"request at most {most} on each node" + ("" if gpu.share is not None else ", and increase nodes")
    elif device.counts and gpu.count not in device.counts and gpu.share is None:
        known = ", ".join(map(str, device.counts))
        message = f"gpu requests {gpu.count} devices of class {device.name}, but a pod on its nodes can have {known}"
        hint = f"request {known.replace(', ', ' or ')}"
    else:
        return
    yield Diagnostic("TJ375", message, path=because, hint=hint)


def _parts_together(gpu: Gpu, count: int, because: FieldPath) -> Diagnostic:
    what = "of the smallest partitions" if gpu.mig == SMALLEST else f"parts {gpu.mig}"
    return Diagnostic(
        "TJ324",
        f"{count} {what} train together, but NCCL does not connect partitions of devices",
        path=(*because, "mig"),
        hint="use whole devices, or one partition for each run",
    )
