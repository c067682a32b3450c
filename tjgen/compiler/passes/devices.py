"""`gpu` -> a device class, and its resources or claims, node labels, tolerations and processes in the pods that use it.

The parts: the class that the fields of `gpu` choose, what a count of its devices adds to pods, claims, topologies and `rdma`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.variables import env_item
from tjgen.language.platform.devices import Accelerator, Claimed, NodeNetwork
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Experiment, Gpu
from tjgen.trees.canonical import json_text, sha256_hex
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, named
from tjgen.trees.k8s import quantity
from tjgen.trees.k8s.labels import MANAGED_BY
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.typing import NamedTuple
from tjgen.trees.workload.contribution import Contribution, Contributions, extended, is_from_experiment
from tjgen.trees.workload.roles import at_once, nodes, role, workers
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
        yield from _nodes_of_topology(workload, podsets, gpu, device, because)
    if device.dra is not None:
        yield from _unsupported_claims(setting, because)
        name, template = claim_template(device.dra, gpu.count, setting, because)
        yield template
        for podset in podsets:
            yield from _claim_of_pod(podset, name, because)
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
    if device is None or device.network is None:
        yield _missing_network(device)
        return
    for podset in podsets:
        yield from _network_devices(workload, podset, device.network, count)


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


# The fields of `gpu` -> a matching device class, or a part of one; or the diagnostics.

SMALLEST = "smallest"
"""Return the smallest profile of `mig` that has `minMemory`."""

_ANY = "nvidia"
"""The built-in class of `nvidia.com/gpu` on any node."""

Chosen = tuple[Accelerator | None, list[Diagnostic]]


def chosen(gpu: Gpu, setting: Setting, because: FieldPath) -> Chosen:
    """Return the requested class, its part if one is requested; None if nothing fits, which the diagnostics report."""
    device, problems = _class_by_name(gpu, setting, because) if gpu.device_class is not None else _unnamed(gpu, setting, because)
    if device is None:
        return None, problems
    wrong = _share(gpu, device, because)
    if wrong is None and gpu.dra is not None:
        device, wrong = _claimed(gpu, device, because)
    if wrong is None and gpu.min_memory is not None:
        device, wrong = _with_memory(gpu, device, because)
    return (None, [*problems, wrong]) if wrong is not None else (device, problems)


def _class_by_name(gpu: Gpu, setting: Setting, because: FieldPath) -> Chosen:
    name = gpu.device_class or ""
    device = Accelerator(name, resource=name) if "/" in name else setting.classes.get(name)
    if device is None:
        return None, [_unknown(gpu, setting, because)]
    if gpu.mig == SMALLEST:
        return _smallest(gpu, [device], because)
    if gpu.mig is not None and gpu.mig not in device.partitions:
        return None, [_unknown_part(gpu.mig, device, because)]
    return device.part(gpu.mig) if gpu.mig is not None else device, []


def _unnamed(gpu: Gpu, setting: Setting, because: FieldPath) -> Chosen:
    if gpu.dra is not None and gpu.dra.device_class is not None and gpu.mig is None:
        return Accelerator(gpu.dra.device_class, dra=Claimed(gpu.dra.device_class)), []
    described = [device for device in setting.classes.values() if not device.is_builtin]
    if gpu.min_memory is None and gpu.mig is None and gpu.dra is None:
        return _only(gpu, described, setting, because)
    if gpu.min_memory is not None and described:
        return _smallest(gpu, described, because)
    if gpu.min_memory is not None:
        message = "gpu.minMemory chooses among the classes of the Platform, but the Platform describes none"
        hint = "set class, or describe the classes of the cluster in a Platform"
    else:
        message, hint = "gpu has neither a class nor minMemory", "add class or minMemory"
    return None, [Diagnostic("TJ370", message, path=because, hint=hint)]


def _only(gpu: Gpu, described: list[Accelerator], setting: Setting, because: FieldPath) -> Chosen:
    """The class of a count alone: the only one of the Platform, or without a Platform that of all NVIDIA devices."""
    if len(described) < 2:
        return (described[0] if described else setting.classes[_ANY]), []
    names = [device.name for device in described]
    message = f"gpu has no class, and the Platform describes {len(names)}: {', '.join(names)}"
    return None, [Diagnostic("TJ370", message, path=because, hint=f"write gpu: {names[0]}:{gpu.count}, or another class")]


def _smallest(gpu: Gpu, devices: list[Accelerator], because: FieldPath) -> Chosen:
    """Of all devices, or parts of them, that have the memory the smallest; of equal ones the first of the Platform."""
    if gpu.min_memory is None:
        message = "mig: smallest chooses by minMemory, which is not set"
        return None, [Diagnostic("TJ370", message, path=(*because, "mig"), hint="add minMemory")]
    wanted = quantity.parse(gpu.min_memory).nanos
    offered = [(device, "") for device in devices]
    if gpu.mig is not None:
        offered = [(device, profile) for device in devices for profile in device.partitions]
    sizes = []
    for position, (device, profile) in enumerate(offered):
        memory = device.partitions[profile].memory if profile else device.memory
        if memory is not None:
            sizes.append((quantity.parse(memory).nanos, position, text(memory)))
    enough = [size for size in sizes if size[0] >= wanted]
    if not enough:
        most = max(sizes, key=lambda size: (size[0], -size[1]), default=None)
        has = f"the largest, {_shown(*offered[most[1]])}, has {most[2]}" if most is not None else "none sets its memory"
        return None, [_too_little(f"no {'partition' if gpu.mig is not None else 'class'} has", gpu, has, because)]
    _, position, memory = min(enough)
    device, profile = offered[position]
    message = f"gpu.minMemory {text(gpu.min_memory)} chooses {_shown(device, profile)} with {memory}"
    note = Diagnostic("TJ371", message, path=(*because, "minMemory"))
    return device.part(profile) if profile else device, [note]


def _shown(device: Accelerator, profile: str) -> str:
    return f"{device.name} {profile}" if profile else device.name


def _share(gpu: Gpu, device: Accelerator, because: FieldPath) -> Diagnostic | None:
    if gpu.share is None:
        return None
    missing = [field for field in ("memory", "cores") if getattr(gpu.share, field) and not getattr(device.sharing, field, None)]
    if device.sharing is None or missing:
        return _not_shared(device, missing, because)
    return None


def _claimed(gpu: Gpu, device: Accelerator, because: FieldPath) -> tuple[Accelerator, Diagnostic | None]:
    """Return the class with the experiment's settings for the claimed devices."""
    assert gpu.dra is not None
    if device.dra is None:
        message = f"devices of class {device.name} are requested as {device.resource}, so they cannot be claimed with expressions"
        hint = "remove dra, or set dra in the Platform's class"
        return device, Diagnostic("TJ373", message, path=(*because, "dra"), hint=hint)
    claimed = device.dra._replace(
        device_class_name=gpu.dra.device_class or device.dra.device_class_name,
        selectors=[*device.dra.selectors, *gpu.dra.selectors],
    )
    return device._replace(dra=claimed), None


