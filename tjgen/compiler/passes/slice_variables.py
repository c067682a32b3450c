"""Variables that describe its slice to the training container."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, named
from tjgen.trees.workload.contribution import Contribution
from tjgen.trees.workload.workload import PodSet, Workload


def variable(podset: PodSet, name: str, value: str, because: FieldPath) -> Contribution:
    """A variable of the container that trains."""
    return Contribution((*podset.main, "env", named(name)), {"name": name, "value": value}, because)


def index_variable(workload: Workload, podset: PodSet, because: FieldPath) -> Contribution | Diagnostic:
    """The number of the node, as a variable of the container that trains."""
    number = workload.number(podset)
    if number is None:
        message = (
            f"the pods of role {podset.name} do not get their numbers among all nodes, because another role also has several pods"
        )
        hint = "let only one role have several pods that read the data, or give the role its own volume with volumes.NAME.roles"
        return Diagnostic("TJ413", message, path=because, hint=hint)
    return Contribution((*podset.main, "env", named("TJGEN_SLICE_INDEX")), {"name": "TJGEN_SLICE_INDEX", **number}, because)
