"""What identifies an object, before and after a patch -> the field that a patch may not change.

A sync applies any kind that the tree holds, with the rights of the sync. A patch that makes another kind, or reaches another
namespace, could do more than its experiment can. The root project can allow it: `spec.policy.allow: [identity-patches]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.language.spec.objects import Patch
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get, render
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY, PROGRAM_LABEL, RUN_LABEL, TASK_LABEL

ALLOWED = "identity-patches"
_LABELS = (EXPERIMENT_LABEL, RUN_LABEL, TASK_LABEL, PROGRAM_LABEL)
_FIELDS: tuple[FieldPath, ...] = (
    ("kind",),
    ("apiVersion",),
    ("metadata", "namespace"),
    ("metadata", "name"),
    ("metadata", "generateName"),
    # An owner makes the garbage collector delete the object, and a finalizer keeps it from being deleted.
    ("metadata", "ownerReferences"),
    ("metadata", "finalizers"),
    ("metadata", "uid"),
    ("metadata", "resourceVersion"),
    ("metadata", "deletionTimestamp"),
    ("metadata", "managedFields"),
    *(("metadata", "labels", label) for label in (MANAGED_BY, *_LABELS)),
)


def changed(before: Tree, after: Tree) -> FieldPath | None:
    """The first field that identifies the object and that differs; None if there is none."""
    for path in _FIELDS:
        old, new = get(before, path, None), get(after, path, None)
        # True and 1 are equal in Python, and not on a server.
        if old != new or old.__class__ is not new.__class__:
            return path
    return None


def refused(name: str, patch: Patch, kind: str, field: FieldPath, because: FieldPath) -> Diagnostic:
    """TJ107, at the part of the patch that changes the field."""
    hint = "remove it from the patch, or allow it in the root project (spec.policy.allow: [identity-patches])"
    message = f'patch "{name}" changes {render(field)}, which identifies the {kind}'
    return Diagnostic("TJ107", message, path=_part(patch, field, because), hint=hint)


def _part(patch: Patch, field: FieldPath, because: FieldPath) -> FieldPath:
    """The part of the patch that changes the field."""
    if patch.merge is not None and get(patch.merge, field, None) is not None:
        return (*because, "merge", *field)
    for position, operation in enumerate(patch.operations):
        for pointer in (operation.path, operation.source or ""):
            steps = tuple(pointer.split("/")[1:3])
            if steps and steps == tuple(field[: len(steps)]):
                return (*because, "json", position)
    return because


def reserved(labels: Tree, allows: Sequence[str]) -> Iterator[Diagnostic]:
    """TJ107 for each label of the experiment's metadata that tjgen uses to identify its own objects."""
    if ALLOWED in allows:
        return
    for label in _LABELS:
        if label in labels:
            hint = "remove the label: tjgen sets it"
            message = f"label {label} identifies what belongs to a run, so an experiment cannot set it"
            yield Diagnostic("TJ107", message, path=("metadata", "labels", label), hint=hint)