def _with_memory(gpu: Gpu, device: Accelerator, because: FieldPath) -> tuple[Accelerator, Diagnostic | None]:
    """The class, if it has the memory; where devices are claimed, the scheduler looks for those that have it."""
    assert gpu.min_memory is not None
    if device.dra is not None and device.dra.memory_capacity is not None:
        domain, _, name = device.dra.memory_capacity.rpartition("/")
        capacity = f"device.capacity['{domain}']"
        # A device without the attribute would make the expression fail, and with it the claim.
        has = f"'{name}' in {capacity} && {capacity}['{name}'].compareTo(quantity('{text(gpu.min_memory)}')) >= 0"
        return device._replace(dra=device.dra._replace(selectors=[*device.dra.selectors, has])), None
    if device.memory is None:
        message = f"gpu.minMemory is {text(gpu.min_memory)}, but the memory of class {device.name} is unknown"
        hint = "remove minMemory, name another class, or set memory in the Platform's class"
        return device, Diagnostic("TJ372", message, path=(*because, "minMemory"), hint=hint)
    if quantity.compare(quantity.parse(device.memory), quantity.parse(gpu.min_memory)) < 0:
        has = f"class {device.name} has {text(device.memory)}" + ("" if gpu.mig is None else f" in partition {gpu.mig}")
        return device, _too_little("no devices have", gpu, has, because)
    return device, None


def _too_little(what: str, gpu: Gpu, has: str, because: FieldPath) -> Diagnostic:
    message = f"{what} {text(gpu.min_memory)} of memory: {has}"
    hint = "request less, name another class, or set memory in the Platform's class"
    return Diagnostic("TJ372", message, path=(*because, "minMemory"), hint=hint)


def _unknown(gpu: Gpu, setting: Setting, because: FieldPath) -> Diagnostic:
    name = gpu.device_class or ""
    if name.lower() in ("none", "no", "cpu", "off"):
        return Diagnostic(
            "TJ301", f'unknown device class "{name}"', path=because, hint="remove gpu: the pods then have no device"
        )
    near, count = _meant(name, gpu.count, setting.classes)
    hint = f'did you mean "{near}"?' if near else f"use one of {', '.join(sorted(setting.classes))}, or add it to the Platform"
    is_short = not (gpu.mig or gpu.dra or gpu.share or gpu.min_memory or gpu.topology)
    if near and is_short and (count > 1 or count != gpu.count):
        hint = f"write gpu: {near}:{count}"
    return Diagnostic("TJ301", f'unknown device class "{name}"', path=because, hint=hint)


