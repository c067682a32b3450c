"""Combinations of fields of `checkpoints` -> conflicts, before any object is created."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.compiler.lower import SPEC
from tjgen.compiler.programs.keeping import problems
from tjgen.language.spec.objects import Checkpoints, Keep
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath

AT: FieldPath = (*SPEC, "checkpoints")
KEEP: FieldPath = (*AT, "keep")
RESERVED = (".keep", ".tjgen-checkpoints.jsonl", ".tjgen-cleaner.json", ".tjgen-resume", ".tjgen-run", ".tjgen-trash")
"""Files and folders that mean something to the cleaner, and to the choice of the checkpoint to resume from."""


def judged(checkpoints: Checkpoints) -> Iterator[Diagnostic]:
    """Diagnostics about names that the cleaner uses, and about `keep`."""
    names = {"marker": checkpoints.marker, "name": checkpoints.name}
    for field, value in names.items():
        if value in RESERVED:
            yield _reserved(value, (*AT, field))
    for position, ending in enumerate(checkpoints.files):
        if ending in RESERVED:
            yield _reserved(ending, (*AT, "files", position))
    if checkpoints.keep is not None:
        yield from _keep(checkpoints.keep, checkpoints)
    if checkpoints.index is not None:
        yield from _file(checkpoints.index.metrics, checkpoints, "index", "metrics")


def _keep(keep: Keep, checkpoints: Checkpoints) -> Iterator[Diagnostic]:
    if keep.last == 1 and keep.reason is None:
        message = "keep.last is 1: if this checkpoint is damaged, the run cannot resume"
        yield Diagnostic(problems.ONE, message, path=KEEP, hint="set last to 2 or more, or write a reason")
    if keep.best and keep.metric is None:
        message = f"keep.best is {keep.best}, but keep.metric does not name the file with the metric"
        yield Diagnostic(problems.METRIC, message, path=(*KEEP, "best"), hint="set metric to the name of a file")
    if keep.metric is not None and not keep.best and checkpoints.index is None:
        message = f'keep.metric is "{keep.metric}", but keep.best is 0, so nothing reads it'
        yield Diagnostic(problems.UNREAD, message, path=(*KEEP, "metric"), hint="set best, or remove metric")
    yield from _file(keep.metric, checkpoints, "keep", "metric")


def _file(name: str | None, checkpoints: Checkpoints, section: str, field: str) -> Iterator[Diagnostic]:
    """Diagnostics about a field that names a file of each checkpoint."""
    path: FieldPath = (*AT, section, field)
    if name is not None and checkpoints.files and name not in checkpoints.files:
        message = f'{section}.{field} is "{name}", but a checkpoint consists of {", ".join(checkpoints.files)}'
        hint = f"set {field} to one of the files, or add it to files"
        yield Diagnostic(problems.FILES, message, path=path, hint=hint)
    if name in RESERVED:
        yield _reserved(name, path)


def _reserved(name: str, path: FieldPath) -> Diagnostic:
    message = f'"{name}" is reserved: the cleaner uses this name'
    return Diagnostic(problems.RESERVED, message, path=path, hint="use another name")
