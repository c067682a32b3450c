"""A TrainJob with its decoded runtime -> the errors of each plugin of the Trainer, in the order of their names.

Upstream: `Validate` of the plugins under pkg/runtime/framework/plugins, v2.3.0. Upstream walks them in the
order of a Go map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tjgen.cluster.trainer.info import LAUNCHER, NODE, Info
from tjgen.cluster.trainer.job import TORCHTUNE, DecodedTrainJob
from tjgen.cluster.trainer.plugins import flux, mpi, torch, volcano, xgboost
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import forbidden, invalid
from tjgen.cluster.validate.webhooks.gojson import shown
from tjgen.cluster.validate.webhooks.trainer_patches import validate_initializers, validate_patches
from tjgen.cluster.validate.wording import quote
from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.manifests.objects import indexed
from tjgen.trees.typing import Any, NamedTuple

_REFERENCE: FieldPath = ("spec", "runtimeRef")
_TRAINER: FieldPath = ("spec", "trainer")
_WORDS = ("auto", "cpu", "gpu")
_ENV: FieldPath = (*_TRAINER, "env")


class WebhookRequest(NamedTuple):
    """One admission request: the TrainJob, what it was before an update, and the other objects."""

    info: Info
    job: DecodedTrainJob
    old: DecodedTrainJob | None
    context: Sequence[Tree]


def validate_plugins(request: WebhookRequest) -> Iterator[Fault]:
    """The errors of all plugins."""
    for validate in PLUGINS:
        yield from validate(request)


def _flux(request: WebhookRequest) -> Iterator[Fault]:
    policy = request.info.policy("flux")
    if policy is None:
        return
    processes_of_job = request.job.trainer_field("numProcPerNode") if request.job.release.checks_flux_processes else None
    processes = policy["numProcPerNode"] if processes_of_job is None else processes_of_job
    if processes < 1:
        words = "must be greater than or equal to 1 for Flux TrainJob"
        yield invalid((*_TRAINER, "numProcPerNode"), str(processes), words, "use at least 1")
    for podset in request.info.podsets:
        for container in podset.init_containers:
            if podset.name == NODE and container.name == flux.INSTALLER:
                words = f"InitContainer '{flux.INSTALLER}' is reserved"
                path = (*_TRAINER, "initContainers")
                yield invalid(path, quote(container.name), words, "rename the init container of the runtime")


def _jobset(request: WebhookRequest) -> Iterator[Fault]:
    yield from validate_initializers(request.info, request.job)
    yield from validate_patches(request.info, request.job, request.old, request.context)


def _mpi(request: WebhookRequest) -> Iterator[Fault]:
    info, job = request.info, request.job
    policy = info.policy("mpi")
    if policy is None or job.trainer is None:
        return
    processes = job.trainer_field("numProcPerNode")
    if isinstance(processes, str):
        words = "must have an int value for MPI TrainJob"
        text = shown(processes, "IntOrString", job.release)
        yield invalid((*_TRAINER, "numProcPerNode"), text, words, "write a number")
    nodes = job.trainer.get("numNodes", 1)
    if nodes >= 2 and mpi.runs_launcher_as_node(policy) and not (info.podset(LAUNCHER) and info.podset(NODE)):
        words = "must have 1 when MPI trainingRuntime with enabled runLauncherAsNode does not have either launcher and node"
        yield invalid((*_TRAINER, "numNodes"), str(nodes), words, "use a runtime with jobs launcher and node")
    if job.release.checks_mpi_variables:
        yield from _reserved(job, mpi.RESERVED)


def _torch(request: WebhookRequest) -> Iterator[Fault]:
    info, job = request.info, request.job
    policy = info.policy("torch")
    if policy is None:
        return
    for target in policy.get("envInjection", {}).get("targets", []):
        for name in target.get("containerNames", []):
            if torch.injection_target(info, target.get("jobName", ""), name) is None:
                words = torch.missing_target(target.get("jobName", ""), name)
                yield invalid(_REFERENCE, shown(target, "EnvInjectionTarget", job.release), words, "use another runtime")
    processes = job.trainer_field("numProcPerNode")
    if job.trainer is not None and (processes is not None or job.release.checks_torch_always):
        if isinstance(processes, str) and processes not in _WORDS:
            words = f"must have an int value or [{' '.join(_WORDS)}]"
            text = shown(processes, "IntOrString", job.release)
            yield invalid((*_TRAINER, "numProcPerNode"), text, words, "write a number, or one of these words")
        yield from _reserved(job, torch.RESERVED)
        if job.command == TORCHTUNE:
            from tjgen.cluster.validate.webhooks.trainer_torchtune import validate_torchtune  # few jobs run torchtune

            yield from validate_torchtune(info, job)


def _volcano(request: WebhookRequest) -> Iterator[Fault]:
    info = request.info
    if "volcano" not in info.pod_group_policy:
        return
    if info.annotations.get(volcano.QUEUE_ANNOTATION) == "":
        path: FieldPath = ("spec", "annotations", volcano.QUEUE_ANNOTATION)
        place = f"spec.annotations[{volcano.QUEUE_ANNOTATION}]"
        yield invalid(path, '""', "Volcano queue name must not be empty", "name a queue, or remove the annotation", place)
    context = indexed(request.context)
    for podset in info.podsets:
        name: Any = podset.shape.pod_spec.get("priorityClassName")
        if name in ("system-cluster-critical", "system-node-critical"):
            return
        if name is not None and not context.named("PriorityClass", str(name)):
            words = f"PriorityClass {quote(name)} doesn't exist: priorityclasses.scheduling.k8s.io {quote(name)} not found"
            yield invalid(("spec", "templateSpec", "priorityClassName"), quote(name), words, "create the PriorityClass")


def _xgboost(request: WebhookRequest) -> Iterator[Fault]:
    if request.info.policy("xgboost") is None:
        return
    for position, variable in enumerate(request.job.trainer_field("env") or ()):
        if variable["name"] in xgboost.RESERVED:
            words = f"{variable['name']} is reserved for the XGBoost runtime"
            yield forbidden((*_ENV, position), words, "remove the variable: the controller sets it")


def _reserved(job: DecodedTrainJob, names: tuple[str, ...]) -> Iterator[Fault]:
    env = job.trainer_field("env") or []
    positions = [position for position, variable in enumerate(env) if variable["name"] in names]
    if positions:
        names_in_use = sorted({env[position]["name"] for position in positions})
        words = f"must not have reserved envs, invalid envs configured: [{' '.join(names_in_use)}]"
        fault = invalid(_ENV, shown(env, "[]EnvVar", job.release), words, "remove them: the controller sets them")
        # The server names the list. The place is the first of these variables.
        yield fault._replace(path=(*_ENV, positions[0]))


PLUGINS: tuple[Callable[[WebhookRequest], Iterator[Fault]], ...] = (_flux, _jobset, _mpi, _torch, _volcano, _xgboost)
