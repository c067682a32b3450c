"""`schedule.topology`, and what device classes need of finished pods -> annotations, the scheduler, what is in the way."""

from __future__ import annotations

from tjgen.compiler.lower import SPEC
from tjgen.compiler.passes.devices import chosen
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Gpu, Topology
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.k8s import quantity
from tjgen.trees.k8s.labels import (
    KUEUE_PREFERRED,
    KUEUE_REQUIRED,
    KUEUE_SLICE_LEVEL,
    KUEUE_SLICE_SIZE,
    KUEUE_UNCONSTRAINED,
)
from tjgen.trees.workload.contribution import Contribution, Contributions
from tjgen.trees.workload.roles import at_once, role, workers
from tjgen.trees.workload.workload import PodSet, Workload

AT: FieldPath = (*SPEC, "schedule", "topology")
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"


def contribute(workload: Workload, experiment: Experiment, setting: Setting) -> Contributions:
    """After all that chooses a scheduler or sets resources."""
    spec = experiment.spec
    if spec.schedule.topology is not None:
        yield from _topology(workload, spec.schedule.topology)
    computing = workers(workload)
    if spec.gpu is not None:
        others = [podset for podset in computing if podset.name not in spec.roles or spec.roles[podset.name].gpu is None]
        yield from _needs(workload, others, spec.gpu, setting, (*SPEC, "gpu"))
    for name, changed in spec.roles.items():
        podset = role(workload, name)
        if changed.gpu is not None and podset is not None:
            yield from _needs(workload, [podset], changed.gpu, setting, (*SPEC, "roles", name, "gpu"))


def _topology(workload: Workload, topology: Topology) -> Contributions:
    computing = workers(workload)
    if topology.exclusive is not None:
        for podset in computing:
            # On the Job rather than on the JobSet: an initializer needs no domain of its own.
            path: FieldPath = (*podset.path, "template", "metadata", "annotations", EXCLUSIVE)
            yield Contribution(path, topology.exclusive, (*AT, "exclusive"), mirrors=True)
        return
    annotations = {
        KUEUE_REQUIRED: (topology.required, "required"),
        KUEUE_PREFERRED: (topology.preferred, "preferred"),
        KUEUE_UNCONSTRAINED: ("true" if topology.unconstrained else None, "unconstrained"),
    }
    if topology.slice is not None:
        annotations[KUEUE_SLICE_LEVEL] = (topology.slice.level, "slice")
        annotations[KUEUE_SLICE_SIZE] = (str(topology.slice.size), "slice")
        yield from _slice(workload, topology, computing)
    for podset in computing:
        scheduler = get(workload.tree.value, (*podset.pod, "schedulerName"), None)
        if scheduler not in (None, "default-scheduler"):
            yield _not_kueue(topology, scheduler)
            return
        for key, (value, field) in annotations.items():
            if value is not None:
                yield Contribution((*podset.pod_metadata, "annotations", key), value, (*AT, field))


def _slice(workload: Workload, topology: Topology, computing: list[PodSet]) -> Contributions:
    assert topology.slice is not None
    for podset in computing:
        pods = at_once(workload, [podset])
        if topology.slice.size > pods:
            message = f"a slice has {topology.slice.size} pods, but {podset.name} has only {pods}"
            hint = f"set size to at most {pods}"
            yield Diagnostic("TJ382", message, path=(*AT, "slice", "size"), hint=hint)


def _not_kueue(topology: Topology, scheduler: str) -> Diagnostic:
    field = next(one for one in ("required", "preferred", "slice", "unconstrained") if getattr(topology, one) is not None)
    message = f"schedule.topology.{field} applies to Kueue and the default scheduler, but {scheduler} places the pods"
    hint = "use topology.exclusive, or networkTopology with Volcano, or another schedule.system"
    return Diagnostic("TJ381", message, path=(*AT, field), hint=hint)


def _needs(workload: Workload, podsets: list[PodSet], gpu: Gpu, setting: Setting, because: FieldPath) -> Contributions:
    device, _ = chosen(gpu, setting, because)
    if device is None:
        return
    sharing = device.sharing if gpu.share is not None else None
    for podset in podsets:
        if sharing is not None and sharing.scheduler_name is not None:
            yield from _scheduler(workload, podset, sharing.scheduler_name, because)
        if device.exclusive_cpus:
            yield from _pinned(workload, podset, device.name, because)


def _scheduler(workload: Workload, podset: PodSet, wanted: str, because: FieldPath) -> Contributions:
    scheduler = get(workload.tree.value, (*podset.pod, "schedulerName"), None)
    if scheduler is None:
        yield Contribution((*podset.pod, "schedulerName"), wanted, (*because, "share"))
    elif scheduler != wanted:
        message = f"only the scheduler {wanted} places shares of devices, but {scheduler} places the pods"
        hint = f"use the schedule.system of {wanted}, or whole devices"
        yield Diagnostic("TJ380", message, path=(*because, "share"), hint=hint)


def _pinned(workload: Workload, podset: PodSet, name: str, because: FieldPath) -> Contributions:
    """The static CPU manager gives exclusive CPUs to containers of Guaranteed pods with whole requests."""
    limits = get(workload.tree.value, (*podset.main, "resources", "limits"), None) or {}
    requests = get(workload.tree.value, (*podset.main, "resources", "requests"), None) or {}
    cpu = limits.get("cpu")
    if cpu is None or "memory" not in limits:
        what = f"has no {'cpu' if cpu is None else 'memory'}"
    elif quantity.parse(cpu).nanos % quantity.parse("1").nanos:
        what = f"requests {cpu} CPUs"
    elif any(quantity.compare(quantity.parse(requests.get(one, limits[one])), quantity.parse(limits[one])) for one in limits):
        what = "requests less than its limits"
    else:
        return
    message = (
        f"nodes of class {name} pin only pods with whole CPUs and memory, but {podset.name} {what}: it may run "
        f"far from its devices"
    )
    hint = "set cpu to a whole number, and memory"
    yield Diagnostic("TJ379", message, path=because, hint=hint)
