"""An object, a strategic merge patch and their Go type -> the object with the patch applied.

Mirrors k8s.io/apimachinery 0.36 `util/strategicpatch` (mergeMap, mergePatchIntoOriginal, mergeSlice and what they call).
A patch can be applied to another patch as well, of which directives and nulls then stay. `trainer/strategic.py` describes why
the controller's merge walks over objects by itself; both merge lists by `schema/elements.py`.
"""

from __future__ import annotations

from tjgen.cluster.schema.elements import in_order, merged_elements, merged_scalars
from tjgen.cluster.validate.update.jsonmerge import through_integer
from tjgen.cluster.validate.update.shape import LIST, STRUCT, ShapeField
from tjgen.cluster.validate.update.strategic import (
    CHANGES,
    DELETE,
    DIRECTIVE,
    ORDER,
    REMOVALS,
    RETAIN,
    Patch,
    PatchError,
    difference,
    element_type,
    key_text,
    look_up,
)
from tjgen.trees.fields.path import MISSING, Tree


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
