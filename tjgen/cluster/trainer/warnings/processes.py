"""Unexpected effects of the controller on nodes, processes and devices."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.trainer import resources
from tjgen.cluster.trainer.info import KNOWN_ANCESTORS, NODE, TRAINER
from tjgen.cluster.trainer.plugins.torch import processes_per_node
from tjgen.cluster.trainer.warnings.subject import ExpandedTrainJob, in_runtime
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, get
from tjgen.trees.typing import Any

_TRAINER: FieldPath = ("spec", "trainer")
_RESOURCES: FieldPath = (*_TRAINER, "resourcesPerNode")
_MPI: FieldPath = ("spec", "mlPolicy", "mpi")
_READS_PROCESSES = ("torch", "mpi", "flux")
_SHARES = ("mem", "core", "percent", "util")
"""In the name of a resource with gpu: it counts parts of a GPU."""
_SETS_VARIABLES = ("torch", "jax", "xgboost")


def no_trainer_section(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """torch, jax, xgboost `EnforceMLPolicy`: without spec.trainer nothing is set up."""
    if subject.job.trainer is None:
        for policy in _SETS_VARIABLES:
            if subject.info.policy(policy) is not None:
                yield subject.of_trainjob(
                    "TJ810",
                    f"the TrainJob has no spec.trainer, so the {policy} runtime sets no variables and each pod trains alone",
                    "add `trainer: {}` to the spec",
                    ("spec",),
                )


def resources_without_policy(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """newRuntimeInfo: resourcesPerNode is merged only where the runtime has an mlPolicy."""
    if subject.job.resources and subject.info.ml_policy is None and subject.job.release.merges_resources:
        yield subject.of_trainjob(
            "TJ811",
            f"resourcesPerNode is ignored: runtime {subject.runtime.name} has no mlPolicy",
            "give the runtime an mlPolicy, which may be empty",
            _RESOURCES,
        )


def lost_claims(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """newRuntimeInfo: what is merged keeps only limits and requests."""
    override = subject.job.resources
    podset = subject.info.podset_of_ancestor(TRAINER)
    if override is None or podset is None or (subject.info.ml_policy is None and subject.job.release.merges_resources):
        return
    own = [shape.tree["resources"] for shape in podset.shape.containers if shape.name == NODE][:1]
    claims = [claim for requirements in (override, *own) for claim in requirements.get("claims", ())]
    if claims:
        names = ", ".join(sorted({claim["name"] for claim in claims}))
        yield subject.of_trainjob(
            "TJ812",
            f"with resourcesPerNode the node container loses its resource claims ({names})",
            "remove resourcesPerNode, and put resources and claims into the runtime",
            _RESOURCES,
        )


def devices_that_do_not_count(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """`GetNumGPUPerNode`: only resources with gpu in their name are GPUs."""
    if subject.job.trainer_field("numProcPerNode") is not None:
        return
    amounts_of_node = resources.per_node(subject.info, subject.job)
    where = _RESOURCES if subject.job.resources is not None else _TRAINER
    for kind, amounts in amounts_of_node.items():
        if kind == "claims" or len(amounts) == 0:
            continue
        gpus = resources.gpu_names(amounts)
        if len(gpus) > 1:
            yield subject.of_trainjob(
                "TJ813",
                f"{kind} name several GPU resources ({', '.join(gpus)}), and the controller counts a random one of them",
                "set numProcPerNode",
                where,
            )
            return
        others = [] if gpus else [name for name in amounts if "/" in name and not name.startswith("hugepages-")]
        if others:
            yield subject.of_trainjob(
                "TJ814",
                f"{min(others)} is not a GPU for the controller, so the controller does not count it",
                "set numProcPerNode",
                where,
            )
            return


def limits_that_do_not_count(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """torch `calculateNumProcPerNode` before v2.1: without the GPUs in requests, it counts CPUs, or one process."""
    lists = subject.job.resource_lists
    gpu = next(iter(resources.gpu_names(lists.get("limits") or {})), None)
    if subject.job.release.looks_into_runtime or gpu is None or gpu in (lists.get("requests") or {}):
        return
    amount = str(lists["limits"][gpu])
    started, _ = processes_per_node(subject.info, subject.job)
    if str(started) != amount:
        yield subject.of_trainjob(
            "TJ814",
            f"the controller starts {started} process{'es' * (started != 1)} on a node with {amount} GPUs, "
            f"because it reads requests, and {gpu} is only in limits",
            f"add {gpu} to the requests, in an experiment with requests: true under gpu",
            _RESOURCES,
        )


def counts_below_one(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """ML plugins take numNodes as it is, without a lower bound."""
    for podset in subject.info.podsets:
        if podset.count < 1:
            yield subject.of_trainjob(
                "TJ815",
                f"numNodes is {podset.count}, so job {podset.name} never has a pod",
                "use at least 1",
                (*_TRAINER, "numNodes"),
            )


def overwritten_counts(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """`SyncParallelCount`: parallelism and completions of every job become the count."""
    for podset in subject.info.podsets:
        spec = podset.shape.tree["template"]["spec"]
        path = in_runtime((*podset.shape.path, "template", "spec"))
        for field in ("parallelism", "completions"):
            configured = spec.get(field)
            if configured is not None and configured != podset.count and podset.count_origin.source != "trainjob":
                yield subject.of_runtime(
                    "TJ816",
                    f"{field} of job {podset.name} is {configured}, but the controller writes {podset.count}",
                    "set the number in mlPolicy.numNodes" if podset.ancestor == TRAINER else "set the number in parallelism",
                    (*path, field),
                )
        replicas = podset.shape.tree.get("replicas", 1)
        if podset.ancestor in KNOWN_ANCESTORS and replicas != 1:
            yield subject.of_runtime(
                "TJ817",
                f"replicas of job {podset.name} is {replicas}, but the controller writes 1",
                "use parallelism for the number of pods",
                in_runtime((*podset.shape.path, "replicas")),
            )


def several_trainer_jobs(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """`FindPodSetByAncestor` finds the first; the builder writes image, command, args and env to all."""
    podsets = [podset for podset in subject.info.podsets if podset.ancestor == TRAINER]
    for podset in podsets[1:]:
        yield subject.of_runtime(
            "TJ818",
            f"job {podset.name} is a second trainer: numNodes and the distributed set-up reach only {podsets[0].name}",
            "keep the trainer label on one job",
            in_runtime(podset.shape.path),
        )


def several_policies(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """The framework walks its plugins in the order of a Go map."""
    names = ", ".join(sorted(name for name in subject.info.ml_policy or () if name != "numNodes"))
    yield subject.of_runtime(
        "TJ838",
        f"the policies {names} act in random order, and the API server refuses such a runtime",
        "keep one of them",
        ("spec", "mlPolicy"),
    )


def launchers(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """newRuntimeInfo: the runtime's numNodes goes to the trainer ancestor, which for MPI is the launcher."""
    for podset in subject.info.podsets:
        if podset.ancestor == TRAINER and podset.name != NODE and podset.count > 1:
            yield subject.of_runtime(
                "TJ819",
                f"mlPolicy.numNodes makes {podset.count} pods of job {podset.name}, not of job node",
                "remove numNodes from the runtime, and set it in the TrainJob",
                ("spec", "mlPolicy", "numNodes"),
            )


