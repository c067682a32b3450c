"""A tree -> the same tree with the keys of its maps in one order, however they were written.

YAML maps have no order, so none may show: neither in the bytes that are written nor in what depends
on them, such as the order of variables, volumes and runs, labels of points and names by content.
"""

from __future__ import annotations

from tjgen.trees.fields.path import Tree

_FIRST = (
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "namespace",
    "labels",
    "annotations",
    "key",
    "image",
    "command",
    "args",
    "env",
)
_RANK = {key: f"\0{position:02}" for position, key in enumerate(_FIRST)}


def ordered(tree: Tree) -> Tree:
    """`tree` with the keys that name a thing first and the others in alphabetical order; lists stay as they are.

    Parts that are in order already are shared with `tree`.
    """
    if tree.__class__ is dict:
        keys = sorted(tree, key=_rank)
        changed = keys != list(tree)
        result = {}
        for key in keys:
            old = tree[key]
            new = result[key] = ordered(old) if old.__class__ is dict or old.__class__ is list else old
            changed = changed or new is not old
        return result if changed else tree
    if tree.__class__ is list:
        items = [ordered(item) for item in tree]
        return items if any(new is not old for new, old in zip(items, tree, strict=True)) else tree
    return tree


def with_entries(tree: dict[str, Tree], entries: dict[str, Tree]) -> Tree:
    """`tree`, which is in order, with these entries at their places; nothing in them is moved."""
    both = {**tree, **entries}
    return {key: both[key] for key in sorted(both, key=_rank)}


def _rank(key: str) -> str:
    return _RANK.get(key, key)
