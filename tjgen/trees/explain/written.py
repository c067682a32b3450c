"""A field path as people write it, such as `spec.containers[0].image` or `.labels.app`, and a tree -> the paths that it means.

The paths of leaves identify elements of lists by their keys. Here, a position, a name or nothing can identify an element too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.trees import regex
from tjgen.trees.fields.path import FieldPath, Step, Tree, render
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.leaves import KEYS, selectors_of

_ANY = "*"
_TOKEN = r"""(?x)\.?(?:
        (?P<key>(?:[A-Za-z0-9_$/*-]|\\.)+)
        | \["(?P<quoted>[^"]*)"\]
        | \['(?P<single>[^']*)'\]
        | \[(?P<index>\d+)\]
        | \[(?P<every>\*?)\]
        | \[\?\(@\.(?P<filter>[A-Za-z]+\s*==?\s*["'][^"']*["'])\)\]
        | \[(?P<selector>[^\]=]+=[^\]]*)\]
        | \[(?P<name>[A-Za-z0-9_/-]+)\]
    )"""


def steps_of(text: str) -> FieldPath:
    """The steps of a written path; raises ValueError with the position of what cannot be read."""
    steps: list[Step] = []
    position = 0
    token = regex.compile(_TOKEN)
    while position < len(text):
        match = token.match(text, position)
        if match is None:
            raise ValueError(f"not a field path at character {position + 1}: {text!r}")
        position = match.end()
        value = match.group(match.lastgroup or 0)
        if match.lastgroup == "index":
            steps.append(int(value))
        elif match.lastgroup == "every":
            steps.append(_ANY)
        elif match.lastgroup in ("selector", "filter"):
            parts = [part.partition("=") for part in value.split(",")]
            steps.append(tuple([(key.strip(), one.lstrip("=").strip().strip("\"'")) for key, _, one in parts]))
        else:
            steps.append(value.replace("\\", "") if match.lastgroup == "key" else value)
    return tuple(steps)


def meant(tree: Tree, steps: FieldPath) -> list[FieldPath]:
    """The paths of `tree` that the steps mean, from its root."""
    return list(dict.fromkeys(path for path, _ in _at(tree, steps, ())))


def meant_inside(tree: Tree, steps: FieldPath) -> list[FieldPath]:
    """The paths of `tree` that end in the steps, such as those in the pod template of a job; at least two steps."""
    if len(steps) < 2:
        return []
    return list(dict.fromkeys(path for above, inner in _nodes(tree, ()) for path, _ in _at(inner, steps, above)))


def nearest_path(trees: Sequence[Tree], steps: FieldPath) -> str | None:
    """The path of one of the trees that corrects the first step that none has; None if no step is near to it."""
    for length in range(len(steps), 0, -1):
        before, wrong, after = steps[: length - 1], steps[length - 1], steps[length:]
        above = [(tree, path, value) for tree in trees for path, value in _at(tree, before, ())]
        if above:
            known = {key: (tree, path) for tree, path, value in above for key in _keys(value)}
            near = nearest(wrong, known) if isinstance(wrong, str) else None
            if near is None:
                return None
            tree = known[near][0]
            return render((meant(tree, (*before, near, *after)) or meant(tree, (*before, near)))[0])
    return None


def _keys(value: Tree) -> list[str]:
    """The keys of a mapping, or of the mappings of a list."""
    values = value if value.__class__ is list else [value]
    return [key for one in values if one.__class__ is dict for key in one]


def _at(tree: Tree, steps: FieldPath, path: FieldPath) -> Iterator[tuple[FieldPath, Tree]]:
    if not steps:
        yield path, tree
    elif tree.__class__ is dict:
        for key, rest in _entries(tree, steps):
            yield from _at(tree[key], rest, (*path, key))
    elif tree.__class__ is list:
        children = _children(tree, path)
        chosen = [child for position, child in enumerate(children) if _means(steps[0], position, child[1])]
        if chosen or not isinstance(steps[0], str):
            steps = steps[1:]
        else:
            chosen = children  # a path without an index means all elements
        for step, item in chosen:
            yield from _at(item, steps, (*path, step))


def _entries(tree: Tree, steps: FieldPath) -> Iterator[tuple[str, FieldPath]]:
    """The keys that the first steps spell, and the steps after each. A key with dots, such as that of a label, takes several."""
    if steps[0] == _ANY:
        yield from ((key, steps[1:]) for key in tree)
    for length in range(1, len(steps) + 1):
        if not isinstance(steps[length - 1], str):
            return
        key = ".".join(str(one) for one in steps[:length])
        if key in tree:
            yield key, steps[length:]


def _means(step: Step, position: int, item: Tree) -> bool:
    """Whether a step means an element: by its position, its fields, or the value of one that identifies it."""
    if step in (_ANY, position, str(position)):
        return True
    if item.__class__ is not dict:
        return False
    if isinstance(step, tuple):
        return all(str(item.get(key)) == str(value) for key, value in step)
    return any(str(item[key]) == step for key in KEYS if key in item)


def _children(tree: Tree, path: FieldPath) -> list[tuple[Step, Tree]]:
    if tree.__class__ is dict:
        return [*tree.items()]
    selectors = selectors_of(tree, path[-1] if path else "")
    return [(selectors[position] if selectors else position, item) for position, item in enumerate(tree)]


def _nodes(tree: Tree, path: FieldPath) -> Iterator[tuple[FieldPath, Tree]]:
    if tree.__class__ in (dict, list):
        yield path, tree
        for step, value in _children(tree, path):
            yield from _nodes(value, (*path, step))
