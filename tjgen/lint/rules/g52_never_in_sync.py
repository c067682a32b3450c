"""G52: what the server does not keep as it is written."""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.fields.path import FieldPath, Tree
from tjgen.lint.rule import DEDUCED, WARNING, Change, Finding, Rule
from tjgen.lint.scene import Item, Scene

RULE = Rule(
    code="TJ652",
    name="never-in-sync",
    severity=WARNING,
    evidence=DEDUCED,
    title="A manifest says something that the server drops: a null, a status, a creationTimestamp.",
    why="What is in Git and never in the cluster is a difference for ever. Unknown fields are reported by `tjgen check`; "
    "quantities such as 1000m do no harm.",
    remedy="Remove it.",
    argocd="OutOfSync for ever, though every sync succeeds.",
    flux="A needless patch at every interval, or an error where the field does not exist.",
    upstream="Kubernetes: nulls are dropped or defaulted, `status` is written by controllers alone.",
)
_EMPTY = (("metadata", "labels"), ("metadata", "annotations"))


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each of them, in objects that are written by hand: those that are built are written without."""
    for item in scene.items:
        if item.document is None:
            continue
        for path, what in _dropped(item):
            changes = (Change(item, path),) if all(step.__class__ is str for step in path[-1:]) else ()
            yield Finding(item, path, f"{what}, so it differs for ever", hint="remove it", key=True, changes=changes)


def _dropped(item: Item) -> Iterator[tuple[FieldPath, str]]:
    if item.tree.get("status") and item.kind[0] != "argoproj.io":
        yield ("status",), "the server takes no status from whoever applies"
    for empty in _EMPTY:
        if item.get(*empty) == {}:
            yield empty, "an empty map is not kept"
    for path in _nulls({key: value for key, value in item.tree.items() if key != "status"}, ()):
        what = "the server sets creationTimestamp itself" if path[-1] == "creationTimestamp" else "null is not kept"
        yield path, what
    if item.get("metadata", "creationTimestamp") is not None:
        yield ("metadata", "creationTimestamp"), "the server sets creationTimestamp itself"


def _nulls(tree: Tree, path: FieldPath) -> Iterator[FieldPath]:
    if tree is None and path:
        yield path
    elif tree.__class__ is dict:
        for key, value in tree.items():
            if value is None or value.__class__ in (dict, list):
                yield from _nulls(value, (*path, key))
    elif tree.__class__ is list:
        for position, value in enumerate(tree):
            if value.__class__ in (dict, list):
                yield from _nulls(value, (*path, position))
