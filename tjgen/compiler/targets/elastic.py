"""`elastic` of a run without Trainer -> its bounds, and an error if the run does not start between them."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.workload.roles import nodes
from tjgen.trees.workload.workload import Workload

BOUNDS: FieldPath = ("policy", "elastic")
AT: FieldPath = ("spec", "elastic")


def bounds(workload: Workload) -> Tree:
    """`min`, `max`, `restarts` and `metrics` as written; None if the number of nodes does not change."""
    return get(workload.tree.value, BOUNDS, None)


def outside(workload: Workload) -> Iterator[Diagnostic]:
    """TJ433 for a number of nodes that the bounds do not allow."""
    count, least, most = nodes(workload), bounds(workload)["min"], bounds(workload)["max"]
    if least <= most and not least <= count <= most:
        message = f"the run starts with {count} nodes, but elastic allows {least} to {most}"
        yield Diagnostic("TJ433", message, path=AT, hint="set nodes between elastic.min and elastic.max")
