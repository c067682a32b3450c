"""A TrainJob or a runtime -> the errors of Trainer's admission webhooks.

Upstream: pkg/webhooks and pkg/runtime/core `ValidateObjects`, v2.3.0. Other objects that an answer
depends on (runtimes, PriorityClasses, the JobSet of an update) are looked for in `context`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tjgen.cluster.trainer import runtimes
from tjgen.cluster.trainer.decode import new_info
from tjgen.cluster.trainer.framework import PLACEHOLDER_UID
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.info import DATASET_INITIALIZER, LAUNCHER, MODEL_INITIALIZER, NODE, PANIC, TRAINER, RefusedError
from tjgen.cluster.trainer.inputs import runtime_of
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.refusals import GROUP, unsupported
from tjgen.cluster.trainer.refusals import RUNTIME as NAMESPACED
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.trainer.runtimes import POD_SPEC, SPEC
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer, invalid, refused
from tjgen.cluster.validate.webhooks.gojson import shown
from tjgen.cluster.validate.webhooks.trainer_plugins import WebhookRequest, validate_plugins
from tjgen.cluster.validate.wording import quote
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.syntax import dns1035_label
from tjgen.trees.session import Session
from tjgen.trees.typing import NamedTuple

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
        errors = tuple(validate_plugins(WebhookRequest(info, job, before, context)))
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