def _unknown_part(profile: str, device: Accelerator, because: FieldPath) -> Diagnostic:
    near = nearest(profile, device.partitions)
    known = f"use one of {', '.join(device.partitions)}" if device.partitions else "remove mig, or add partitions to the class"
    return Diagnostic(
        "TJ322",
        f'devices of class {device.name} have no partition "{profile}"',
        path=(*because, "mig"),
        hint=f'did you mean "{near}"?' if near else known,
    )


def _not_shared(device: Accelerator, missing: list[str], because: FieldPath) -> Diagnostic:
    what = f"the {' and '.join(missing)} of devices of class {device.name}" if missing else f"devices of class {device.name}"
    return Diagnostic(
        "TJ323",
        f"{what} cannot be shared, according to the Platform",
        path=(*because, "share"),
        hint="request whole devices, or set sharing in the Platform's class",
    )


# The name of a device that is not a class -> the class and the number of devices that are probably meant.

_VENDORS = ("nvidia", "amd")
"""Classes of all devices of a vendor, which other names contain."""


def _meant(name: str, count: int, classes: Collection[str]) -> tuple[str | None, int]:
    """The class for a name such as `8xA100` or `NVIDIA-A100-SXM4-80GB`, and the number of devices."""
    from tjgen.language.spec.devicetext import parted  # only for an experiment with a mistake

    parts = parted(name)
    if count == 1 and parts is not None and name not in classes:
        near = _class(parts[0], classes)
        if near is not None:
            return near, parts[1]
    return _class(name, classes), count


def _class(name: str, classes: Collection[str]) -> str | None:
    by_letters = {one.lower(): one for one in sorted(classes)}
    if name.lower() in by_letters:
        return by_letters[name.lower()]
    import re  # only for an experiment with a mistake

    words = set(re.split(r"[-_. ]+", name.lower()))
    within = [one for one in sorted(classes) if one not in _VENDORS and set(one.lower().split("-")) <= words]
    return max(within, key=lambda one: one.count("-")) if within else nearest(name, classes)


# Devices that are claimed -> the ResourceClaimTemplate, and the claim in the pods that use it.
#
# A TrainJob has no field for claims (its pod patch has no `resourceClaims` in v2.3.0), so they reach the pods by the emitted
# runtime. Each pod gets a claim of its own from the template, under the pod's name.

CLAIM = "gpu"
"""The name of the claim in the pod, and of the request in the claim."""

_SINCE = 34
"""The first minor release of Kubernetes that serves resource.k8s.io/v1 (KEP-4381)."""


def _unsupported_claims(setting: Setting, because: FieldPath) -> Iterator[Diagnostic]:
    """TJ374 if the Platform sets a release of Kubernetes that does not support these claims."""
    release = setting.cluster.kubernetes
    if release is not None and release < _SINCE:
        message = f"the devices are claimed by resource.k8s.io/v1, which Kubernetes 1.{release} does not support"
        hint = "use a class of a device plugin, or a cluster of Kubernetes 1.34 or later"
        yield Diagnostic("TJ374", message, path=because, hint=hint)


def claim_template(claimed: Claimed, count: int, setting: Setting, because: FieldPath) -> tuple[str, Contribution]:
    """The name of the template, which follows its content so that runs share it and their runtime, and the template."""
    request: Tree = {
        "deviceClassName": claimed.device_class_name,
        # What the server would fill in is written out, so that a sync sees no difference.
        "allocationMode": "ExactCount",
        "count": count,
    }
    if claimed.selectors:
        request["selectors"] = [{"cel": {"expression": expression}} for expression in claimed.selectors]
    devices: Tree = {"requests": [{"name": CLAIM, "exactly": request}]}
    if claimed.config:
        devices["config"] = [dict(one) for one in claimed.config]
    spec = {"spec": {"devices": devices}}
    name = f"{CLAIM}-{sha256_hex(json_text(spec))[:10]}"
    tree = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": setting.namespace, "labels": {MANAGED_BY: "tjgen", **setting.labels}},
        "spec": spec,
    }
    return name, Contribution(("objects", f"ResourceClaimTemplate/{name}"), tree, because)


def _claim_of_pod(podset: PodSet, name: str, because: FieldPath) -> Iterator[Contribution]:
    """The claim of a pod, and its use by the main container."""
    claim = {"name": CLAIM, "resourceClaimTemplateName": name}
    yield Contribution((*podset.pod, "resourceClaims", named(CLAIM)), claim, because)
    yield Contribution((*podset.main, "resources", "claims", named(CLAIM)), {"name": CLAIM}, because)


# `rdma` -> the network devices that go with the device class, in the pods that compute.

_RDMA: FieldPath = (*SPEC, "rdma")


