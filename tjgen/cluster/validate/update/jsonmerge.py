"""A custom resource's last applied manifest, the new one and the live object -> what an apply sends to the server.

Mirrors k8s.io/apimachinery 0.36 `util/jsonmergepatch:CreateThreeWayJSONMergePatch`, by which `kubectl apply` makes its
patch, and gopkg.in/evanphx/json-patch.v4 `MergePatch`, by which the server takes it: objects are merged, all else is replaced.
"""

from __future__ import annotations

from tjgen.cluster.validate.wording import to_float
from tjgen.trees.fields.path import MISSING, Tree
from tjgen.trees.typing import Any

_EXACT = 2**53
_LARGEST = 2**63 - 1


def applied(original: dict[str, Tree], modified: dict[str, Tree], live: dict[str, Tree]) -> dict[str, Tree]:
    """The object that arrives when `modified` is applied over `live`, where `original` was applied before."""
    modified = through_float(modified)
    changes = _without_nulls(_difference(through_float(live), modified))
    removals = _only_nulls(_difference(through_float(original), modified))
    return _merged(live, _merged(removals, changes))


def through_float(value: Tree) -> Any:
    """A value as it leaves Go's JSON, whose numbers are floats: 2.0 is written 2, and beyond 2^53 digits are lost."""
    return _rewritten(value, _EXACT)


def through_integer(value: Tree) -> Any:
    """A value as it leaves Kubernetes' JSON, which keeps whole numbers of 64 bits."""
    return _rewritten(value, _LARGEST)


def _rewritten(value: Tree, most: int) -> Tree:
    kind = value.__class__
    if kind is dict:
        return {key: _rewritten(item, most) for key, item in value.items()}
    if kind is list:
        return [_rewritten(item, most) for item in value]
    if kind is int:
        return value if -most <= value <= most else _written(to_float(value))
    return _written(value) if kind is float else value


def _written(value: float) -> Tree:
    """A float as Go prints it and reads it again: the digits that are needed, and zeros."""
    if not value.is_integer() or abs(value) >= 1e21:
        return value
    mantissa, _, power = repr(value).partition("e")
    if not power:
        return int(value)
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction) * 10 ** (int(power) - len(fraction))


def _difference(before: dict[str, Tree], after: dict[str, Tree]) -> dict[str, Tree]:
    """What changes `before` into `after`: a null removes (`jsonpatch.getDiff`)."""
    difference: dict[str, Tree] = {}
    for key, value in after.items():
        known = before.get(key, MISSING)
        if known.__class__ is dict and value.__class__ is dict:
            below = _difference(known, value)
            if below:
                difference[key] = below
        elif known is MISSING or not same(known, value):
            difference[key] = value
    return difference | {key: None for key in before if key not in after}


def same(left: Tree, right: Tree) -> bool:
    """Whether two values are equal as JSON: 1 and 1.0 are, 1 and true are not."""
    if left.__class__ is not right.__class__ and (left.__class__ in (dict, list) or right.__class__ in (dict, list)):
        return False
    if left.__class__ is dict:
        return len(left) == len(right) and all(key in right and same(value, right[key]) for key, value in left.items())
    if left.__class__ is list:
        return len(left) == len(right) and all(same(*pair) for pair in zip(left, right, strict=True))
    return bool(left == right) and (left.__class__ is bool) == (right.__class__ is bool)


def _without_nulls(patch: dict[str, Tree]) -> dict[str, Tree]:
    """`keepOrDeleteNullInObj`: an object in which nothing is left is left out, unless it was empty."""
    kept: dict[str, Tree] = {}
    for key, value in patch.items():
        if value.__class__ is dict and value:
            below = _without_nulls(value)
            if below:
                kept[key] = below
        elif value is not None:
            kept[key] = value
    return kept


def _only_nulls(patch: dict[str, Tree]) -> dict[str, Tree]:
    kept: dict[str, Tree] = {}
    for key, value in patch.items():
        if value is None:
            kept[key] = None
        elif value.__class__ is dict:
            below = _only_nulls(value)
            if below:
                kept[key] = below
    return kept


def _merged(tree: dict[str, Tree], patch: dict[str, Tree]) -> dict[str, Tree]:
    """`mergeDocs`: a null in the patch removes; if there is no value yet, the patch loses its own nulls."""
    result = dict(tree)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif result.get(key).__class__ is dict and value.__class__ is dict:
            result[key] = _merged(result[key], value)
        else:
            result[key] = _pruned(value)
    return result


def _pruned(value: Tree) -> Tree:
    if value.__class__ is dict:
        return {key: _pruned(item) for key, item in value.items() if item is not None}
    return [_pruned(item) for item in value] if value.__class__ is list else value
