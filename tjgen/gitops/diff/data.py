"""A comparison -> a tree for JSON."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.gitops.diff.compare import DiffEntry, FieldChange, ObjectChange
from tjgen.gitops.diff.side import Attribution
from tjgen.gitops.diff.words import concealed, counts
from tjgen.trees.fields.path import MISSING, Tree, render
from tjgen.trees.manifests.manifest import RUNS


def as_data(entries: Sequence[DiffEntry], *, old: str, new: str) -> Tree:
    """Every entry, those included that did not change. An absent value has no key."""
    return {"old": old, "new": new, "counts": counts(entries), "entries": [_entry(entry) for entry in entries]}


def _entry(entry: DiffEntry) -> Tree:
    place, earlier = entry.place, entry.earlier
    data: Tree = {"stage": place.stage, "environment": place.environment or None, "namespace": place.namespace}
    if place.stage == RUNS:
        data["experiment"] = place.experiment
    return {
        **data,
        "name": entry.name,
        "change": entry.kind,
        "replaces": [earlier.run] if earlier is not None and earlier.is_replaced else [],
        "comparedWith": earlier.run if earlier is not None else None,
        "replacedBy": entry.successor or None,
        "repeats": entry.repeats or None,
        "objects": [object_data(one) for one in entry.objects],
    }


def object_data(one: ObjectChange) -> Tree:
    """An object that differs."""
    return {
        "file": one.path,
        "apiVersion": one.ref.api_version,
        "kind": one.ref.kind,
        "name": one.ref.name,
        "change": one.kind,
        "refusals": list(one.words),
        "fields": [_field(one.ref.kind, field) for field in one.fields],
    }


def _field(kind: str, field: FieldChange) -> Tree:
    change = concealed(kind, field.change)
    data: Tree = {"path": render(change.path), "change": field.kind}
    if field.remark:
        data["remark"] = field.remark
    for label, value, attribution in (("before", change.before, field.before), ("after", change.after, field.after)):
        if value is not MISSING:
            data[label] = {"value": value, **_attribution(attribution)}
    return data


def _attribution(attribution: Attribution | None) -> Tree:
    if attribution is None:
        return {}
    data: Tree = {"requestedBy": attribution.words}
    if attribution.span is not None:
        data["file"], data["line"], data["column"] = attribution.span.file, attribution.span.line, attribution.span.column
    return data
