"""The fields of `gpu` -> a matching device class, or a part of one; or the diagnostics."""

from __future__ import annotations

from tjgen.language.platform.devices import Accelerator, Claimed
from tjgen.language.setting import Setting
from tjgen.language.spec.forms import text
from tjgen.language.spec.objects import Gpu
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath
from tjgen.trees.k8s import quantity
from tjgen.trees.k8s.nearest import nearest

SMALLEST = "smallest"
"""Return the smallest profile of `mig` that has `minMemory`."""

_ANY = "nvidia"
"""The built-in class of `nvidia.com/gpu` on any node."""

Chosen = tuple[Accelerator | None, list[Diagnostic]]


def chosen(gpu: Gpu, setting: Setting, because: FieldPath) -> Chosen:
    """Return the requested class, its part if one is requested; None if nothing fits, which the diagnostics report."""
    device, problems = _named(gpu, setting, because) if gpu.device_class is not None else _unnamed(gpu, setting, because)
    if device is None:
        return None, problems
    wrong = _share(gpu, device, because)
    if wrong is None and gpu.dra is not None:
        device, wrong = _claimed(gpu, device, because)
    if wrong is None and gpu.min_memory is not None:
        device, wrong = _with_memory(gpu, device, because)
    return (None, [*problems, wrong]) if wrong is not None else (device, problems)


def _named(gpu: Gpu, setting: Setting, because: FieldPath) -> Chosen:
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
    from tjgen.compiler.passes.device_names import meant  # only for an experiment with a mistake

    name = gpu.device_class or ""
    if name.lower() in ("none", "no", "cpu", "off"):
        return Diagnostic(
            "TJ301", f'unknown device class "{name}"', path=because, hint="remove gpu: the pods then have no device"
        )
    near, count = meant(name, gpu.count, setting.classes)
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
