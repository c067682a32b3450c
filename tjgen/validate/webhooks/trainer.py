"""A TrainJob or a runtime -> what the Trainer's admission webhooks v2.3.0 say about it.

Upstream: pkg/webhooks and pkg/runtime/core `ValidateObjects`, v2.3.0. Other objects that an answer
depends on (runtimes, PriorityClasses, the JobSet of an update) are looked for in `context`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tjgen.fields.path import Tree, get
from tjgen.trainer import runtimes
from tjgen.trainer.decode import new_info
from tjgen.trainer.framework import PLACEHOLDER_UID
from tjgen.trainer.info import DATASET_INITIALIZER, MODEL_INITIALIZER, NODE, TRAINER, RefusedError
from tjgen.trainer.inputs import runtime_of
from tjgen.trainer.job import Job
from tjgen.trainer.refusals import GROUP, unsupported
from tjgen.trainer.refusals import RUNTIME as NAMESPACED
from tjgen.trainer.runtimes import POD_SPEC, SPEC
from tjgen.trainer.typed import DecodeError
from tjgen.validate.fault import Fault
from tjgen.validate.webhooks.answer import Answer, invalid, refused
from tjgen.validate.webhooks.gojson import go_json
from tjgen.validate.webhooks.trainer_plugins import Request, validate_plugins

SUPPORT_LABEL = "trainer.kubeflow.org/support"
_POLICY_URL = "https://trainer.kubeflow.org/en/latest/operator-guides/runtime.html#runtime-deprecation-policy"
_DEPRECATED = (
    f"is deprecated and will be removed in a future release of Kubeflow Trainer. See runtime deprecation policy: {_POLICY_URL}"
)
_CONTAINERS = {TRAINER: NODE, DATASET_INITIALIZER: DATASET_INITIALIZER, MODEL_INITIALIZER: MODEL_INITIALIZER}
_ORDER = "must be created before the TrainJob is created"
_PANIC = "panic: runtime error: invalid memory address or nil pointer dereference [recovered]"


def validate(tree: Tree, *, old: Tree = None, context: Sequence[Tree] | None = ()) -> Answer:
    """The webhooks' answer on creating `tree`, or on replacing `old` by it.

    With `context` None nothing is known about other objects, and what depends on them is not asked.
    """
    check = _VALIDATORS.get(str(get(tree, ("kind",))))
    return check(tree, old, context) if check is not None else Answer()


def _trainjob(tree: Tree, old: Tree, context: Sequence[Tree] | None) -> Answer:
    try:
        job = Job(tree, PLACEHOLDER_UID)
        before = Job(old, PLACEHOLDER_UID) if old is not None else None
    except DecodeError as error:
        # The mutating webhook is the first to decode.
        return Answer((refused(error.text, error.path, "give the field a value of its type"),))
    words = unsupported(job)
    if words:
        return Answer((refused(words, ("spec", "runtimeRef"), "refer to a ClusterTrainingRuntime or a TrainingRuntime"),))
    if context is None:
        return Answer()
    found = runtime_of(tree, context)
    if found is None:
        return Answer((_missing_runtime(job),))
    try:
        runtime = runtimes.read(found)
    except DecodeError:
        return Answer((_missing_runtime(job),))
    try:
        info = new_info(job, runtime)
    except RefusedError as error:
        # Upstream ignores this error and looks into the Info that it did not get.
        return Answer((refused(_PANIC, error.path, error.hint),))
    warnings: tuple[str, ...] = ()
    if found["kind"] != NAMESPACED and runtime.object_labels.get(SUPPORT_LABEL) == "deprecated":
        warnings = (f'Referenced ClusterTrainingRuntime "{runtime.name}" {_DEPRECATED}',)
    return Answer(tuple(validate_plugins(Request(info, job, before, context))), warnings)


def _missing_runtime(job: Job) -> Fault:
    reference = job.spec["runtimeRef"]
    path = ("spec", "runtimeRef")
    name, shown = reference.get("name", ""), go_json(reference, "RuntimeRef")
    if reference["kind"] == NAMESPACED:
        words = f'trainingruntimes.{GROUP} "{name}" not found: specified trainingRuntime {_ORDER}'
        return invalid(path, shown, words, f"add the runtime to namespace {job.namespace}, or name another")
    words = f'clustertrainingruntimes.{GROUP} "{name}" not found: specified clusterTrainingRuntime {_ORDER}'
    # Upstream spells this path with a capital R.
    return invalid(path, shown, words, "add the runtime, or name another", place="spec.RuntimeRef")


def _cluster_runtime(tree: Tree, old: Tree, context: Sequence[Tree] | None) -> Answer:
    warnings: tuple[str, ...] = ()
    if old is None and get(tree, ("metadata", "labels", SUPPORT_LABEL)) == "deprecated":
        warnings = (f'ClusterTrainingRuntime "{get(tree, ("metadata", "name"), "")}" {_DEPRECATED}',)
    return Answer(_replicated_jobs(tree), warnings)


def _namespaced_runtime(tree: Tree, old: Tree, context: Sequence[Tree] | None) -> Answer:
    # Updates of namespaced runtimes are not checked at all.
    return Answer(_replicated_jobs(tree)) if old is None else Answer()


def _replicated_jobs(tree: Tree) -> tuple[Fault, ...]:
    try:
        runtime = runtimes.read(tree)
    except DecodeError as error:
        return (refused(error.text, error.path, "give the field a value of its type"),)
    errors: list[Fault] = []
    by_tree = {id(shape.tree): shape for shape in runtime.jobs}
    for position, job in enumerate(runtime.written_jobs):
        shape = by_tree[id(job)]
        wanted = _CONTAINERS.get(shape.ancestor or "")
        if wanted is None:
            continue
        path = (*SPEC, "replicatedJobs", position)
        replicas = job.get("replicas", 0)
        if replicas != 1:
            errors.append(
                invalid((*path, "replicas"), str(replicas), "always must be 1", "use parallelism for the number of pods")
            )
        if all(container.name != wanted for container in shape.containers):
            words = f"must contain the required container for the ancestor: {shape.ancestor}"
            shown = go_json(shape.pod_spec.get("containers", []), "Container")
            errors.append(invalid((*path, *POD_SPEC, "containers"), shown, words, f"name a container {wanted}"))
    return tuple(errors)


_VALIDATORS: dict[str, Callable[[Tree, Tree, Sequence[Tree] | None], Answer]] = {
    "TrainJob": _trainjob,
    "ClusterTrainingRuntime": _cluster_runtime,
    "TrainingRuntime": _namespaced_runtime,
}
