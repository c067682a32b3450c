"""Two manifests -> the fields in which they differ, elements of keyed lists compared by their keys."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import MISSING, FieldPath, Tree
from tjgen.trees.manifests.leaves import selectors_of
from tjgen.trees.typing import Any, NamedTuple


class Changed(NamedTuple):
    """One field, as a whole if it was added or removed. MISSING represents an absent field."""

    path: FieldPath
    before: Tree
    after: Tree


def changed(old: Tree, new: Tree, path: FieldPath = ()) -> Iterator[Changed]:
    """Every field that differs, in the order of the old tree and then of the new one. The order of keys is not a difference."""
    if old.__class__ is dict and new.__class__ is dict:
        yield from _entries(old, new, path)
    elif old.__class__ is list and new.__class__ is list:
        yield from _items(old, new, path)
    elif old.__class__ is not new.__class__ or old != new:
        yield Changed(path, old, new)


def _entries(old: dict[Any, Tree], new: dict[Any, Tree], path: FieldPath) -> Iterator[Changed]:
    for key in [*old, *(key for key in new if key not in old)]:
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        at: FieldPath = (*path, key)
        if before is MISSING or after is MISSING:
            yield Changed(at, before, after)
        else:
            yield from changed(before, after, at)


def _items(old: list[Tree], new: list[Tree], path: FieldPath) -> Iterator[Changed]:
    field = path[-1] if path else ""
    before, after = selectors_of(old, field), selectors_of(new, field)
    is_keyed = bool(before and after and before[0][0][0] == after[0][0][0])
    both = {*(before or ())} & {*(after or ())}
    if is_keyed and [key for key in before or () if key in both] == [key for key in after or () if key in both]:
        yield from _entries(dict(zip(before or (), old, strict=True)), dict(zip(after or (), new, strict=True)), path)
    elif not is_keyed and len(old) == len(new):
        for position, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changed(one, other, (*path, position))
    elif old != new:
        yield Changed(path, old, new)
