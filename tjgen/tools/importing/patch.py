"""Operations on an object -> the patch of an experiment that makes them, and that no edit of a field can run into silently.

The patch has `force: false`: the build rejects an edit that it would undo (TJ749). It is a tree to merge if one can express the
operations, since a tree addresses items of lists by name. Else it is a JSON patch that tests the names of the items it addresses,
and a second patch merges the values to which fields can add.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get, render
from tjgen.trees.manifests.leaves import leaves
from tjgen.trees.workload.keys import LIST_KEYS

_NAMES = ("as-it-was", "as-it-was-merged")
"""The name of the patch, and of another one if only a part of it can be a tree."""
_ITEM_NAMES = {"env": "name", "envFrom": "prefix", "ports": "name", "volumes": "name", "volumeMounts": "mountPath"}
"""Lists whose items move if a field adds another one, and a field that distinguishes the items."""


def with_patch(experiment: Tree, kind: str, operations: Sequence[Tree], built: Tree, *, merging: bool = True) -> Tree:
    """Return the experiment with a patch that makes the operations on `built`, its object of a kind; itself without any.

    The operations have the form of RFC 6902, without `move` and `copy`. Without `merging`, the patch is a JSON patch.
    """
    tree = _merged(operations, built) if merging else None
    rest: Sequence[Tree] = []
    if tree is None:
        merged = [one for one in operations if merging and _takes_more(one, built)]
        tree, rest = _merged(merged, built), [one for one in operations if one not in merged]
    contents: list[Tree] = [{"json": [*_tests(rest, built), *rest]}] if rest else []
    contents += [{"merge": tree}] if tree else []
    patches = {name: {"target": kind, "force": False, **one} for name, one in zip(_NAMES, contents, strict=False)}
    return {**experiment, "spec": {**experiment["spec"], "patches": patches}} if patches else experiment


def _takes_more(operation: Tree, built: Tree) -> bool:
    """Whether an operation adds a value to which a field may add its own: as a part of a JSON patch, it would be replaced."""
    last = operation["path"].rpartition("/")[2]
    is_open = operation.get("value").__class__ is dict or last in LIST_KEYS
    return operation["op"] == "add" and is_open and _merged([operation], built) is not None


def _merged(operations: Sequence[Tree], built: Tree) -> Tree | None:
    """A tree that has the effect of the operations when it is merged; None if there is none."""
    root: Tree = {}
    for operation in operations:
        if not _add(root, operation, built):
            return None
    return root


def _add(root: Tree, operation: Tree, built: Tree) -> bool:
    """Add an operation to a tree; False if it has no such form."""
    value = operation.get("value")
    removes = operation["op"] == "remove"
    *above, last = operation["path"].split("/")[1:]
    place, node, field = built, root, ""
    for step in above:
        if place.__class__ is list:
            item = _item(node, place[int(step)], field)
            if item is None:
                return False
            place, node = place[int(step)], item
        else:
            field = _unescaped(step)
            place = place.get(field)
            node = node.setdefault(field, [] if place.__class__ is list else {})
    if place.__class__ is list:
        item = None if removes or last != "-" or value.__class__ is not dict else _item(node, value, field)
        if item is None or any(get(other, (key,)) == value[key] for key in LIST_KEYS[field] for other in place):
            return False
        item.update(value)
        return True
    key = _unescaped(last)
    names_item = key in LIST_KEYS.get(field, ())
    merges = value.__class__ is dict and place.get(key).__class__ is dict
    merges_items = key in LIST_KEYS and value.__class__ is list and place.get(key).__class__ is list
    if names_item or merges or merges_items:
        return False  # a merge keeps what it should replace
    node[key] = None if removes else value
    return True


def _item(items: list[Tree], named: Tree, field: str) -> Tree | None:
    """The item of a list to merge with the keys of another one, added if it is missing; None if the list has no keys."""
    keys = LIST_KEYS.get(field, ())
    if not keys or named.__class__ is not dict or any(key not in named for key in keys):
        return None
    identity = {key: named[key] for key in keys}
    item = next((one for one in items if all(one[key] == value for key, value in identity.items())), None)
    if item is None:
        item = identity
        items.append(item)
    return item


def _tests(operations: Sequence[Tree], built: Tree) -> list[Tree]:
    """The tests to write before the operations. Each is true of `built`."""
    tests = (test for operation in operations for test in _tests_of(operation, built))
    return list({test["path"]: test for test in tests}.values())


def _tests_of(operation: Tree, built: Tree) -> Iterator[Tree]:
    steps = operation["path"].split("/")[1:]
    path: FieldPath = ()
    for position, step in enumerate(steps):
        path = (*path, int(step) if step.isdigit() else _unescaped(step))
        is_added = operation["op"] == "add" and position == len(steps) - 1
        key = _ITEM_NAMES.get(steps[position - 1]) if step.isdigit() and position and not is_added else None
        if key is not None:
            name = get(built, (*path, key))
            test = {"op": "test", "path": "/" + "/".join((*steps[: position + 1], key))}
            yield test if name is MISSING else {**test, "value": name}


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def set_by(patch: Tree) -> Iterator[str]:
    """What a patch sets. A removal is of a default of the former target, which the job did not set."""
    if "merge" in patch:
        yield from (render(path) for path, value in leaves(patch["merge"]) if value is not None)
    for operation in patch.get("json") or ():
        if operation["op"] not in ("remove", "test"):
            steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
            yield render(tuple(int(step) if step.isdigit() else step for step in steps))
