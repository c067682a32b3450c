"""An object -> the same with every quantity as the types of the API server print it: 1536Mi for 1.5Gi.

A webhook that fills in any field writes the whole object again, and quantities with it, but only on creation.
A later apply must have the same text, since Trainer compares `spec.trainer` as text (kubeflow/trainer v2.3
`TrainJobSpec`, rule "field is immutable"): with 1.5Gi in Git, the second sync of an unchanged run is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import FieldPath, Tree
from tjgen.trees.k8s.quantity import canonical

_HOLDERS = ("resources", "resourcesPerNode")
_LISTS = ("limits", "requests")
_SIZES = ("sizeLimit",)


def with_canonical_quantities(tree: Tree, *, inside: bool = False) -> Tree:
    """`tree` itself if there is nothing to change. What is not a quantity stays for the API server to refuse."""
    if tree.__class__ is list:
        items = [with_canonical_quantities(item) for item in tree]
        return items if any(new is not old for new, old in zip(items, tree, strict=True)) else tree
    if tree.__class__ is not dict:
        return tree
    changed = {}
    for key, value in tree.items():
        kind = value.__class__
        if inside and key in _LISTS and kind is dict:
            new = {name: canonical_amount(amount) for name, amount in value.items()}
            new = value if new == value else new
        elif key in _SIZES:
            new = canonical_amount(value)
        elif kind is dict or kind is list:
            new = with_canonical_quantities(value, inside=key in _HOLDERS)
        else:
            continue
        if new is not value:
            changed[key] = new
    return {**tree, **changed} if changed else tree


def canonical_amount(value: Tree) -> Tree:
    """A quantity as the API server prints it; `value` itself if it is not a quantity."""
    if value.__class__ not in (str, int, float):
        return value
    try:
        text = canonical(value)
    except ValueError:
        return value
    return value if text == value else text


def noncanonical(tree: Tree) -> Iterator[tuple[FieldPath, Tree, str]]:
    """Each quantity that the API server prints otherwise: its path, its value, and the canonical text."""
    yield from _differences(tree, with_canonical_quantities(tree), ())


def _differences(old: Tree, new: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, Tree, str]]:
    if old is new:
        return
    if old.__class__ is dict:
        for key, value in old.items():
            yield from _differences(value, new[key], (*path, key))
    elif old.__class__ is list:
        for position, pair in enumerate(zip(old, new, strict=True)):
            yield from _differences(*pair, (*path, position))
    elif old != new:
        yield path, old, new
