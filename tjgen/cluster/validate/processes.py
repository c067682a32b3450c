"""A job or a runtime -> numbers of processes below 1, with which its launcher starts nothing (TJ533).

Neither the schemas nor the webhooks have a lower bound. torchrun and mpirun end with an error in every pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.table import group_and_kind
from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get

_TRAINER = "trainer.kubeflow.org"
_OF_RUNTIME: tuple[FieldPath, ...] = tuple(
    [("spec", "mlPolicy", policy, "numProcPerNode") for policy in ("flux", "mpi", "torch")]
)
_FIELDS: dict[tuple[str, str], tuple[FieldPath, ...]] = {
    (_TRAINER, "TrainJob"): (("spec", "trainer", "numProcPerNode"),),
    (_TRAINER, "TrainingRuntime"): _OF_RUNTIME,
    (_TRAINER, "ClusterTrainingRuntime"): _OF_RUNTIME,
    ("kubeflow.org", "PyTorchJob"): (("spec", "nprocPerNode"),),
    ("kubeflow.org", "MPIJob"): (("spec", "slotsPerWorker"),),
}
"""Group and kind -> the fields that are numbers of processes of a pod. Some releases take texts such as "auto", too."""


def diagnostics(tree: Tree) -> Iterator[Diagnostic]:
    """TJ533 for each such number."""
    for path in _FIELDS.get(group_and_kind(tree), ()):
        value = get(tree, path, None)
        try:
            number = int(value) if value.__class__ in (int, str) else 1
        except ValueError:  # a word
            continue
        if number < 1:
            message = f"{path[-1]} is {number}, so the launcher of each pod starts no process and fails"
            yield Diagnostic("TJ533", message, subject_of(tree), path, hint="use at least 1, or leave the field out")
