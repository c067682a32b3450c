"""A finding about a TrainJob or its runtime -> the diagnostic at the object that owns the field."""

from __future__ import annotations

from tjgen.cluster.trainer.info import Info
from tjgen.cluster.trainer.job import DecodedTrainJob
from tjgen.cluster.trainer.runtimes import SPEC, Runtime
from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.typing import NamedTuple


class ExpandedTrainJob(NamedTuple):
    """One expansion, as the rules look at it after it has run."""

    info: Info
    job: DecodedTrainJob
    runtime: Runtime

    def of_trainjob(self, code: str, message: str, hint: str, path: FieldPath) -> Diagnostic:
        """A diagnostic about a field of the TrainJob."""
        return Diagnostic(code, message, reference(self.job.tree), path, hint=hint)

    def of_runtime(self, code: str, message: str, hint: str, path: FieldPath) -> Diagnostic:
        """A diagnostic about a field of the runtime."""
        return Diagnostic(code, message, reference(self.runtime.tree), path, hint=hint)


def reference(tree: Tree) -> ObjectRef:
    """Which object a tree is."""
    return ObjectRef(
        str(get(tree, ("apiVersion",), "")),
        str(get(tree, ("kind",), "")),
        str(get(tree, ("metadata", "namespace"), "")),
        str(get(tree, ("metadata", "name"), "")),
    )


def in_runtime(path: FieldPath) -> FieldPath:
    """Return the path in the runtime of the value at `path` in the JobSet."""
    return (*SPEC, *path[1:])
