"""Workload -> MPIJob of kubeflow.org/v2beta1: a launcher that starts programs on workers by SSH.

The operator makes the keys, the host file and the variables by which mpirun finds it: mpi-operator v0.8
`pkg/controller/mpi_job_controller.go`. The runtime sets the rest, as for Trainer.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.mpijob import MPIJOB
from tjgen.cluster.trainer import resources
from tjgen.compiler.targets import groups, kubeflow
from tjgen.compiler.targets.direct import Lowered, RequestedSize
from tjgen.compiler.targets.kubeflow import INDEX, RULE, OperatorJob
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.managed import Origin
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.fields.writer import Writer
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.workload.roles import workers
from tjgen.trees.workload.workload import NODE, Workload

KIND = OperatorJob(
    MPIJOB,
    {"launcher": "Launcher", "worker": "Worker", NODE: "Worker"},
    ("launcher",),
    "mpi",
)
_MPI: FieldPath = ("runtime", "mlPolicy", "mpi")
_VOLUMES = ("ssh-auth", "mpi-job-config")
"""What the operator calls the volumes that it adds to pods."""
_GANG = ("minAvailable", "queue", "timeoutSeconds")


def arranged(workload: Workload, size: RequestedSize) -> tuple[Workload, list[Diagnostic]]:
    """The runtime's launcher and node; `worker` is another word for the latter. Without MPI, the roles of the experiment."""
    if get(workload.tree.value, _MPI, None) is None:
        if {"launcher", "worker"} <= size.roles.keys():
            return kubeflow.arranged(workload, size, KIND, lambda count: [])
        message = "an MPIJob has a launcher and workers with sshd, but the runtime has no ML policy mpi that distinguishes them"
        return workload, [
            kubeflow.not_found(message, "use a runtime of mpi, such as tjgen-mpi, or add roles launcher and worker")
        ]
    names = {podset.name for podset in workload.podsets}
    if "worker" in size.roles and NODE in names and "worker" not in names:
        roles = {NODE if name == "worker" else name: count for name, count in size.roles.items()}
        workload, problems = kubeflow.arranged(workload, size._replace(roles=roles), KIND, lambda count: [])
        workload = workload if problems else _as_worker(workload, size)
    else:
        workload, problems = kubeflow.arranged(workload, size, KIND, lambda count: [])
    if get(workload.tree.value, (*_MPI, "runLauncherAsNode"), False):
        # Then the operator numbers all of them, the launcher first.
        number: Tree = {"valueFrom": {"fieldRef": {"fieldPath": INDEX}}}
        workload = workload._replace(numbers=dict.fromkeys((podset.name for podset in workload.podsets), number))
    return workload, problems


def _as_worker(workload: Workload, size: RequestedSize) -> Workload:
    counts = workload.tree.value["counts"]
    renamed = [
        groups.Group("worker" if podset.name == NODE else podset.name, podset, counts[podset.name])
        for podset in workload.podsets
        if not podset.is_initializer
    ]
    return groups.arranged(workload, renamed, size, INDEX)


def lower(workload: Workload) -> Lowered:
    """The job, and the objects that it needs."""
    return kubeflow.lower(workload, KIND, _own)


def find_warnings(job: Manifest, workload: Workload) -> list[Diagnostic]:
    """Variables that the operator overrides."""
    return list(kubeflow.find_warnings(job, KIND))


def budget(job: Manifest) -> int:
    """By the names of pods."""
    return kubeflow.budget(job)


def _own(writer: Writer, workload: Workload) -> Iterator[Diagnostic]:
    policy = get(workload.tree.value, _MPI, None) or {}
    yield from kubeflow.success(workload, KIND, "launcher")
    _slots(writer, workload, policy)
    for source, field in (
        ("sshAuthMountPath", "sshAuthMountPath"),
        ("mpiImplementation", "mpiImplementation"),
        ("runLauncherAsNode", "runLauncherAsWorker"),
    ):
        if policy.get(source) is not None:
            writer.put(("spec", field), policy[source], _of_runtime(source))
    _creation(writer, workload)
    for podset in workload.podsets:
        for volume in get(workload.tree.value, (*podset.pod, "volumes"), None) or []:
            if volume.get("name") in _VOLUMES:
                yield _taken(workload, volume["name"], (*podset.pod, "volumes", (("name", volume["name"]),)))


def _slots(writer: Writer, workload: Workload, policy: Tree) -> None:
    """Return the processes on each node: the set value, else one for each device, as Trainer counts them (v2.3.0 plugins/mpi)."""
    to: FieldPath = ("spec", "slotsPerWorker")
    per_node = get(workload.tree.value, ("trainer", "numProcPerNode"), None)
    if per_node is not None:
        for origin in workload.tree.origins(("trainer", "numProcPerNode")):
            writer.put(to, per_node, origin)
        return
    slots = int(policy.get("numProcPerNode", 1))
    computing = workers(workload)
    devices = resources.gpus(get(workload.tree.value, (*computing[0].main, "resources"), None) or {}) if computing else 0
    if slots == 1 and devices > 1:
        writer.put(to, devices, RULE)
    else:
        writer.put(to, slots, _of_runtime("numProcPerNode"))


def _creation(writer: Writer, workload: Workload) -> None:
    """A launcher that waits for ready workers, whose gang is the workers alone.

    The operator counts the launcher in a gang whose size nothing sets, and creates it when all workers are ready: neither
    would start (mpi-operator issue 608, seen with v0.8.0). Without gang scheduling it ignores the size.
    """
    waits = any(
        get(workload.tree.value, (*podset.path, "dependsOn"), None) for podset in workload.podsets if podset.name == "launcher"
    )
    is_sized = any(get(workload.tree.value, ("schedule", field), None) is not None for field in _GANG)
    if waits and not is_sized:
        because = Origin("target:kubeflow", "runtime", ("spec", "template", "spec", "replicatedJobs"))
        writer.put(("spec", "launcherCreationPolicy"), "WaitForWorkersReady", because)
        if kubeflow.has_gang(workload):
            counts = workload.tree.value["counts"]
            writer.put(kubeflow.MIN_AVAILABLE, sum(counts.values()) - counts.get("launcher", 0), because)


def _of_runtime(field: str) -> Origin:
    return Origin("target:kubeflow", "runtime", ("spec", "mlPolicy", "mpi", field))


def _taken(workload: Workload, name: str, path: FieldPath) -> Diagnostic:
    because = next((one.because for one in workload.tree.origins(path) if one.source == "experiment"), ("spec", "runtime"))
    message = f'the operator of an MPIJob adds a volume "{name}" to its pods, but the run already has one of that name'
    return Diagnostic("TJ431", message, path=because, hint="give the volume another name")
