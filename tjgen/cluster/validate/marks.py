"""A preview with marks for generated values -> the object with placeholders, and a note on each.

The keys that Trainer puts into the Secret of an MPI run are random, so a preview holds a mark in their place. A server
would refuse it as invalid base64, but a preview is not applied.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.validate.report import subject_of
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.placeholders import RANDOM

_STANDS_FOR = "cmFuZG9t"


def without_marks(tree: Tree) -> Tree:
    """The object with some value instead of each mark; itself if it has none."""
    marked = _marked(tree)
    return {**tree, "data": {**tree["data"], **dict.fromkeys(marked, _STANDS_FOR)}} if marked else tree


def diagnostics(tree: Tree) -> Iterator[Diagnostic]:
    """TJ512 for each mark."""
    for key in _marked(tree):
        message = f"data.{key}: {RANDOM} is a placeholder for a value of the controller; it is not checked"
        hint = "apply the TrainJob, not its preview"
        yield Diagnostic("TJ512", message, subject_of(tree), ("data", key), hint=hint)


def _marked(tree: Tree) -> list[str]:
    if tree.__class__ is not dict or (tree.get("apiVersion"), tree.get("kind")) != ("v1", "Secret"):
        return []
    data = get(tree, ("data",), None)
    return [key for key, value in data.items() if value == RANDOM] if data.__class__ is dict else []
