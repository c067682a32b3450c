"""What the server does not keep as it is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tjgen.cluster.synctools.protocol import SyncTool
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.rule import ARGOCD, FLUX, SEEN, WARNING, FieldEdit, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.trees.fields.path import FieldPath, Tree

RULE = Rule(
    code="TJ652",
    name="never-in-sync",
    severity=WARNING,
    evidence=SEEN,
    source=f"{sources.MERGE}/merge/update.go",
    since="0.1.0",
    title="A manifest has a value that the server does not keep: a null in a custom resource, or empty labels or annotations.",
    why="Every server-side apply rejects a null if the schema does not allow it, or if the field is not in the schema, as "
    "`creationTimestamp` in a template. Empty labels and annotations are in Git but not in the cluster. A `status`, "
    "`metadata.creationTimestamp: null` and nulls in built-in kinds do no harm. Quantities such as 1000m do no harm "
    "outside TrainJobs (TJ668). `tjgen check` reports unknown fields.",
    remedy="Remove it.",
    effects={
        ARGOCD: "A null: rejected with `ServerSideApply=true`, a ComparisonError with `ServerSideDiff=true`, no "
        "effect without them. Empty labels: the object stays OutOfSync, though every sync succeeds.",
        FLUX: "A null: the dry run fails, so no object of the Kustomization is applied. Empty labels: no effect.",
    },
    upstream="kubernetes-sigs/structured-merge-diff; Kubernetes: nulls are dropped or defaulted in client-side applies alone.",
)
_EMPTY = (("metadata", "labels"), ("metadata", "annotations"))
_CREATED = ("metadata", "creationTimestamp")


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each of them, in objects that are written by hand: those that are built are written without."""
    for item in scene.items:
        if item.document is None:
            continue
        for path, what in _dropped(item, scene.synctools):
            changes = (FieldEdit(item, path),) if all(step.__class__ is str for step in path[-1:]) else ()
            yield Finding(item, path, what, hint="remove it", key=True, changes=changes)


def _dropped(item: AppliedObject, tools: Collection[SyncTool]) -> Iterator[tuple[FieldPath, str]]:
    for empty in _EMPTY if any(tool.compares_with_git for tool in tools) else ():
        if item.get(*empty) == {}:
            yield empty, "the server does not keep an empty map, so the difference is permanent"
    if _is_custom(item.kind[0]):
        for path in _nulls({key: value for key, value in item.tree.items() if key != "status"}, ()):
            if path != _CREATED:
                yield path, "a null is rejected if the schema does not allow it"


def _is_custom(group: str) -> bool:
    """Whether a kind is none of Kubernetes itself: its groups have no dot, or end in `.k8s.io`."""
    return "." in group and not group.endswith(".k8s.io")


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
