"""Devices, processes and shared memory of a run -> what makes it fail after it has started."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import BY_RUNTIME, ONE, PADDLEPADDLE, PYTORCH
from tjgen.cluster.kinds.table import facts_of
from tjgen.compiler.checks import launch
from tjgen.compiler.lower import SPEC
from tjgen.language.platform.devices import Accelerator
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment, Patch
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.workload.roles import workers
from tjgen.trees.workload.workload import PodSet, Workload

_SHM = "/dev/shm"
_DEFAULT_SHM = "64 MiB"
"""Size of /dev/shm in a container, as container runtimes set it."""
_COUNTING = ("torch", "mpi", "flux")
"""Policies of a runtime whose launcher starts a number of processes on each node."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ141 for more processes than devices, TJ142 for a framework without shared memory, TJ150 for nodes that train alone.

    TJ789 for a number of processes that nothing starts.
    """
    yield from _uncounted(workload, experiment)
    kind_framework = facts_of(experiment.spec.target).framework
    is_torch = kind_framework == PYTORCH or get(workload.ml_policy or {}, ("torch",), None) is not None
    framework = PYTORCH if is_torch else kind_framework if kind_framework == PADDLEPADDLE else ""
    devices, per_device, path = _devices(experiment, setting)
    yield from launch.check(workload, experiment, devices=devices, is_torch=is_torch)
    if path is None:
        return
    processes, most = experiment.spec.procs_per_node, devices * per_device
    if processes is not None and processes > most:
        message = f"procsPerNode is {processes}, but a node has {most} devices: several processes would use one device"
        hint = f"remove procsPerNode, which starts {most} processes, or request more devices"
        at = (*SPEC, "procsPerNode")
        yield Diagnostic("TJ141", message, path=at, hint=hint, severity=None if is_torch else WARNING)
    if framework and devices > 1 and experiment.spec.shared_memory is None and not _is_in_patches(experiment):
        small = [podset for podset in workers(workload) if not _has_shared_memory(workload, podset)]
        if small:
            message = f"{framework} on {devices} devices of a node needs /dev/shm, but a container has only {_DEFAULT_SHM}"
            hint = "add sharedMemory, such as 16Gi: it counts against memory"
            yield Diagnostic("TJ142", message, path=path, hint=hint)


def _devices(experiment: Experiment, setting: Setting) -> tuple[int, int, FieldPath | None]:
    """Whole devices of each node, processes for each of them, and the field that requests them; None if none does."""
    spec = experiment.spec
    if spec.gpu is not None:
        if spec.gpu.share is not None or spec.gpu.mig is not None:
            return 0, 1, None
        name = spec.gpu.device_class or ""
        device = setting.classes.get(name) or _of_resource(name, setting)
        return spec.gpu.count, device.processes if device is not None else 1, (*SPEC, "gpu")
    for name, amount in spec.resources.items():
        device = _of_resource(name, setting)
        count = amount.limit if amount.limit is not None else amount.request
        if device is not None and isinstance(count, int | str) and str(count).isdigit():
            return int(count), device.processes, (*SPEC, "resources", name)
    return 0, 1, None


def _of_resource(name: str, setting: Setting) -> Accelerator | None:
    return next((one for one in setting.classes.values() if one.resource == name), None)


def _uncounted(workload: Workload, experiment: Experiment) -> Iterator[Diagnostic]:
    """`procsPerNode` of a job whose object has no such number, and whose data is not divided among processes."""
    spec = experiment.spec
    if spec.procs_per_node is None or spec.data is not None:
        return
    facts = facts_of(spec.target)
    if facts.framework == PADDLEPADDLE and "master" in spec.roles:
        message = "procsPerNode has no effect: with a master, each pod has one parameter server and one trainer"
        yield Diagnostic("TJ789", message, path=(*SPEC, "procsPerNode"), hint="remove it, or remove the role master")
        return
    has_launcher = any(get(workload.ml_policy or {}, (policy,), None) is not None for policy in _COUNTING)
    if facts.processes == ONE or (facts.processes == BY_RUNTIME and not has_launcher):
        message = (
            f"procsPerNode has no effect: no launcher of runtime and target {spec.target} starts several processes on a node"
        )
        hint = "remove it, or use a runtime with a launcher, such as tjgen-torch"
        yield Diagnostic("TJ789", message, path=(*SPEC, "procsPerNode"), hint=hint)


def _has_shared_memory(workload: Workload, podset: PodSet) -> bool:
    pod = get(workload.tree.value, podset.pod, None) or {}
    main = get(workload.tree.value, podset.main, None) or {}
    return bool(pod.get("hostIPC")) or any(mount["mountPath"].rstrip("/") == _SHM for mount in main.get("volumeMounts") or [])


def _is_in_patches(experiment: Experiment) -> bool:
    """Whether a patch mounts shared memory, or uses that of the node: patches apply after the checks."""
    return any(
        (path[-1:] == ("mountPath",) and str(value).rstrip("/") == _SHM) or (path[-1:] == ("hostIPC",) and value is True)
        for patch in experiment.spec.patches.values()
        for path, value in _set_by(patch)
    )


def _set_by(patch: Patch) -> Iterator[tuple[FieldPath, Tree]]:
    yield from leaves(patch.merge)
    for operation in patch.operations:
        yield from leaves(operation.value, tuple(operation.path.split("/")))
