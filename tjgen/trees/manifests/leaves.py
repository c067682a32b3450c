"""A tree -> its leaves, each with a path that survives reordering."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.trees.fields.path import FieldPath, Selector, Step, Tree, get

KEYS = ("name", "mountPath", "containerPort", "manager", "key", "ip")
"""Fields that identify the elements of a list, in order of preference."""


FIRST = {"volumeMounts": "mountPath", "ports": "containerPort", "workerGroupSpecs": "groupName"}
"""Lists whose own key goes before those."""


def leaves(tree: Tree, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Tree]]:
    """Every scalar, empty map and empty list of `tree`, in its order."""
    if tree.__class__ is dict and tree:
        for key, value in tree.items():
            yield from leaves(value, (*path, key))
    elif tree.__class__ is list and tree:
        selectors = selectors_of(tree, path[-1] if path else "")
        for position, item in enumerate(tree):
            yield from leaves(item, (*path, selectors[position] if selectors else position))
    else:
        yield path, tree


def lasting(tree: Tree, path: FieldPath) -> FieldPath:
    """Return `path` with selectors for the indexes of lists whose elements have keys, as `leaves` writes it."""
    steps: list[Step] = []
    for step in path:
        if step.__class__ is int and tree.__class__ is list and step < len(tree):
            selectors = selectors_of(tree, steps[-1] if steps else "")
            steps.append(selectors[step] if selectors else step)
        else:
            steps.append(step)
        tree = get(tree, (step,), None)
    return tuple(steps)


def selectors_of(items: list[Tree], field: Step = "") -> list[Selector] | None:
    """A selector for each element of the list `field` by the first field that all have and that is unique, else None."""
    first = FIRST.get(field) if isinstance(field, str) else None
    for key in (first, *KEYS) if first else KEYS:
        try:
            values = [item[key] for item in items]
        except (KeyError, TypeError):
            continue
        if all(value.__class__ in (str, int) for value in values) and len(set(values)) == len(values):
            return [((key, value),) for value in values]
    return None
