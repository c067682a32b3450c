"""A change that the server accepts -> what it does to the run that is there, which may be nothing.

What a TrainJob or JobSet starts is built from it once. Of what may change later, only some reaches it.
"""

from __future__ import annotations

from collections.abc import Callable

from tjgen.diff.fields import Changed
from tjgen.fields.path import MISSING, FieldPath, Tree
from tjgen.typing import NamedTuple

UNCHANGED = "unchanged"
IN_PLACE = "in place"
SILENT = "without effect"
REFUSED = "refused"
WORST = (UNCHANGED, IN_PLACE, SILENT, REFUSED)
"""What becomes of a change, the worst last."""


class Effect(NamedTuple):
    """What an accepted change does: IN_PLACE or SILENT, and a remark where that is not all."""

    kind: str
    remark: str = ""


_TRAINER = "trainer.kubeflow.org"
_NEVER_BUILT_ANEW = Effect(SILENT, "accepted, but the JobSet that is there is never built anew")
_DEADLINE = Effect(IN_PLACE, "counts from the start of the run: one that is past it fails at once")
_SNAPSHOT = Effect(SILENT, "runs that exist work from a snapshot of their runtime (Trainer 2.3)")
_RESUMED = Effect(IN_PLACE, "reaches the pods when the run is resumed")
_NEW_PODS = Effect(SILENT, "accepted, but pods that are there stay as they are; only new ones are made so")
_OF_OPERATOR = ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "JAXJob")
_GROWTH = Effect(IN_PLACE, "refused as long as the claim is not bound, or where its class allows no growth")
_CLASS = Effect(IN_PLACE, "refused where the cluster has filled in another class")


def effect(kind: tuple[str, str], change: Changed) -> Effect:
    """What an accepted change does to an object of this group and kind."""
    rule = _RULES.get(kind)
    found = rule(change) if rule is not None else None
    return found or Effect(IN_PLACE)


def _trainjob(change: Changed) -> Effect | None:
    """Where an optional field comes or goes, the transition rules of a TrainJob do not run, and its controller does not look."""
    comes_or_goes = MISSING in (change.before, change.after)
    if comes_or_goes and _is_at(change.path, ("spec", "activeDeadlineSeconds")):
        return _DEADLINE
    if comes_or_goes and change.path[:2] in (("spec", "trainer"), ("spec", "initializer")):
        return _NEVER_BUILT_ANEW
    return _RESUMED if change.path[:2] == ("spec", "runtimePatches") else None


def _runtime(change: Changed) -> Effect | None:
    return _SNAPSHOT if change.path[:1] == ("spec",) else None


def _claim(change: Changed) -> Effect | None:
    if _is_at(change.path, ("spec", "resources", "requests", "storage")):
        return _GROWTH
    return _CLASS if _is_at(change.path, ("spec", "storageClassName")) else None


def _is_at(path: FieldPath, wanted: FieldPath) -> bool:
    return path[: len(wanted)] == wanted


def _of_operator(change: Changed) -> Effect | None:
    """Jobs of the Training Operator and MPI Operator: pods are made once, and nothing looks at those that exist.

    training-operator v1.9 `controller.v1/common/pod.go:ReconcilePods` makes and removes pods by their number alone; of an
    MPIJob's launcher only what decides about its place is brought to the Job that is there.
    """
    if change.path[:2] == ("spec", "runPolicy"):
        return _DEADLINE if _is_at(change.path, ("spec", "runPolicy", "activeDeadlineSeconds")) else None
    if change.path[:1] != ("spec",) or change.path[-1:] == ("replicas",):
        return None
    return _NEW_PODS


_RULES: dict[tuple[str, str], Callable[[Changed], Effect | None]] = {
    (_TRAINER, "TrainJob"): _trainjob,
    (_TRAINER, "TrainingRuntime"): _runtime,
    ("", "PersistentVolumeClaim"): _claim,
    **dict.fromkeys([("kubeflow.org", kind) for kind in _OF_OPERATOR], _of_operator),
}


def group_and_kind(tree: Tree) -> tuple[str, str]:
    """Group and kind of a manifest."""
    return str(tree.get("apiVersion", "")).rpartition("/")[0], str(tree.get("kind", ""))
