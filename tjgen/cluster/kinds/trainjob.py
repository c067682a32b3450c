"""TrainJob and TrainingRuntime of Kubeflow Trainer."""

from __future__ import annotations

from tjgen.cluster.kinds.protocol import (
    COUNTED,
    COUNTED_FROM_START,
    IN_PLACE,
    MANAGED,
    METADATA,
    SILENT,
    SUSPENDABLE,
    Conditions,
    Effect,
    Kind,
    RunFacts,
)
from tjgen.trees.fields.path import MISSING, FieldPath, Tree

TARGET = "trainjob"
API_VERSION = "trainer.kubeflow.org/v1alpha1"

_NEVER_REBUILT = Effect(SILENT, "accepted, but the existing JobSet is never rebuilt")
_SNAPSHOT = Effect(SILENT, "runs that exist work from a snapshot of their runtime (Trainer 2.3)")
_RESUMED = Effect(IN_PLACE, "reaches the pods when the run is resumed")


def _trainjob_effect(path: FieldPath, before: Tree, after: Tree) -> Effect | None:
    """Transition rules do not apply to an optional field that is added or removed, and its controller ignores it."""
    comes_or_goes = MISSING in (before, after)
    if comes_or_goes and path[:2] == ("spec", "activeDeadlineSeconds"):
        return COUNTED_FROM_START
    if comes_or_goes and path[:2] in (("spec", "trainer"), ("spec", "initializer")):
        return _NEVER_REBUILT
    return _RESUMED if path[:2] == ("spec", "runtimePatches") else None


def _runtime_effect(path: FieldPath, before: Tree, after: Tree) -> Effect | None:
    return _SNAPSHOT if path[:1] == ("spec",) else None


TRAINJOB = Kind(
    api_version=API_VERSION,
    name="TrainJob",
    plural="trainjobs",
    changeable=SUSPENDABLE,
    effect=_trainjob_effect,
    access=MANAGED,
    status=Conditions("Complete", "jobsStatus"),
    run=RunFacts(
        target=TARGET,
        needs=", with its runtime",
        starter="Kubeflow Trainer, by JobSet",
        page="[tutorial](../tutorial.md)",
        framework="",
        processes=COUNTED,
        finds_container_by_name=True,
        scheduler="",
        is_preview=False,
        job_owner="JobSet",
        pods=None,
        replicas="",
        pod_label="jobset.sigs.k8s.io/jobset-name",
    ),
    controller="",
)
TRAINING_RUNTIME = Kind(
    api_version=API_VERSION,
    name="TrainingRuntime",
    plural="trainingruntimes",
    changeable=METADATA,
    effect=_runtime_effect,
    access=MANAGED,
    status=None,
    run=None,
    controller="",
)
