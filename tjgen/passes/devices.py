"""Devices of a class -> resources, node labels, tolerations and processes of the pod sets that use them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.fields.path import FieldPath, get, named
from tjgen.k8s import quantity
from tjgen.k8s.nearest import nearest
from tjgen.lower import SPEC, env_item
from tjgen.platform.devices import DeviceClass
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment, Gpu
from tjgen.workload.contribution import Contribution
from tjgen.workload.roles import at_once, role, workers
from tjgen.workload.workload import PodSet, Workload

_MEBIBYTE = 1024 * 1024
"""The unit in which sharing systems count memory: their resources take whole numbers."""


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Resources by the class's name for them, never by a vendor's name in code."""
    spec = experiment.spec
    if spec.gpu is not None:
        because: FieldPath = (*SPEC, "gpu")
        device = _device(spec.gpu, setting, because)
        if isinstance(device, Diagnostic):
            yield device
        else:
            computing = workers(workload)
            for podset in _without_own(computing, experiment):
                yield from _devices(workload, podset, spec.gpu, device, because)
                yield from _beside(podset, experiment, device, because)
            if spec.procs_per_node is None and computing:
                # The controller would count resources whose name holds "gpu" (facts: MIG, TPU and others are not).
                yield Contribution(("trainer", "numProcPerNode"), spec.gpu.count * device.processes, (*because, "count"))
            if spec.gpu.mig is not None and at_once(workload, computing) * spec.gpu.count > 1:
                yield _parts_together(spec.gpu, at_once(workload, computing) * spec.gpu.count, because)
    for name, changed in spec.roles.items():
        chosen = role(workload, name)
        if changed.gpu is None or chosen is None:
            continue
        because = (*SPEC, "roles", name, "gpu")
        device = _device(changed.gpu, setting, because)
        if isinstance(device, Diagnostic):
            yield device
        else:
            yield from _devices(workload, chosen, changed.gpu, device, because)


def _without_own(podsets: list[PodSet], experiment: Experiment) -> list[PodSet]:
    """Those whose role does not ask for devices of its own."""
    roles = experiment.spec.roles
    return [podset for podset in podsets if podset.name not in roles or roles[podset.name].gpu is None]


def _device(gpu: Gpu, setting: Setting, because: FieldPath) -> DeviceClass | Diagnostic:
    """The class, or the kind of part of it, that is asked for."""
    device = setting.classes.get(gpu.device_class)
    if device is None:
        return _unknown(gpu, setting, because)
    if gpu.mig is not None and gpu.mig not in device.partitions:
        return _unknown_part(gpu.mig, device, because)
    if gpu.share is not None:
        missing = [
            field for field in ("memory", "cores") if getattr(gpu.share, field) and not getattr(device.sharing, field, None)
        ]
        if device.sharing is None or missing:
            return _not_shared(device, missing, because)
    return device.part(gpu.mig) if gpu.mig is not None else device


def _devices(
    workload: Workload, podset: PodSet, gpu: Gpu, device: DeviceClass, because: FieldPath
) -> Iterator[Contribution | Diagnostic]:
    for resource, amount, field in _resources(gpu, device):
        for bound in ("limits", "requests"):
            yield Contribution((*podset.main, "resources", bound, resource), amount, (*because, field))
    if gpu.share is not None and device.sharing is not None:
        for key, value in device.sharing.annotations.items():
            yield Contribution((*podset.pod_metadata, "annotations", key), value, (*because, "share"))
    for label, value in device.node_selector.items():
        yield Contribution((*podset.pod, "nodeSelector", label), value, (*because, "class"))
    # Tolerations are one atomic list: what stands there stays in it.
    before = get(workload.tree.value, (*podset.pod, "tolerations"), None) or []
    added = [toleration for toleration in device.tolerations if toleration not in before]
    if added:
        origins = workload.tree.origins((*podset.pod, "tolerations"))
        said = bool(before) and any(origin.manager == "experiment" for origin in origins)
        yield Contribution(
            (*podset.pod, "tolerations"), [*before, *added], (*because, "class"), manager="experiment" if said else None
        )
    present = {item["name"] for item in get(workload.tree.value, (*podset.main, "env"), None) or []}
    for name, variable in device.env.items():
        if name not in present:
            yield Contribution((*podset.main, "env", named(name)), env_item(name, variable), (*because, "class"))


def _resources(gpu: Gpu, device: DeviceClass) -> Iterator[tuple[str, str, str]]:
    """Resource, amount, and the field that asks for it."""
    sharing = device.sharing if gpu.share is not None else None
    yield (sharing.resource if sharing is not None else None) or device.resource, str(gpu.count), "count"
    if gpu.share is not None and sharing is not None:
        if gpu.share.memory is not None and sharing.memory is not None:
            yield sharing.memory, str(-(-quantity.parse(gpu.share.memory).value // _MEBIBYTE)), "share"
        if gpu.share.cores is not None and sharing.cores is not None:
            yield sharing.cores, str(gpu.share.cores), "share"


def _beside(podset: PodSet, experiment: Experiment, device: DeviceClass, because: FieldPath) -> Iterator[Contribution]:
    """CPU and memory by the class, where the experiment does not say."""
    spec = experiment.spec
    assert spec.gpu is not None
    for resource, each, said in (("cpu", device.cpu_per_device, spec.cpu), ("memory", device.memory_per_device, spec.memory)):
        if each is not None and said is None:
            for bound in ("limits", "requests"):
                yield Contribution(
                    (*podset.main, "resources", bound, resource), device.times(each, spec.gpu.count), (*because, "count")
                )


def _unknown(gpu: Gpu, setting: Setting, because: FieldPath) -> Diagnostic:
    near = nearest(gpu.device_class, setting.classes)
    return Diagnostic(
        "TJ301",
        ERROR,
        f'no device class is called "{gpu.device_class}"',
        path=because,
        hint=f'did you mean "{near}"?' if near else f"use one of {', '.join(sorted(setting.classes))}, or add it to the Platform",
        name="unknown-device-class",
    )


def _unknown_part(profile: str, device: DeviceClass, because: FieldPath) -> Diagnostic:
    near = nearest(profile, device.partitions)
    known = f"use one of {', '.join(device.partitions)}" if device.partitions else "leave mig out, or add partitions to the class"
    return Diagnostic(
        "TJ322",
        ERROR,
        f'devices of class {device.name} have no part "{profile}"',
        path=(*because, "mig"),
        hint=f'did you mean "{near}"?' if near else known,
        name="unknown-part",
    )


def _not_shared(device: DeviceClass, missing: list[str], because: FieldPath) -> Diagnostic:
    what = f"the {' and '.join(missing)} of devices of class {device.name}" if missing else f"devices of class {device.name}"
    return Diagnostic(
        "TJ323",
        ERROR,
        f"{what} cannot be shared, as far as the Platform says",
        path=(*because, "share"),
        hint="ask for whole devices, or say in the Platform's class by which resources they are shared (sharing)",
        name="not-shared",
    )


def _parts_together(gpu: Gpu, count: int, because: FieldPath) -> Diagnostic:
    return Diagnostic(
        "TJ324",
        WARNING,
        f"{count} parts {gpu.mig} train together, and NCCL does not connect parts of devices",
        path=(*because, "mig"),
        hint="use whole devices, or one part for each run",
        name="parts-train-together",
    )
