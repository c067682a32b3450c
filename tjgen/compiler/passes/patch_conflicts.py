"""An object before and after a patch -> the values that fields of the document set and the patch changes.

The document is the experiment or the Platform with the patch.

A patch with `force: false` must not change them: the result would ignore an edit of such a field. The comparison is of values, as
in a server-side apply without force, so a patch that sets an equal value is not a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.explain.provenance import Sources, trace
from tjgen.trees.fields.managed import Managed, Origin
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, index_of
from tjgen.trees.manifests.leaves import selectors_of
from tjgen.trees.manifests.manifest import Manifest
from tjgen.trees.typing import NamedTuple

_CHOICES = (("spec", "target"), ("spec", "runtime"))
"""Fields that choose a whole object. What they bring is not a value of the author."""

_COMPUTED = "target:rayjob"
"""The manager of bounds that a target computes from a number of pods. A patch may set others (TJ474)."""


class PatchConflict(NamedTuple):
    """A value that a field of the document set. `field` is the place of that field in the document."""

    path: FieldPath
    field: FieldPath


def conflicts(before: Manifest, after: Tree, manager: str, sources: Sources, source: str) -> Iterator[PatchConflict]:
    """Yield the values of `before` that a field set and that `after` lacks or changes. Values that `manager` set do not count.

    `source` is the name of the document in origins.
    """
    managed = Managed(before.tree, before.owners)
    for path in _changed(before.tree, after, ()):
        for place in (path, *managed.recorded_below(path)):
            origins = [one for one in managed.origins(place) if one.manager not in (manager, _COMPUTED)]
            fields = ((one, _field(one, before, sources, source)) for one in origins)
            field = next(
                (field for one, field in fields if field and not _only_addresses(one, place, field, managed, source)), None
            )
            if field is not None:
                yield PatchConflict(place, field)
                break


def _only_addresses(origin: Origin, path: FieldPath, field: FieldPath, managed: Managed, source: str) -> bool:
    """Whether a key of an item was written only to find the item: the field sets other values of it, and these stay.

    A field such as `env.LR` names its item, so the key is its value, too.
    """
    *above, key = path
    if not above or not isinstance(above[-1], tuple) or key not in dict(above[-1]) or dict(above[-1])[key] in field:
        return False
    if origin.source != source:
        return origin.because[-2:] == path[-2:]
    others = (one for place in managed.recorded_below(tuple(above)) if place != path for one in managed.origins(place))
    return any(one.source == origin.source and one.because == origin.because for one in others)


def _field(origin: Origin, manifest: Manifest, sources: Sources, source: str) -> FieldPath | None:
    """The field of the document that an origin leads to; None if it leads elsewhere."""
    for hop in trace(origin, sources, expanded=manifest.expanded):
        if hop.source == source and not _is_choice(hop.because, manifest, sources, source):
            return hop.because
    return None


def _is_choice(field: FieldPath, manifest: Manifest, sources: Sources, source: str) -> bool:
    """Whether a field only chooses the object, or has a value by default."""
    if source == "experiment":
        return field[:2] in _CHOICES
    document = sources.platform
    is_set = document is not None and get(document.value, field) is not MISSING
    return not is_set or field in [one.because for one in manifest.origins(())]


def _changed(before: Tree, after: Tree, path: FieldPath) -> Iterator[FieldPath]:
    """The highest places of `before` that `after` lacks or has another value at.

    Items of lists with keys are compared by key, and other maps in lists by position.
    """
    if before.__class__ is dict and after.__class__ is dict:
        for key, value in before.items():
            yield from _changed(value, after.get(key, MISSING), (*path, key))
        return
    if before.__class__ is list and after.__class__ is list:
        selectors = selectors_of(before, path[-1] if path else "")
        if selectors and (not after or selectors_of(after, path[-1] if path else "")):
            places = [index_of(after, one) for one in selectors]
            for position, (item, selector) in enumerate(zip(before, selectors, strict=True)):
                # An item that only has another name is at the same position.
                is_renamed = places[position] < 0 and position < len(after) and position not in places
                place = position if is_renamed else places[position]
                yield from _changed(item, after[place] if place >= 0 else MISSING, (*path, selector))
            return
        if len(after) >= len(before) > 0 and all(item.__class__ is dict for item in before):
            for position, item in enumerate(before):
                yield from _changed(item, after[position], (*path, position))
            return
    if before.__class__ is not after.__class__ or before != after:
        yield path
