"""Value of a patch -> what it leaves in a tree that has nothing there yet."""

from __future__ import annotations

from tjgen.trees.fields.path import FieldPath, Tree


def grow(rest: FieldPath, value: Tree, seed: dict[str, Tree]) -> Tree:
    """`value` inside the containers that the path `rest` names; the outermost container also has the entries of `seed`."""
    if not rest:
        bare = without_nulls(value)
        return {**seed, **bare} if seed and not seed.keys() <= bare.keys() else bare
    step = rest[0]
    if step.__class__ is tuple:
        return [grow(rest[1:], value, dict(step))]
    return {**seed, step: grow(rest[1:], value, {})}


def without_nulls(value: Tree) -> Tree:
    """`value` without map entries that are None: in a patch they mean removal.

    Returns `value` itself if it has no such entries.
    """
    if value.__class__ is dict:
        changed = False
        kept = {}
        for key, item in value.items():
            new = without_nulls(item) if item.__class__ is dict or item.__class__ is list else item
            if new is not None:
                kept[key] = new
            changed = changed or new is None or new is not item
        return kept if changed else value
    if value.__class__ is list:
        items = [without_nulls(item) if item.__class__ is dict or item.__class__ is list else item for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value