def _missing_network(device: Accelerator | None) -> Diagnostic:
    """TJ378: the network devices are not described."""
    what = f"class {device.name} has no network devices" if device is not None else "without gpu, no class sets which devices"
    message = f"rdma requests network devices, but {what}"
    hint = "set network in the Platform's class, or request them by name in resources"
    return Diagnostic("TJ378", message, path=_RDMA, hint=hint)


def _network_devices(workload: Workload, podset: PodSet, network: NodeNetwork, count: int) -> Iterator[Contribution]:
    """Resources, variables, annotations and rights of one pod with `count` devices. The experiment's settings take precedence."""
    number = network.per_device * count if network.per_device is not None else network.per_pod
    amounts = {network.resource: str(number), **{name: text(amount) for name, amount in network.resources.items()}}
    for resource, amount in amounts.items():
        for bound in ("limits", "requests"):
            if not is_from_experiment(workload, (*podset.main, "resources", bound, resource)):
                yield Contribution((*podset.main, "resources", bound, resource), amount, _RDMA)
    present = {item["name"] for item in get(workload.tree.value, (*podset.main, "env"), None) or []}
    for name, variable in network.env.items():
        if name not in present:
            yield Contribution((*podset.main, "env", named(name)), env_item(name, variable), _RDMA)
    for key, value in network.annotations.items():
        if not is_from_experiment(workload, (*podset.pod_metadata, "annotations", key)):
            yield Contribution((*podset.pod_metadata, "annotations", key), value, _RDMA)
    yield from _rights(workload, podset, network)
    if network.host_network:
        yield Contribution((*podset.pod, "hostNetwork"), True, _RDMA)
        if get(workload.tree.value, (*podset.pod, "dnsPolicy"), None) is None:
            # Names of the cluster are resolved on the node's network only with this policy.
            yield Contribution((*podset.pod, "dnsPolicy"), "ClusterFirstWithHostNet", _RDMA)


def _rights(workload: Workload, podset: PodSet, network: NodeNetwork) -> Iterator[Contribution]:
    path: FieldPath = (*podset.main, "securityContext", "capabilities", "add")
    before = get(workload.tree.value, path, None) or []
    added = [one for one in network.capabilities if one not in before]
    if added:
        yield from extended(workload, path, added, _RDMA)


# The topology of devices that span nodes -> the node label for it, and the number of nodes that have them.


def _nodes_of_topology(
    workload: Workload, podsets: list[PodSet], gpu: Gpu, device: Accelerator, because: FieldPath
) -> Iterator[Contribution | Diagnostic]:
    """Add the label to each of `podsets`, and `nodes` if the experiment does not set it."""
    from math import prod  # devices that span nodes are rare

    assert gpu.topology is not None
    at: FieldPath = (*because, "topology")
    if device.topology_label is None:
        message = f"gpu has a topology, but class {device.name} has no label for it"
        hint = "remove topology, or set topologyLabel in the Platform's class"
        yield Diagnostic("TJ377", message, path=at, hint=hint)
        return
    for podset in podsets:
        yield Contribution((*podset.pod, "nodeSelector", device.topology_label), gpu.topology, at)
    devices = prod(map(int, gpu.topology.split("x")))
    wanted, rest = divmod(devices, gpu.count)
    has_nodes = set(podsets) <= set(workers(workload)) and not workload.is_direct
    pods = nodes(workload) if has_nodes else at_once(workload, podsets)
    if rest or not wanted:
        message = f"topology {gpu.topology} has {devices} devices, which is not a multiple of the {gpu.count} devices of a node"
        hint = f"set count to a number that divides {devices}"
        yield Diagnostic("TJ376", message, path=at, hint=hint)
    elif has_nodes and get(workload.tree.value, ("trainer", "numNodes"), None) is None:
        yield Contribution(("trainer", "numNodes"), wanted, at)
    elif pods != wanted:
        message = f"topology {gpu.topology} is {wanted} nodes with {gpu.count} devices each, but the {_whole(because)} has {pods}"
        yield Diagnostic("TJ376", message, path=at, hint=_remedy(workload, podsets, because, wanted))


def _whole(because: FieldPath) -> str:
    """What the devices at `because` are for."""
    return "run" if because == (*SPEC, "gpu") else f"role {because[-2]}"


def _remedy(workload: Workload, podsets: list[PodSet], because: FieldPath, wanted: int) -> str:
    if because != (*SPEC, "gpu"):
        return f"set replicas to {wanted}"
    if workload.is_direct and all(len(workload.tree.origins(("counts", one.name))[0].because) > len(SPEC) + 1 for one in podsets):
        return f"change replicas of {', '.join(one.name for one in podsets)} so that they are {wanted} pods"
    return f"remove nodes, or set it to {wanted}"
