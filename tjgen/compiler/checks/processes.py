"""Devices, processes and shared memory of a run -> what makes it fail after it has started."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.language.setting import Setting
from tjgen.language.spec.objects import Experiment
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import get
from tjgen.trees.workload.roles import workers
from tjgen.trees.workload.workload import PodSet, Workload

_DEFAULT_SHM = "64 MiB"
"""Size of /dev/shm in a container, as container runtimes set it."""


def check(workload: Workload, experiment: Experiment, setting: Setting) -> Iterator[Diagnostic]:
    """Reports more processes than devices (TJ141), and PyTorch on several devices without shared memory (TJ142)."""
    gpu = experiment.spec.gpu
    if gpu is None or gpu.share is not None or gpu.mig is not None:
        return
    device = setting.classes.get(gpu.device_class or "")
    is_torch = experiment.spec.target == "pytorchjob" or get(workload.ml_policy or {}, ("torch",), None) is not None
    processes, most = experiment.spec.procs_per_node, gpu.count * (device.processes if device is not None else 1)
    if processes is not None and processes > most:
        message = f"procsPerNode is {processes}, and a node has {most} devices: several processes would use one device"
        hint = f"remove procsPerNode, which starts {most} processes, or request more devices"
        at = (*SPEC, "procsPerNode")
        yield Diagnostic("TJ141", message, path=at, hint=hint, severity=None if is_torch else WARNING)
    if is_torch and gpu.count > 1 and experiment.spec.shared_memory is None:
        small = [podset for podset in workers(workload) if not _has_shared_memory(workload, podset)]
        if small:
            message = f"PyTorch on {gpu.count} devices of a node needs /dev/shm, and a container has {_DEFAULT_SHM} of it"
            hint = "add sharedMemory, such as 16Gi: it counts against memory"
            yield Diagnostic("TJ142", message, path=(*SPEC, "gpu"), hint=hint)


def _has_shared_memory(workload: Workload, podset: PodSet) -> bool:
    pod = get(workload.tree.value, podset.pod, None) or {}
    main = get(workload.tree.value, podset.main, None) or {}
    return bool(pod.get("hostIPC")) or any(
        mount["mountPath"].rstrip("/") == "/dev/shm" for mount in main.get("volumeMounts") or []
    )
