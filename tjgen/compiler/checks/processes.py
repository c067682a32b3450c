"""Devices, processes and shared memory of a run -> what makes it fail after it has started."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.script import interpreter_alone, launcher_of_one_node
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.workload.contribution import EXPERIMENT
from tjgen.trees.workload.roles import nodes, workers
from tjgen.trees.workload.workload import PodSet, Workload

_DEFAULT_SHM = "64 MiB"
"""Size of /dev/shm in a container, as container runtimes set it."""
_COUNTING = ("torch", "mpi", "flux")
"""Policies of a runtime whose launcher starts a number of processes on each node."""
_WITHOUT_LAUNCHER = ("tfjob", "xgboostjob", "jaxjob", "rayjob")
"""Targets whose operator starts one process in each pod."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """TJ141 for more processes than devices, TJ142 for PyTorch without shared memory, TJ150 for nodes that train alone.

    TJ789 for a number of processes that nothing starts.
    """
    yield from _uncounted(workload, experiment)
    is_torch = experiment.spec.target == "pytorchjob" or get(workload.ml_policy or {}, ("torch",), None) is not None
    if is_torch and nodes(workload) > 1:
        yield from _alone(workload, experiment)
    gpu = experiment.spec.gpu
    if gpu is None or gpu.share is not None or gpu.mig is not None:
        return
    device = setting.classes.get(gpu.device_class or "")
    processes, most = experiment.spec.procs_per_node, gpu.count * (device.processes if device is not None else 1)
    if processes is not None and processes > most:
        message = f"procsPerNode is {processes}, but a node has {most} devices: several processes would use one device"
        hint = f"remove procsPerNode, which starts {most} processes, or request more devices"
        at = (*SPEC, "procsPerNode")
        yield Diagnostic("TJ141", message, path=at, hint=hint, severity=None if is_torch else WARNING)
    if is_torch and gpu.count > 1 and experiment.spec.shared_memory is None:
        small = [podset for podset in workers(workload) if not _has_shared_memory(workload, podset)]
        if small:
            message = f"PyTorch on {gpu.count} devices of a node needs /dev/shm, but a container has only {_DEFAULT_SHM}"
            hint = "add sharedMemory, such as 16Gi: it counts against memory"
            yield Diagnostic("TJ142", message, path=(*SPEC, "gpu"), hint=hint)


def _uncounted(workload: Workload, experiment: Experiment) -> Iterator[Diagnostic]:
    """`procsPerNode` of a job whose object has no such number, and whose data is not divided among processes."""
    spec = experiment.spec
    if spec.procs_per_node is None or spec.data is not None:
        return
    has_launcher = any(get(workload.ml_policy or {}, (policy,), None) is not None for policy in _COUNTING)
    if spec.target in _WITHOUT_LAUNCHER or (spec.target in ("jobset", "volcanojob") and not has_launcher):
        message = (
            f"procsPerNode has no effect: no launcher of runtime and target {spec.target} starts several processes on a node"
        )
        hint = "remove it, or use a runtime with a launcher, such as tjgen-torch"
        yield Diagnostic("TJ789", message, path=(*SPEC, "procsPerNode"), hint=hint)


def _alone(workload: Workload, experiment: Experiment) -> Iterator[Diagnostic]:
    """A command of the experiment that does not connect to the other nodes."""
    spec = experiment.spec
    for podset in workers(workload):
        path = (*podset.main, "command")
        main = get(workload.tree.value, podset.main, None) or {}
        words = [str(word) for word in [*(main.get("command") or []), *(main.get("args") or [])]]
        origin = next((origin for origin in workload.tree.origins(path) if origin.source == EXPERIMENT), None)
        # The operators of other targets set the variables that a program without a launcher reads.
        is_left_alone = workload.is_direct or spec.launcher is not None
        program = launcher_of_one_node(words) or (None if is_left_alone else interpreter_alone(words))
        options = _of_accelerate(words, nodes(workload))
        if origin is not None and options is not None:
            hint = "write the .py file alone: torchrun of the runtime starts it, and Accelerate reads the variables of torchrun"
            yield Diagnostic("TJ150", f"accelerate launch: {options}", path=origin.because, hint=hint)
            return
        if origin is not None and program is not None:
            message = f"{program} starts processes on its own node only: each of the {nodes(workload)} nodes would train alone"
            hint = f"write torchrun, which connects all nodes, instead of {program}"
            yield Diagnostic("TJ150", message, path=origin.because, hint=hint)
            return


def _of_accelerate(words: list[str], count: int) -> str | None:
    """Which options of `accelerate launch` do not fit the nodes."""
    if not any("accelerate" in word for word in words):
        return None
    from tjgen.compiler.accelerate import contradiction  # few scripts name it

    return contradiction(words, count)


def _has_shared_memory(workload: Workload, podset: PodSet) -> bool:
    pod = get(workload.tree.value, podset.pod, None) or {}
    main = get(workload.tree.value, podset.main, None) or {}
    return bool(pod.get("hostIPC")) or any(
        mount["mountPath"].rstrip("/") == "/dev/shm" for mount in main.get("volumeMounts") or []
    )
