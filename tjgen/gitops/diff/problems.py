"""The change of a run or a shared object -> diagnostics for rejected fields, and for changes without effect."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.kinds.protocol import SILENT
from tjgen.gitops.diff.compare import DiffEntry, ObjectChange
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import render


def problems(entry: DiffEntry) -> Iterator[Diagnostic]:
    """TJ540 for each refusal, and TJ541 for each change that the server accepts without effect."""
    for one in entry.objects:
        for words in one.words:
            yield _refused(one, words)
        for field in one.fields:
            if field.kind == SILENT:
                span = field.after.span if field.after is not None else None
                # Without a place, the subject is printed in front of the message.
                message = f"{f'{one.ref} ' if span is not None else ''}{render(field.change.path)}: {field.remark}"
                hint = "raise attempt to train with the change"
                yield Diagnostic("TJ541", message, one.ref, span=span, hint=hint)


def _refused(one: ObjectChange, words: str) -> Diagnostic:
    spans = [field.after.span for field in one.fields if field.after is not None and field.after.span is not None]
    return Diagnostic(
        "TJ540",
        # Without a place, the subject is printed in front of the message.
        f"{one.ref}: {words}" if spans else words,
        one.ref,
        span=spans[0] if spans else None,
        hint="restore the field, or give the object another name",
    )
