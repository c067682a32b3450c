"""A comparison -> text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.kinds.protocol import SILENT
from tjgen.gitops.diff.compare import DiffEntry, FieldChange, ObjectChange
from tjgen.gitops.diff.effect import REFUSED
from tjgen.gitops.diff.words import concealed, meaning, sections, shown, shown_both, summary
from tjgen.trees.fields.path import render


def render_text(entries: Sequence[DiffEntry]) -> str:
    """Return every run and shared object that differs, its fields, and the sources of both values; then the counts."""
    lines = []
    for name, group in sections(entries):
        lines.append(name)
        for entry in group:
            lines.append(f"  {entry.name}  {meaning(entry)}")
            for one in entry.objects:
                lines += object_lines(one)
        lines.append("")
    return "".join(line + "\n" for line in [*lines, *summary(entries)])


def object_lines(one: ObjectChange) -> list[str]:
    """Return the fields of an object that differ, and the server's errors."""
    lines = [f"    {words}" for field in one.fields for words in _field(one.ref.kind, field)]
    return lines + [f"    the server rejects: {words}" for words in one.words]


def _field(kind: str, field: FieldChange) -> list[str]:
    change = concealed(kind, field.change)
    note = f"  ({field.remark or field.kind})" if field.remark or field.kind in (REFUSED, SILENT) else ""
    values = shown(change.after) if field.is_plain else " -> ".join(shown_both(change.before, change.after))
    lines = [f"{kind} {render(change.path)}: {values}{note}"]
    for label, attribution in (("was", field.before), ("is", field.after)):
        if attribution is not None:
            lines.append(f"  {label}: {attribution.words}")
    return lines
