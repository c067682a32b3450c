"""A tool, and an object of a run -> what keeps a sync from deleting the object when it leaves Git, and what the sync then does.

A run that stays in the cluster needs its runtime: Trainer's webhook refuses every change of a TrainJob whose runtime was
deleted (Trainer 2.3, pkg/runtime/core `ValidateObjects`). So a runtime has a guard as long as a run that needs it has one
with which it stays. A run that waits for a confirmation holds up the whole sync, and its runtime needs none.
"""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.cluster.synctools.protocol import Annotations, SyncTool
from tjgen.cluster.synctools.table import BY_NAME, LEFT_ALONE
from tjgen.trees.fields.path import Tree, get, mapping_at
from tjgen.trees.manifests.manifest import RUNS, RUNTIMES

DELETED, WAITS, STAYS = "deleted", "waits", "stays"
"""The outcomes for an object in the cluster that left Git, the least protected first."""
OUTCOMES = (DELETED, WAITS, STAYS)
_PATH = ("metadata", "annotations")


def after_removal(tree: Tree, tools: tuple[SyncTool, ...]) -> str:
    """What a sync of one of `tools` that prunes does with the object of a manifest that left Git.

    What counts are the annotations in the cluster. No sync applies the marks of a record, so they are not among these.
    """
    annotations = mapping_at(tree, _PATH) if tree is not None else {}
    applied = {key: str(value) for key, value in annotations.items() if LEFT_ALONE.get(key) != value}
    for outcome, marks in ((STAYS, [tool.staying for tool in tools]), (WAITS, [tool.waiting for tool in tools])):
        if any(option in applied.get(key, "").split(",") for of_tool in marks for key, option in of_tool):
            return outcome
    return DELETED


def guard(tool: SyncTool, stage: str, *, confirms: bool) -> Annotations:
    """The guard of the objects of a stage; `confirms`: whether the project has `removal: confirm`."""
    if not confirms or (stage == RUNTIMES and not protects_runtimes(tool)):
        return {}
    return tool.guards.get(stage, {})


def protects_runtimes(tool: SyncTool) -> bool:
    """Whether runs with the guard of the tool stay in the cluster, without their runtimes."""
    return after_removal({"metadata": {"annotations": tool.guards.get(RUNS, {})}}, (tool,)) == STAYS


def guarded(tree: Tree, tool: SyncTool, stage: str) -> Tree:
    """The manifest with the guard of the tool. A value that a user chose stays."""
    return _changed(tree, tool.guards.get(stage, {}), stage)


def unguarded(tree: Tree, tool: SyncTool, stage: str) -> Tree:
    """The manifest without the guard of the tool. A value that a user chose stays."""
    bare = tool.stages.get(stage, {})
    annotations = mapping_at(tree, _PATH)
    own = {key for key, value in tool.guards.get(stage, {}).items() if annotations.get(key) == value}
    if not own:
        return tree
    rest = {key: bare.get(key) if key in own else value for key, value in annotations.items()}
    return annotated(tree, {key: value for key, value in rest.items() if value is not None})


def with_guard_of(tree: Tree, other: Tree) -> Tree:
    """The manifest of a run with the guard that `other` has, for each tool."""
    annotations, given = mapping_at(tree, _PATH), mapping_at(other, _PATH)
    if all(annotations.get(key) == given.get(key) for key in _OF_RUNS):
        return tree
    kept = {key: given.get(key) if key in _OF_RUNS else value for key, value in annotations.items()}
    kept |= {key: given[key] for key in given if key in _OF_RUNS}
    return annotated(tree, {key: value for key, value in kept.items() if value is not None})


def protected(tree: Tree, protection: Annotations) -> Tree:
    """The manifest of an object that outlives runs, with the protection that it lacks."""
    return _changed(tree, protection, RUNS)


_OF_RUNS = frozenset(key for tool in BY_NAME.values() for key in tool.guards.get(RUNS, {}))
"""The annotations in which tools have guards of runs."""
_UNPROTECTED: Mapping[str, Annotations] = {
    stage: {key: value for tool in BY_NAME.values() for key, value in tool.stages.get(stage, {}).items()}
    for stage in (RUNS, RUNTIMES)
}
"""Stage -> what a tool's objects have without its protection."""


def _changed(tree: Tree, wanted: Annotations, stage: str) -> Tree:
    annotations = get(tree, _PATH, None) or {}
    bare = _UNPROTECTED.get(stage, {})
    chosen = {key: value for key, value in annotations.items() if value != bare.get(key)}
    return tree if all(key in chosen for key in wanted) else annotated(tree, {**annotations, **wanted, **chosen})


def annotated(tree: Tree, annotations: Tree) -> Tree:
    """The manifest with these annotations instead of its own."""
    metadata = {key: value for key, value in tree["metadata"].items() if key != "annotations" or annotations}
    return {**tree, "metadata": {**metadata, "annotations": annotations} if annotations else metadata}
