"""Two objects of a Go type -> the strategic merge patch that makes the one of the other.

Mirrors k8s.io/apimachinery 0.36 `util/strategicpatch` (diffMaps, diffLists and what they call), with which `kubectl apply`
makes its patch for built-in kinds. It stumbles over what is not an object in a list of objects, and so does this.
"""

from __future__ import annotations

from tjgen.cluster.validate.update.jsonmerge import same
from tjgen.cluster.validate.update.shape import LIST, STRUCT, ShapeField, fields
from tjgen.cluster.validate.wording import printed
from tjgen.trees.fields.path import MISSING, Tree
from tjgen.trees.typing import Any, NamedTuple

DIRECTIVE = "$patch"
RETAIN = "$retainKeys"
ORDER = "$setElementOrder/"
DELETE = "$deleteFromPrimitiveList/"

Patch = dict[str, Any]


class PatchError(Exception):
    """The client cannot make the patch, or the server cannot take it; in upstream's words."""


class Wanted(NamedTuple):
    """The required fields of a patch (`DiffOptions`)."""

    changes: bool
    removals: bool


CHANGES = Wanted(changes=True, removals=False)
REMOVALS = Wanted(changes=False, removals=True)


def difference(original: Patch, modified: Patch, name: str, wanted: Wanted, *, retains_keys: bool = False) -> Patch:
    """`diffMaps`: what changes `original` into `modified`, both of the type `name`. Raises PatchError."""
    patch: Patch = {}
    for key, value in modified.items():
        before = original.get(key, MISSING)
        if before is MISSING or before.__class__ is not value.__class__:
            if wanted.changes:
                patch[key] = value
        elif value.__class__ is dict:
            _objects(key, before, value, name, wanted, patch)
        elif value.__class__ is list:
            _lists(key, before, value, name, wanted, patch)
        elif wanted.changes and not same(before, value):
            patch[key] = value
    if wanted.removals:
        patch |= {key: None for key in original if key not in modified}
    kept = [key for key, value in modified.items() if value is not None]
    if retains_keys and kept and (patch or any(value is not None and key not in modified for key, value in original.items())):
        patch[RETAIN] = sorted(kept)
    return patch


def look_up(name: str, key: str) -> ShapeField:
    """`LookupPatchMetadataForStruct`: names that differ in case only are found too. Raises PatchError."""
    if not fields(name):
        raise PatchError(f"merging an object in json but data type is not struct, instead is: {name}")
    matching_field = fields(name).get(key) or {known.lower(): field for known, field in fields(name).items()}.get(key.lower())
    if matching_field is None:
        raise PatchError(f'unable to find api field in struct {name} for the json field "{key}"')
    return matching_field


def _objects(key: str, before: Patch, value: Patch, name: str, wanted: Wanted, patch: Patch) -> None:
    """`handleMapDiff`."""
    field = _field(key, before, value, name)
    if field is None:
        return
    if field.is_replaced:
        if wanted.changes:
            patch[key] = value
        return
    below = difference(before, value, _type_of(field), wanted, retains_keys=field.retains_keys)
    if below:
        patch[key] = below


def _lists(key: str, before: list[Tree], value: list[Tree], name: str, wanted: Wanted, patch: Patch) -> None:
    """`handleSliceDiff`."""
    field = _field(key, before, value, name)
    if field is None:
        return
    if field.form != LIST and not field.is_pointer:
        raise PatchError(f"expected slice or array type, but got: {field.type}")
    if field.merge_key is None:
        if wanted.changes and not same(before, value):
            patch[key] = value
        return
    if not before:
        if value and wanted.changes:
            patch[key] = value
        return
    element = element_type(before, value)
    if element is dict:
        _keyed(key, before, value, field, wanted, patch)
    else:
        _scalars(key, before, value, wanted, patch)


def _field(key: str, before: Tree, value: Tree, name: str) -> ShapeField | None:
    """The field; None where it is not known and nothing changes."""
    try:
        return look_up(name, key)
    except PatchError:
        if same(before, value):
            return None
        raise


def _type_of(field: ShapeField) -> str:
    return field.type if field.form == STRUCT else ""


def element_type(*lists: list[Tree]) -> Any:
    """`sliceElementType`. Raises PatchError for elements of different types, and for lists of lists."""
    classes = {item.__class__ for items in lists for item in items}
    if list in classes:
        raise PatchError("lists of lists are not supported")
    if len(classes) != 1:
        raise PatchError("list element types are not identical" if classes else "no elements in any of the given slices")
    return classes.pop()


def _keyed(key: str, before: list[Tree], value: list[Tree], field: ShapeField, wanted: Wanted, patch: Patch) -> None:
    """`diffListsOfMaps`, with the order of the elements where anything changes."""
    merge_key = field.merge_key or ""
    old, new = _in_order(before, merge_key), _in_order(value, merge_key)
    changed: list[Tree] = []
    removed: list[Tree] = []
    while old or new:
        first, second = (key_text(items[0], merge_key) if items else None for items in (old, new))
        if first is not None and first == second:
            below = difference(old.pop(0), new[0], field.type, wanted, retains_keys=field.retains_keys)
            if below:
                changed.append({**below, merge_key: new[0][merge_key]})
            new.pop(0)
        elif first is None or (second is not None and first > second):
            item = new.pop(0)
            if wanted.changes:
                changed.append(item)
        else:
            item = old.pop(0)
            if wanted.removals:
                removed.append({merge_key: item[merge_key], DIRECTIVE: "delete"})
    known = [item[merge_key] for item in value]
    changed.sort(key=lambda item: known.index(item[merge_key]))
    is_reordered = [item[merge_key] for item in before] != known
    if changed or removed:
        patch[key] = changed + removed
    if (wanted.changes and (changed or removed or is_reordered)) or (wanted.removals and (changed or removed)):
        patch[ORDER + key] = [{merge_key: one} for one in known]


def _in_order(items: list[Tree], merge_key: str) -> list[Tree]:
    """Sorted by key. Go's sort turns around what is equal to this comparison, as long as the list is short."""
    order = sorted(range(len(items)), key=lambda position: (key_text(items[position], merge_key), -position))
    return [items[position] for position in order]


def key_text(item: Tree, merge_key: str) -> str:
    """The key of an element as it is compared. Raises PatchError for an element without it, or if it is not a scalar."""
    if item.__class__ is not dict or merge_key not in item:
        raise PatchError(f"map: {printed(item)} does not contain declared merge key: {merge_key}")
    if item[merge_key].__class__ in (dict, list):
        raise PatchError("panic in the client: the merge key is no scalar")
    return str(item[merge_key])


def _scalars(key: str, before: list[Tree], value: list[Tree], wanted: Wanted, patch: Patch) -> None:
    """`diffListsOfScalars`."""
    added = _without(value, before) if wanted.changes else []
    removed = _without(before, value) if wanted.removals else []
    if added:
        patch[key] = added
    if removed:
        patch[DELETE + key] = list(dict.fromkeys(removed))
    if (wanted.removals and removed) or (wanted.changes and before != value):
        patch[ORDER + key] = value


def _without(items: list[Tree], others: list[Tree]) -> list[Tree]:
    """The items that are left when each of the others has taken away one that is equal to it."""
    rest = list(items)
    for item in others:
        if item in rest:
            rest.remove(item)
    return rest
