"""A comparison -> the same with every field of new objects, not only those that differ from an earlier run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.gitops.diff.compare import NEW, DiffEntry, FieldChange, ObjectChange
from tjgen.gitops.diff.fields import Changed
from tjgen.gitops.diff.side import Side, tree_of
from tjgen.trees.fields.path import MISSING
from tjgen.trees.manifests.leaves import leaves


def with_all_fields(entries: Sequence[DiffEntry], new: Side) -> list[DiffEntry]:
    """The entries; a new object has all its fields, those first that differ from an earlier run."""
    return [entry._replace(objects=tuple([_whole(one, new) for one in entry.objects])) for entry in entries]


def _whole(one: ObjectChange, new: Side) -> ObjectChange:
    return one._replace(fields=(*one.fields, *_others(one, new))) if one.kind == NEW else one


def _others(one: ObjectChange, new: Side) -> Iterator[FieldChange]:
    differing = {field.change.path for field in one.fields}
    for path, value in leaves(tree_of(new.bodies[one.path], one.path)):
        if not any(path[:length] in differing for length in range(1, len(path) + 1)):
            attribution = new.attribution_of(one.ref, path, value)
            yield FieldChange(Changed(path, MISSING, value), NEW, "", None, attribution, is_plain=True)
