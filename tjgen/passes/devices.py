"""Devices of a class -> resources, node labels, tolerations and processes of the pod sets that use them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.diagnostics.model import ERROR, Diagnostic
from tjgen.fields.path import FieldPath, get, named
from tjgen.k8s.nearest import nearest
from tjgen.lower import SPEC, env_item
from tjgen.platform.devices import DeviceClass
from tjgen.setting import Setting
from tjgen.spec.objects import Experiment, Gpu
from tjgen.workload.contribution import Contribution
from tjgen.workload.roles import role, workers
from tjgen.workload.workload import PodSet, Workload


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Contribution | Diagnostic]:
    """Resources by the class's name for them, never by a vendor's name in code."""
    spec = experiment.spec
    if spec.gpu is not None:
        because: FieldPath = (*SPEC, "gpu")
        device = setting.classes.get(spec.gpu.device_class)
        if device is None:
            yield _unknown(spec.gpu, setting, because)
        else:
            computing = workers(workload)
            for podset in computing:
                yield from _devices(workload, podset, spec.gpu, device, because)
                yield from _beside(podset, experiment, device, because)
            if spec.procs_per_node is None and computing:
                # The controller would count resources whose name holds "gpu" (facts: MIG, TPU and others are not).
                yield Contribution(("trainer", "numProcPerNode"), spec.gpu.count * device.processes, (*because, "count"))
    for name, changed in spec.roles.items():
        chosen = role(workload, name)
        if changed.gpu is None or chosen is None:
            continue
        because = (*SPEC, "roles", name, "gpu")
        device = setting.classes.get(changed.gpu.device_class)
        if device is None:
            yield _unknown(changed.gpu, setting, because)
        else:
            yield from _devices(workload, chosen, changed.gpu, device, because)


def _devices(
    workload: Workload, podset: PodSet, gpu: Gpu, device: DeviceClass, because: FieldPath
) -> Iterator[Contribution | Diagnostic]:
    for bound in ("limits", "requests"):
        yield Contribution((*podset.main, "resources", bound, device.resource), str(gpu.count), (*because, "count"))
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
