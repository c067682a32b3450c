"""A TrainJob or a runtime -> the errors of Trainer's admission webhooks.

Upstream: pkg/webhooks and pkg/runtime/core `ValidateObjects`, v2.3.0. Other objects that an answer
depends on (runtimes, PriorityClasses, the JobSet of an update) are looked for in `context`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tjgen.cluster.releases import POD_SPEC_OVERRIDES, POD_TEMPLATE_OVERRIDES, RUNTIME_PATCHES
from tjgen.cluster.trainer import runtimes
from tjgen.cluster.trainer.decode import new_info
from tjgen.cluster.trainer.framework import PLACEHOLDER_UID
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.info import DATASET_INITIALIZER, LAUNCHER, MODEL_INITIALIZER, NODE, PANIC, TRAINER, Info, RefusedError
from tjgen.cluster.trainer.inputs import runtime_of
from tjgen.cluster.trainer.job import TORCHTUNE, DecodedTrainJob
from tjgen.cluster.trainer.plugins import flux, mpi, torch, volcano, xgboost
from tjgen.cluster.trainer.refusals import GROUP, unsupported
from tjgen.cluster.trainer.refusals import RUNTIME as NAMESPACED
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.trainer.runtimes import POD_SPEC, SPEC
from tjgen.cluster.validate.fault import DUPLICATE, Fault
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer, forbidden, invalid, refused
from tjgen.cluster.validate.webhooks.gojson import shown
from tjgen.cluster.validate.webhooks.mutating import stamped
from tjgen.cluster.validate.webhooks.prefixed import domain_prefixed_path
from tjgen.cluster.validate.wording import field, quote
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.syntax import dns1035_label
from tjgen.trees.manifests.objects import indexed
from tjgen.trees.session import Session
from tjgen.trees.typing import Any, NamedTuple

SUPPORT_LABEL = "trainer.kubeflow.org/support"
_DEPRECATED = "is deprecated and will be removed in a future release of Kubeflow Trainer. See runtime deprecation policy:"
_CONTAINERS = {TRAINER: NODE, DATASET_INITIALIZER: DATASET_INITIALIZER, MODEL_INITIALIZER: MODEL_INITIALIZER}
_ORDER = "must be created before the TrainJob is created"


def validate(
    tree: Tree,
    *,
    old: Tree = None,
    context: Sequence[Tree] | None = (),
    release: Release = NEWEST,
    session: Session | None = None,
) -> WebhookAnswer:
    """The webhooks' answer on creating `tree`, or on replacing `old` by it.

    If `context` is None, other objects are unknown, and the checks that depend on them are skipped.
    """
    check = _VALIDATORS.get(str(get(tree, ("kind",))))
    return check(Review(tree, old, context, release, session or Session())) if check is not None else WebhookAnswer()


class Review(NamedTuple):
    """The input of a webhook."""

    tree: Tree
    old: Tree
    context: Sequence[Tree] | None
    release: Release
    session: Session


def _trainjob(review: Review) -> WebhookAnswer:
    tree, old, context, release, session = review
    try:
        job = DecodedTrainJob(tree, PLACEHOLDER_UID, release, session)
        before = DecodedTrainJob(old, PLACEHOLDER_UID, release, session) if old is not None else None
    except DecodeError as error:
        # The mutating webhook is the first to decode.
        return WebhookAnswer((refused(error.text, error.path, "give the field a value of its type"),))
    words = unsupported(job)
    if words:
        return WebhookAnswer((refused(words, ("spec", "runtimeRef"), "refer to a ClusterTrainingRuntime or a TrainingRuntime"),))
    if context is None:
        return WebhookAnswer()
    names = _misnamed(job) if before is None and not release.names_by_schema else []
    referenced_runtime = runtime_of(tree, context)
    if referenced_runtime is None:
        return WebhookAnswer((*names, _missing_runtime(job)))
    try:
        runtime = runtimes.read(referenced_runtime, release, session)
    except DecodeError:
        return WebhookAnswer((*names, _missing_runtime(job)))
    try:
        info = new_info(job, runtime)
        errors = tuple(_validate_plugins(WebhookRequest(info, job, before, context)))
    except RefusedError as error:
        # Upstream ignores this error and looks into the Info that it did not get.
        return WebhookAnswer((refused(f"{PANIC} [recovered]", error.path, error.hint),))
    warnings: tuple[str, ...] = ()
    if referenced_runtime["kind"] != NAMESPACED and release.deprecation_docs and _is_deprecated(runtime.object_labels):
        warnings = (f'Referenced ClusterTrainingRuntime "{runtime.name}" {_DEPRECATED} {release.deprecation_docs}',)
    return WebhookAnswer((*names, *errors), warnings)


def _misnamed(job: DecodedTrainJob) -> list[Fault]:
    path = ("metadata", "name")
    return [
        invalid(path, quote(job.name), words, "use a DNS label that begins with a letter") for words in dns1035_label(job.name)
    ]


def _is_deprecated(labels: Mapping[str, str]) -> bool:
    return labels.get(SUPPORT_LABEL) == "deprecated"


def _missing_runtime(job: DecodedTrainJob) -> Fault:
    reference = job.spec["runtimeRef"]
    path = ("spec", "runtimeRef")
    name, text = reference.get("name", ""), shown(reference, "RuntimeRef", job.release)
    if reference["kind"] == NAMESPACED:
        words = f'trainingruntimes.{GROUP} "{name}" not found: specified trainingRuntime {_ORDER}'
        return invalid(path, text, words, f"add the runtime to namespace {job.namespace}, or name another")
    words = f'clustertrainingruntimes.{GROUP} "{name}" not found: specified clusterTrainingRuntime {_ORDER}'
    # Upstream spells this path with a capital R.
    return invalid(path, text, words, "add the runtime, or name another", place="spec.RuntimeRef")


def _cluster_runtime(review: Review) -> WebhookAnswer:
    warnings: tuple[str, ...] = ()
    docs = review.release.deprecation_docs
    labels = get(review.tree, ("metadata", "labels"), None) or {}
    if review.old is None and docs and _is_deprecated(labels):
        warnings = (f'ClusterTrainingRuntime "{get(review.tree, ("metadata", "name"), "")}" {_DEPRECATED} {docs}',)
    return WebhookAnswer(_replicated_jobs(review), warnings)


def _namespaced_runtime(review: Review) -> WebhookAnswer:
    # Updates of namespaced runtimes are not checked at all.
    return WebhookAnswer(_replicated_jobs(review)) if review.old is None else WebhookAnswer()


def _replicated_jobs(review: Review) -> tuple[Fault, ...]:
    try:
        runtime = runtimes.read(review.tree, review.release, review.session)
    except DecodeError as error:
        return (refused(error.text, error.path, "give the field a value of its type"),)
    errors: list[Fault] = []
    by_tree = {id(shape.tree): shape for shape in runtime.jobs}
    for position, job in enumerate(runtime.written_jobs):
        shape = by_tree[id(job)]
        wanted = _CONTAINERS.get(shape.ancestor or "")
        path = (*SPEC, "replicatedJobs", position)
        replicas = job.get("replicas", 0)
        single = invalid((*path, "replicas"), str(replicas), "always must be 1", "use parallelism for the number of pods")
        if job["name"] == LAUNCHER and replicas != 1 and not review.release.checks_containers:
            errors.append(single)
        if wanted is None:
            continue
        if replicas != 1 and single not in errors:
            errors.append(single)
        if review.release.checks_containers and all(container.name != wanted for container in shape.containers):
            words = f"must contain the required container for the ancestor: {shape.ancestor}"
            text = shown(shape.pod_spec.get("containers", []), "[]Container", review.release)
            errors.append(invalid((*path, *POD_SPEC, "containers"), text, words, f"name a container {wanted}"))
    return tuple(errors)


_VALIDATORS: dict[str, Callable[[Review], WebhookAnswer]] = {
    "TrainJob": _trainjob,
    "ClusterTrainingRuntime": _cluster_runtime,
    "TrainingRuntime": _namespaced_runtime,
}


# A TrainJob with its decoded runtime -> the errors of each plugin of the Trainer, in the order of their names.
#
# Upstream: `Validate` of the plugins under pkg/runtime/framework/plugins, v2.3.0. Upstream walks them in the order of a Go map.

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


def _validate_plugins(request: WebhookRequest) -> Iterator[Fault]:
    """The errors of all plugins."""
    for validate in _PLUGINS:
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
    yield from _validate_initializers(request.info, request.job)
    yield from _validate_patches(request.info, request.job, request.old, request.context)


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


_PLUGINS: tuple[Callable[[WebhookRequest], Iterator[Fault]], ...] = (_flux, _jobset, _mpi, _torch, _volcano, _xgboost)


# Initializers and overrides of a TrainJob -> the errors of the JobSet plugin's checks.
#
# Upstream: plugins/jobset `Validate` and `checkRuntimePatchesImmutability`, v2.3.0; the latter is called
# `checkPodTemplateOverridesImmutability` in v2.1.0 and `checkPodSpecOverridesImmutability` in v2.0.1.

_MOUNT = "initializer"


_TITLES = {
    RUNTIME_PATCHES: "RuntimePatches",
    POD_TEMPLATE_OVERRIDES: "PodTemplateOverrides",
    POD_SPEC_OVERRIDES: "PodSpecOverrides",
}
_ELEMENTS = {
    RUNTIME_PATCHES: "RuntimePatch",
    POD_TEMPLATE_OVERRIDES: "PodTemplateOverride",
    POD_SPEC_OVERRIDES: "PodSpecOverride",
}


def _validate_initializers(info: Info, job: DecodedTrainJob) -> Iterator[Fault]:
    """Each initializer needs a job and a container of its name, and a mount called initializer."""
    for kind, name in (("dataset", DATASET_INITIALIZER), ("model", MODEL_INITIALIZER)):
        if kind not in job.spec.get("initializer", {}):
            continue
        podsets = [podset for podset in info.podsets if podset.name == name]
        if not podsets:
            words = f"must have {name} job when trainJob is configured with input {kind}Config"
        elif all(item.name != name for item in (*podsets[-1].containers, *podsets[-1].init_containers)):
            words = f"must have container with name - {name} in the {name} job"
        elif info.release.checks_initializer_mounts and not any(
            _mounts_volume(item) for podset in podsets for item in podset.containers if item.name == name
        ):
            words = f"must have volumeMount with name - {_MOUNT} in container {name} of the {name} job"
        else:
            continue
        yield invalid(
            _REFERENCE,
            shown(job.spec["runtimeRef"], "RuntimeRef", job.release),
            words,
            "use a runtime that has them, or remove the initializer",
        )


def _mounts_volume(container: Any) -> bool:
    return any(mount["name"] == _MOUNT for mount in container.volume_mounts)


def _validate_patches(info: Info, job: DecodedTrainJob, old: DecodedTrainJob | None, context: Sequence[Tree]) -> Iterator[Fault]:
    """When overrides may change, how their managers are called, and what they may reach."""
    if old is not None and _without_times(old) != _without_times(job):
        yield from _changed(job, old, context)
    names = {podset.name: {item.name for item in (*podset.containers, *podset.init_containers)} for podset in info.podsets}
    if job.release.overrides != RUNTIME_PATCHES:
        yield from _validate_overrides(names, job)
        return
    for patch in job.spec.get(RUNTIME_PATCHES, ()):
        yield from domain_prefixed_path((*_field(job), "manager"), patch.get("manager", ""))
        template = patch.get("trainingRuntimeSpec", {}).get("template", {})
        for item in template.get("spec", {}).get("replicatedJobs", ()):
            pod = item
            for step in POD_SPEC:
                pod = pod.get(step, {})
            what = "must not have replicated job that doesn't exist in the runtime job template"
            if item.get("name", "") not in names:
                yield _about(job, old, what)
            else:
                yield from _containers(pod, item["name"], names, job, old)


def _validate_overrides(names: dict[str, set[str]], job: DecodedTrainJob) -> Iterator[Fault]:
    seen: set[str] = set()
    for override in job.spec.get(job.release.overrides, ()):
        targets = [target.get("name", "") for target in override.get("targetJobs", ())]
        for name in targets:
            if name in seen and not job.release.overrides_add_up:
                yield Fault(
                    DUPLICATE, field(_field(job)), f"Duplicate value: {quote(name)}", _field(job), hint="name each job once"
                )
            seen.add(name)
        pod = override if job.release.overrides == POD_SPEC_OVERRIDES else override.get("spec", {})
        for name in targets:
            if name not in names:
                yield _about(job, None, "must not have targetJob that doesn't exist in the runtime job template")
            yield from _containers(pod, name, names, job, None)


def _field(job: DecodedTrainJob) -> FieldPath:
    return ("spec", job.release.overrides)


def _changed(job: DecodedTrainJob, old: DecodedTrainJob, context: Sequence[Tree]) -> Iterator[Fault]:
    title = _TITLES[job.release.overrides]
    on_resume = job.release.patches_may_change_on_resume
    if not job.suspend and not (on_resume and old.suspend):
        when = "before or after the update" if on_resume else ""
        words = f"{title} can only be modified when the TrainJob is suspended {when}".rstrip()
        yield forbidden(_field(job), words, "suspend the TrainJob first")
        return
    for tree in indexed(context).named("JobSet", job.name):
        if (tree["metadata"].get("namespace") or "default") == job.namespace:
            for status in get(tree, ("status", "replicatedJobsStatus"), None) or ():
                if status.get("active", 0) > 0:
                    name = status.get("name", "")
                    words = f"{title} cannot be modified when the JobSet's ReplicatedJob {name} is still active"
                    yield forbidden(_field(job), words, "wait until its pods are gone")


def _containers(
    pod: Any, job_name: str, names: dict[str, set[str]], job: DecodedTrainJob, old: DecodedTrainJob | None
) -> Iterator[Fault]:
    # A runtime patch is merged before this check, so the containers that it names exist: the first two never apply to it.
    known = names.get(job_name, set())
    where = f"that doesn't exist in the runtime job {job_name}"
    for container in pod.get("initContainers", ()):
        if container.get("name", "") not in known:
            yield _about(job, old, f"must not have initContainer {where}")
    special = (DATASET_INITIALIZER, MODEL_INITIALIZER, NODE)
    for container in pod.get("containers", ()):
        if container.get("name", "") not in known:
            yield _about(job, old, f"must not have container {where}")
        elif container.get("env") and container["name"] in special:
            yield _about(job, old, f"must not have envs for the {', '.join(special)} containers")


def _about(job: DecodedTrainJob, old: DecodedTrainJob | None, words: str) -> Fault:
    overrides = job.spec[job.release.overrides]
    if job.release.overrides == RUNTIME_PATCHES:
        before = {patch.get("manager"): patch for patch in old.spec.get(RUNTIME_PATCHES, ())} if old is not None else {}
        overrides = [stamped(patch, before.get(patch.get("manager"))) for patch in overrides]
    path = _field(job)
    text = shown(overrides, f"[]{_ELEMENTS[job.release.overrides]}", job.release, get(job.tree, path))
    return invalid(path, text, words, "use spec.trainer.env or spec.initializer for that")


def _without_times(job: DecodedTrainJob) -> list[dict[str, Any]]:
    # The mutating webhook keeps the time of a patch that did not change, so times never make a difference.
    return [{key: value for key, value in item.items() if key != "time"} for item in job.spec.get(job.release.overrides, [])]
