"""An object that the schema accepts -> the errors and warnings of the admission webhooks of its kind."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.schema import store, walk
from tjgen.cluster.trainer.framework import live
from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.inputs import runtime_of
from tjgen.cluster.trainer.release import NEWEST, Release
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.webhooks import jobset, trainer
from tjgen.cluster.validate.webhooks.answer import WebhookAnswer, refused
from tjgen.cluster.validate.wording import field
from tjgen.trees.fields.path import Tree, get, text_at
from tjgen.trees.k8s.quantity import QuantityError
from tjgen.trees.session import Session

_TRAINER = "trainer.kubeflow.org"
_JOBSET = "jobset.x-k8s.io"
_VOLCANO = ".volcano.sh"
_TRAINING_OPERATOR = "kubeflow.org/v1"
_JOBS = ("spec", "template", "spec", "replicatedJobs")
_READ = ("ClusterTrainingRuntime", "JobSet", "PersistentVolumeClaim", "PriorityClass", "Queue", "TrainingRuntime")


def review(
    tree: Tree,
    *,
    old: Tree = None,
    context: Sequence[Tree] = (),
    release: Release = NEWEST,
    is_whole: bool = False,
    session: Session | None = None,
) -> WebhookAnswer:
    """The webhooks' answer on creating `tree`, or on replacing `old` by it; an empty one for kinds without webhooks.

    `context` holds the objects of the cluster. For a TrainJob whose runtime is not among them, only the checks
    without the runtime run, because the cluster may have it, unless `is_whole` states that
    the cluster has nothing else.
    """
    group = str(get(tree, ("apiVersion",), "")).partition("/")[0]
    has_other = group.endswith(_VOLCANO) or get(tree, ("apiVersion",), None) == _TRAINING_OPERATOR
    if old is not None and has_other:
        undecodable = _undecodable(tree, release) or _undecodable(old, release)
        if undecodable is not None:
            return WebhookAnswer((undecodable,))
    if group == _JOBSET:
        try:
            before = live(old, release) if old is not None else None
            after = live(tree, release)
        except DecodeError as error:
            return WebhookAnswer((refused(error.text, error.path, "give the field a value of its type"),))
        return jobset.validate(after, old=before, context=context, release=release)
    if group.endswith(_VOLCANO):
        from tjgen.cluster.validate.webhooks import volcano  # few manifests contain objects of Volcano

        try:
            return volcano.validate(tree, old=old, context=context)
        except QuantityError as error:
            # The webhook cannot decode what the pattern of the schema lets pass, such as 1e99999.
            return WebhookAnswer((refused(str(error), hint="write a quantity such as 8, 500m or 64Gi"),))
    if get(tree, ("apiVersion",), None) == _TRAINING_OPERATOR:
        from tjgen.cluster.validate.webhooks import training_operator

        return training_operator.validate(tree, old=old)
    if group != _TRAINER:
        return WebhookAnswer()
    if not is_whole and get(tree, ("kind",), None) == "TrainJob" and runtime_of(tree, context) is None:
        return trainer.validate(tree, old=old, context=None, release=release, session=session)
    return trainer.validate(tree, old=old, context=context, release=release, session=session)


def _undecodable(tree: Tree, release: Release) -> Fault | None:
    """Why a webhook cannot decode an object: a value of another type, which an update may leave as it was stored.

    Upstream: controller-runtime v0.23 `pkg/webhook/admission/validator_custom.go:Handle`.
    """
    schema = store.find(text_at(tree, ("apiVersion",)), text_at(tree, ("kind",)), versions=release.versions)
    for finding in walk.check(tree, schema) if schema is not None else ():
        if finding.type == walk.TYPE:
            return refused(f"{field(finding.path)}: {finding.message}", finding.path, hint="give the field a value of its type")
    return None


def assumed(tree: Tree) -> list[Tree]:
    """What a runtime's pods refer to and a cluster is taken to have: their PriorityClasses."""
    names = set()
    jobs = get(tree, _JOBS, None)
    for job in jobs if isinstance(jobs, list) else []:
        name = get(job, ("template", "spec", "template", "spec", "priorityClassName"), None)
        if name and isinstance(name, str):
            names.add(name)
    api_version, kind = "scheduling.k8s.io/v1", "PriorityClass"
    return [{"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "value": 0} for name in sorted(names)]
