"""Why the controller creates nothing -> the diagnostic, in the controller's own words."""

from __future__ import annotations

from tjgen.cluster.trainer.goread import DecodeError
from tjgen.cluster.trainer.info import PanicError, RefusedError
from tjgen.cluster.trainer.job import CONTROLLER, DecodedTrainJob
from tjgen.cluster.trainer.warnings.subject import reference
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree

GROUP = "trainer.kubeflow.org"
CLUSTER_RUNTIME = "ClusterTrainingRuntime"
RUNTIME = "TrainingRuntime"

_REFERENCE: FieldPath = ("spec", "runtimeRef")


def undecodable_trainjob(trainjob: Tree, error: DecodeError) -> Diagnostic:
    """A value that the TrainJob's Go type cannot hold."""
    return _refusal(trainjob, "TJ800", error.text, error.path, "give the field a value of its type")


def undecodable_runtime(runtime: Tree, error: DecodeError) -> Diagnostic:
    """A value that the runtime's Go type cannot hold: the API server has no such runtime."""
    return _refusal(runtime, "TJ806", error.text, error.path, "give the field a value of its type")


def missing_runtime(job: DecodedTrainJob) -> Diagnostic:
    """There is no runtime of that name.

    Upstream: pkg/runtime/core `NewObjects` of both kinds of runtime, v2.3.0.
    """
    kind, name = job.spec["runtimeRef"].get("kind", ""), job.spec["runtimeRef"].get("name", "")
    if kind == RUNTIME:
        text = f'TrainingRuntime specified in TrainJob is not found: trainingruntimes.{GROUP} "{name}" not found'
        hint = f"add the runtime to namespace {job.namespace}, or name another"
    else:
        text = f'not found ClusterTrainingRuntime specified in TrainJob: clustertrainingruntimes.{GROUP} "{name}" not found'
        hint = "add the runtime, or name another"
    return _refusal(job.tree, "TJ801", text, _REFERENCE, hint)


def unsupported_runtime(job: DecodedTrainJob) -> Diagnostic | None:
    """The reference is to a kind that the controller has no runtime for, or None."""
    text = unsupported(job)
    hint = f"refer to a {CLUSTER_RUNTIME} or a {RUNTIME} of {GROUP}"
    return _refusal(job.tree, "TJ802", text, _REFERENCE, hint) if text else None


def unsupported(job: DecodedTrainJob) -> str:
    """Return the error of controller and webhook about the kind of the reference, or "" if it is valid."""
    kind, group = job.spec["runtimeRef"].get("kind", ""), job.spec["runtimeRef"].get("apiGroup", "")
    if group == GROUP and kind in (CLUSTER_RUNTIME, RUNTIME):
        return ""
    return f"unsupported runtime: {kind}{group and '.'}{group}"


def managed_elsewhere(job: DecodedTrainJob) -> Diagnostic | None:
    """The TrainJob is left to another controller, or None."""
    manager = job.spec.get("managedBy", CONTROLLER)
    if manager == CONTROLLER:
        return None
    path = ("spec", "managedBy")
    hint = f"use {CONTROLLER}, or check what that manager changes"
    return Diagnostic("TJ803", f"managed by {manager}", reference(job.tree), path, hint=hint)


def refused(job: DecodedTrainJob, error: RefusedError) -> Diagnostic:
    """The controller stopped with an error, or crashed."""
    if isinstance(error, PanicError):
        return _refusal(job.tree, "TJ805", str(error), error.path, error.hint)
    return _refusal(job.tree, "TJ804", str(error), error.path, error.hint)


def _refusal(tree: Tree, code: str, text: str, path: FieldPath, hint: str) -> Diagnostic:
    return Diagnostic(code, text, reference(tree), path, hint=hint)
