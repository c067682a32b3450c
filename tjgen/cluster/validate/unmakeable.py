"""An object that the server accepts -> diagnostics on its Jobs and Pods that no controller can create.

The server looks at a pod inside a JobSet, a runtime or a Volcano Job for its types alone. What is wrong with it comes up when the
controller makes it, in an event, and the object waits forever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.cluster.validate.fault import NOT_FOUND, REQUIRED, Fault
from tjgen.cluster.validate.report import subject_of
from tjgen.cluster.validate.templates import templates
from tjgen.cluster.validate.verdict import DECODE
from tjgen.cluster.validate.wording import field
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get

_MPI_OPERATOR = "kubeflow.org/v2beta1"
_RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")


def diagnostics(tree: Tree, *, versions: Mapping[str, str] | None = None) -> Iterator[Diagnostic]:
    """TJ511 for each thing that is wrong with a template, at its place; TJ427 where an operator refuses the object as a whole."""
    subject = subject_of(tree)
    if tree.get("apiVersion") == _MPI_OPERATOR:
        yield from _refused(tree)
    reported: set[tuple[FieldPath, str]] = set()
    for verdict in templates(_with_creatable_name(tree), versions=versions):
        for fault in verdict.faults:
            words = fault.summary or fault.detail
            if (fault.path, words) not in reported and not _comes_later(tree, fault):
                reported.add((fault.path, words))
                where = field(fault.path) or "the object"
                message = f"{where}: the {verdict.kind} from this template would be refused: {words}"
                hint = fault.hint or _hint(verdict.verdict.stage)
                yield Diagnostic("TJ511", message, subject, fault.path, hint=hint)


def _refused(tree: Tree) -> Iterator[Diagnostic]:
    """TJ427 for each thing for which the MPI Operator leaves a job alone that the server has taken."""
    from tjgen.cluster.validate.webhooks import mpi_operator  # few write MPIJobs

    for fault in mpi_operator.faults(tree):
        message = f"{field(fault.path)}: the operator would leave the job alone: {fault.detail}"
        hint = fault.hint or "change the field: nothing would run, and only an event would report it"
        yield Diagnostic("TJ427", message, subject_of(tree), fault.path, hint=hint)


def _with_creatable_name(tree: Tree) -> Tree:
    """A runtime under a name that a TrainJob may have: its Jobs are called after that, not after the runtime."""
    if tree.get("kind") not in _RUNTIMES:
        return tree
    return {**tree, "metadata": {**tree["metadata"], "name": "run"}}


def _hint(stage: str) -> str:
    return "give the value the type that the field has" if stage == DECODE else "fix this field in the pod template"


def _comes_later(tree: Tree, fault: Fault) -> bool:
    """What is missing may come from elsewhere.

    A runtime gets images and volumes with the TrainJob, resources as a whole or not at all; a JobSet's controller adds the
    volumes of its claim templates to the pods that mount them (JobSet v0.12 `pkg/controllers/jobset_controller.go`).
    """
    if tree.get("kind") in _RUNTIMES:
        return fault.type in (NOT_FOUND, REQUIRED) and "resources" not in fault.path
    return fault.type == NOT_FOUND and "volumeMounts" in fault.path and get(tree, fault.path, None) in _claimed(tree)


def _claimed(tree: Tree) -> list[Tree]:
    policies = get(tree, ("spec", "volumeClaimPolicies"), None) or ()
    return [get(claim, ("metadata", "name"), None) for policy in policies for claim in policy.get("templates") or ()]