def amounts_as_gpus(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """`GetNumGPUPerNode` goes by the letters gpu in a name, for any unit."""
    if subject.job.trainer_field("numProcPerNode") is not None:
        return
    amounts = resources.per_node(subject.info, subject.job)
    for kind in ("requests", "limits"):
        names = resources.gpu_names(amounts.get(kind) or {})
        shares = [name for name in names if any(word in name.lower() for word in _SHARES)]
        if names[:1] == shares[:1] != []:
            yield subject.of_trainjob(
                "TJ870",
                f"the controller counts {shares[0]}: {amounts[kind][shares[0]]} as that number of GPUs, "
                "because its name contains gpu",
                "set numProcPerNode",
                _RESOURCES if subject.job.resources is not None else _TRAINER,
            )
            return


def processes_not_read(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """Only the torch, mpi and flux plugins read numProcPerNode. As the number of a node's devices it does no harm."""
    policies = subject.info.ml_policy or {}
    processes = subject.job.trainer_field("numProcPerNode")
    if processes is None or str(processes) in _devices(resources.per_node(subject.info, subject.job)):
        return
    if not any(name in policies for name in _READS_PROCESSES):
        policy = next((f"the {name} policy" for name in policies if name != "numNodes"), "no ML policy")
        yield subject.of_trainjob(
            "TJ871",
            f"numProcPerNode is not read: runtime {subject.runtime.name} has {policy}",
            "remove it, or use a runtime with torch, mpi or flux",
            (*_TRAINER, "numProcPerNode"),
        )


def _devices(requirements: dict[str, Any]) -> set[str]:
    """How many there are of each kind of device."""
    lists = [requirements.get(kind) or {} for kind in ("limits", "requests")]
    return {str(amount) for amounts in lists for name, amount in amounts.items() if "/" in name}


def nodes_not_read(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """numNodes goes to the first trainer job; for MPI to the job named node."""
    nodes = subject.job.trainer_field("numNodes")
    if nodes is None:
        return
    is_mpi = subject.info.policy("mpi") is not None
    podset = subject.info.podset(NODE) if is_mpi else subject.info.podset_of_ancestor(TRAINER)
    if podset is None:
        wanted = "job named node" if is_mpi else "job labelled as the trainer's"
        yield subject.of_trainjob(
            "TJ872",
            f"numNodes is not read: runtime {subject.runtime.name} has no {wanted}",
            "use another runtime, or remove numNodes",
            (*_TRAINER, "numNodes"),
        )


def one_process_overruled(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """mpi `EnforceMLPolicy`: a runtime's numProcPerNode of 1 cannot be distinguished from the default; the GPU count wins."""
    written = get(subject.runtime.tree, (*_MPI, "numProcPerNode"), None)
    if written != 1 or subject.job.trainer_field("numProcPerNode") is not None or not subject.job.release.looks_into_runtime:
        return
    gpus = resources.gpus(resources.per_node(subject.info, subject.job))
    if gpus > 1:
        yield subject.of_runtime(
            "TJ873",
            f"numProcPerNode is 1, but nodes have {gpus} GPUs, and the controller starts that many processes",
            "set numProcPerNode in the TrainJob, where 1 counts",
            (*_MPI, "numProcPerNode"),
        )


def replaced_resources(subject: ExpandedTrainJob) -> Iterator[Diagnostic]:
    """builder.go `Trainer` before v2.3: limits and requests of the TrainJob replace all that the container has."""
    kept = subject.job.resource_lists
    podset = subject.info.podset_of_ancestor(TRAINER)
    container = podset.container(NODE) if podset is not None else None
    if subject.job.release.merges_resources or not kept or container is None:
        return
    before = container.tree.get("resources") or {}
    pairs = [(kind, name) for kind in ("limits", "requests") for name in before.get(kind, ())]
    lost = [f"{kind} {name}" for kind, name in pairs if name not in kept.get(kind, {})]
    if lost:
        yield subject.of_trainjob(
            "TJ874",
            f"resourcesPerNode replaces all resources that runtime {subject.runtime.name} requests, and drops {', '.join(lost)}",
            "repeat in the TrainJob what is to stay",
            _RESOURCES,
        )
