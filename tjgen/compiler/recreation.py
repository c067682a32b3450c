"""A time to live of an object that is stored in Git -> the warning that the next sync creates the object again."""

from __future__ import annotations

from tjgen.trees.diagnostics.model import Diagnostic, ObjectRef
from tjgen.trees.fields.path import FieldPath

_SETTING: FieldPath = ("spec", "cleanup", "ttlSeconds")


def recreation_problem(kind: str, path: FieldPath = _SETTING, ref: ObjectRef | None = None) -> Diagnostic:
    """Return TJ428 for an object of `kind`. `path` sets the time: a field of the experiment or, with `ref`, of that object."""
    return Diagnostic(
        "TJ428",
        f"the {kind} is deleted after it ends, and the next sync of this folder creates it again: it trains again",
        ref,
        path,
        hint=f"remove {'.'.join(map(str, path[1:]))}, or set state: archived when the run has ended",
    )
