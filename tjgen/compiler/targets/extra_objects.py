"""Workload -> the supporting objects of a run, each in the stage in which it must be applied."""

from __future__ import annotations

from tjgen.trees.fields.managed import Managed, Owners
from tjgen.trees.fields.path import MISSING, FieldPath, Tree, get
from tjgen.trees.manifests.manifest import DATA, RUNS, RUNTIMES, Manifest
from tjgen.trees.workload.workload import Workload

STAGE_OF = {
    "PersistentVolumeClaim": DATA,
    "Dataset": DATA,
    # Named by its content and shared, as a runtime is.
    "ResourceClaimTemplate": RUNTIMES,
}
"""Kind of an object that a run needs -> its stage; other kinds belong to the run."""


def extra_objects(workload: Workload) -> list[Manifest]:
    """The objects of the run, then the objects that must exist before it."""
    objects = [
        Manifest(tree, owners_below(workload.tree, ("objects", key)), _stage(key))
        for key, tree in (workload.tree.value.get("objects") or {}).items()
    ]
    for key, tree in (workload.tree.value.get("ahead") or {}).items():
        objects.append(Manifest(tree, owners_below(workload.tree, ("ahead", key)), DATA))
    return objects


def owners_below(managed: Managed, path: FieldPath) -> Owners:
    """The owners of the value at `path`, as of a tree of its own."""
    depth = len(path)
    owners: Owners = {(): managed.origins(path)}
    for known in managed.recorded_below(path):
        owners[known[depth:]] = managed.owners[known]
    return owners


def _stage(key: str) -> str:
    """The stage of an object by its `Kind/name`; a data set's cache engine, of any kind, is part of the data."""
    kind = key.partition("/")[0]
    return STAGE_OF.get(kind) or (DATA if kind.endswith("Runtime") else RUNS)


def taken(managed: Managed, path: FieldPath) -> tuple[Tree, Owners]:
    """Return the value at `path` and the owners of its parts, except removed parts."""
    value = get(managed.value, path)
    return value, {below: origins for below, origins in owners_below(managed, path).items() if get(value, below) is not MISSING}
