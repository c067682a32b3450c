"""Two objects of a Go type -> the strategic merge patch that makes the one of the other.

Mirrors k8s.io/apimachinery 0.36 `util/strategicpatch` (diffMaps, diffLists and what they call), with which `kubectl apply`
makes its patch for built-in kinds. It stumbles over what is not an object in a list of objects, and so does this.
"""

from __future__ import annotations

from tjgen.cluster.schema.elements import in_order, merged_elements, merged_scalars
from tjgen.cluster.validate.update.jsonmerge import same, through_integer
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


# An object, a strategic merge patch and their Go type -> the object with the patch applied.
#
# Mirrors k8s.io/apimachinery 0.36 `util/strategicpatch` (mergeMap, mergePatchIntoOriginal, mergeSlice and what they call). A
# patch can be applied to another patch as well, of which directives and nulls then stay. `trainer/strategic.py` describes why
# the controller's merge walks over objects by itself; both merge lists by `schema/elements.py`.


def applied(original: Patch, modified: Patch, live: Patch, name: str) -> Patch:
    """The object that arrives when `modified` is applied over `live`, where `original` was applied before.

    `CreateThreeWayMergePatch` in the client, `StrategicMergePatch` in the server. Raises PatchError.
    """
    modified = through_integer(modified)
    changes = difference(live, modified, name, CHANGES)
    removals = difference(through_integer(original), modified, name, REMOVALS)
    return _merged(live, _merged(removals, changes, name, is_patch=True), name, is_patch=False)


def _merged(tree: Patch, patch: Patch, name: str, *, is_patch: bool) -> Patch:
    """`mergeMap`."""
    if DIRECTIVE in patch:
        if patch[DIRECTIVE] == "delete":
            return {}
        raise PatchError(f"unknown patch type: {patch[DIRECTIVE]}")
    result, rest = _retained(dict(tree), dict(patch), is_patch=is_patch)
    for key in [key for key in rest if key.startswith(ORDER)]:
        _ordered(key, result, rest, name, is_patch=is_patch)
    for key, value in rest.items():
        if key.startswith(DELETE):
            if is_patch:
                result[key] = value
            else:
                _removed(key.removeprefix(DELETE), _list_of(value, "primitive list"), result)
        elif value is None:
            result.pop(key, None)
            if is_patch:
                result[key] = None
        elif result.get(key, MISSING).__class__ is not value.__class__:
            result[key] = _plain(value, is_patch=is_patch)
        elif value.__class__ is dict:
            field = look_up(name, key)
            below = field.type if field.form == STRUCT else ""
            result[key] = value if field.is_replaced else _merged(result[key], value, below, is_patch=is_patch)
        elif value.__class__ is list:
            field = _list_field(name, key)
            merged = value if field.merge_key is None else _list_merged(result[key], value, field, is_patch=is_patch)
            result[key] = merged
        else:
            result[key] = value
    return result


def _list_of(value: Tree, what: str) -> list[Tree]:
    """The list of a directive that a manifest can hold, too (`mergepatch.ErrBadPatchFormatFor...`)."""
    if value.__class__ is not list:
        raise PatchError(f"invalid patch format of {what}")
    return value


def _retained(tree: Patch, patch: Patch, *, is_patch: bool) -> tuple[Patch, Patch]:
    """`applyRetainKeysDirective`."""
    if RETAIN not in patch:
        return tree, patch
    kept = _list_of(patch.pop(RETAIN), "retainKeys")
    if is_patch:
        return {**tree, RETAIN: kept}, patch
    return {key: value for key, value in tree.items() if key in kept}, patch


def _ordered(key: str, tree: Patch, patch: Patch, name: str, *, is_patch: bool) -> None:
    """`mergePatchIntoOriginal` for one list: merge it, and apply the order of the patch."""
    order = _list_of(patch.pop(key), "setElementOrder list")
    if is_patch:
        tree[key] = order
    name_of_list = key.removeprefix(ORDER)
    field = _list_field(name, name_of_list)
    old, new = tree.get(name_of_list), patch.pop(name_of_list, None)
    if old is None and new is None:
        return
    _check_order(new or [], order, field.merge_key or "")
    if new is None:
        merged = old
    elif old is None:
        merged = [_plain(item, is_patch=is_patch) for item in new if not (item.__class__ is dict and DIRECTIVE in item)]
    else:
        merged = _list_merged(old, new, field, is_patch=is_patch)
    tree[name_of_list] = in_order(merged or [], order, old or [], lambda item: _of(item, field.merge_key or ""))


def _check_order(items: list[Tree], order: list[Tree], key: str) -> None:
    """`validatePatchWithSetOrderList`: a key that a list has twice does not come in the order of the whole."""
    rest = iter([_of(item, key) for item in order])
    kept = [_of(item, key) for item in items if not (key and item.get(DIRECTIVE) == "delete")]
    if order and not all(any(wanted == known for known in rest) for wanted in kept):
        raise PatchError(f"The order in patch list does not match {ORDER.strip('/')} list: {kept}")


def _list_field(name: str, key: str) -> ShapeField:
    field = look_up(name, key)
    if field.form != LIST and not field.is_pointer:
        raise PatchError(f"expected slice or array type, but got: {field.type}")
    return field


def _removed(key: str, items: list[Tree], tree: Patch) -> None:
    if tree.get(key).__class__ is list:
        tree[key] = [item for item in tree[key] if item not in items]


def _plain(value: Tree, *, is_patch: bool) -> Tree:
    """A value of the patch where nothing stood before: without directives, and without nulls in the end."""
    if value.__class__ is dict:
        kept = {key: item for key, item in value.items() if is_patch or item is not None}
        return {key: _plain(item, is_patch=is_patch) for key, item in kept.items() if not _is_directive(item)}
    if value.__class__ is list:
        return [_plain(item, is_patch=is_patch) for item in value if not _is_directive(item)]
    return value


def _is_directive(value: Tree) -> bool:
    return value.__class__ is dict and DIRECTIVE in value


def _list_merged(old: list[Tree], new: list[Tree], field: ShapeField, *, is_patch: bool) -> list[Tree]:
    """`mergeSlice`."""
    if not old and not new:
        return old
    if element_type(old, new) is not dict:
        return merged_scalars(old, new)
    key = field.merge_key or ""
    deleted = [item[key] for item in new if item.get(DIRECTIVE) == "delete"]
    kept = [item for item in old if not (deleted and item.get(key) in deleted)]
    wanted = [item for item in new if DIRECTIVE not in item]

    def combine(current: Tree, position: int) -> Tree:
        return wanted[position] if current is MISSING else _merged(current, wanted[position], field.type, is_patch=is_patch)

    merged = merged_elements(kept, wanted, key, lambda item: _of(item, key), combine)
    return in_order(merged, wanted, old, lambda item: _of(item, key))


def _of(item: Tree, key: str) -> Tree:
    if not key:
        return item
    key_text(item, key)
    return item[key]
