"""A build and its output tree -> the runs of the tree that have other pods than the build, and those that no source requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tjgen.compiler.building.fit import TreeRun
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, Run
from tjgen.gitops.output.inventory import RunEntry
from tjgen.gitops.output.leftover import objects_of, previews_of, queue_of
from tjgen.gitops.output.options import BuildOptions, of_project
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ACTIVE, SUPERSEDED, Lock, LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.k8s.labels import KUEUE_PRIORITY, KUEUE_QUEUE
from tjgen.trees.manifests.manifest import PREVIEW, RUNS, Manifest

_LABELS: FieldPath = ("metadata", "labels")
_KUEUE = (KUEUE_QUEUE, KUEUE_PRIORITY)


def tree_runs(plan: Plan, directory: str, results: Mapping[str, Built]) -> Iterator[TreeRun]:
    """The runs in `directory` that hold devices and are not as `results` have them.

    `results`: key of each experiment -> its result. A build of some paths looks only at their experiments. Raises CompileError
    if a lock or a file cannot be read.
    """
    for place, lock in plan.locks.all([name for name in plan.environments if name is not None]):
        if place.environment in plan.environments and (plan.whole or place.key in results):
            yield from _of_lock(plan, directory, place, lock, results.get(place.key))


def _of_lock(plan: Plan, directory: str, place: LockKey, lock: Lock, built: Built | None) -> Iterator[TreeRun]:
    runs = {run.name: run for run in built.runs} if built is not None else {}
    for locked in lock.runs.values():
        run = runs.get(locked.name)
        if not locked.requests_devices and (run is None or run.state != ACTIVE or run.is_record):
            continue
        trees = objects_of(directory, RunEntry(place, locked), stops=False)
        if run is not None:
            tool = of_project(plan, BuildOptions()).tool
            is_queued_again = locked.settings != freeze.settings_digest(run.unit.document.value, tool)
            trees = _frozen(trees, run, is_queued_again=is_queued_again)
        elif any(freeze.is_stopped(tree) for tree in trees) or _stops(locked, built):
            continue
        if trees:
            yield _tree_run(plan, place, locked.name, trees, "" if run is not None else _state(locked, built))


def _state(locked: LockedRun, built: Built | None) -> str:
    """The state that a build of the sources leaves a run in that it does not make."""
    if not locked.is_requested or built is None:
        return locked.state
    return locked.state if built.failed or locked.name in built.kept_names else SUPERSEDED


def _stops(locked: LockedRun, built: Built | None) -> bool:
    return built is not None and built.stops and locked.is_requested and _state(locked, built) == SUPERSEDED


def _frozen(trees: list[Tree], run: Run, *, is_queued_again: bool) -> list[Tree]:
    """The objects of a locked run as the next build leaves them; none if they have the pods that the build makes.

    `is_queued_again`: whether the build changes settings of its experiment in place, such as the queue.
    """
    old = {_reference(tree): tree for tree in trees}
    new = {_reference(manifest.tree): manifest.tree for manifest in run.compiled.manifests}
    if run.fixed and freeze.scales_in_place(old, {key: tree for key, tree in new.items() if key in old}):
        return []
    left = {key: freeze.carry(tree, new[key]) if key in new else tree for key, tree in old.items()}
    if not is_queued_again:
        left = {key: _queued_as(old[key], tree) for key, tree in left.items()}
    same = all(key in new and _content(tree) == _content(new[key]) for key, tree in left.items())
    return [] if same else list(left.values())


def _queued_as(old: Tree, tree: Tree) -> Tree:
    """`tree` with the queue and the priority of Kueue that `old` has."""
    labels = {key: value for key, value in (get(tree, _LABELS, None) or {}).items() if key not in _KUEUE}
    return {**tree, "metadata": {**tree["metadata"], "labels": {**labels, **_of_kueue(old)}}}


def _of_kueue(tree: Tree) -> Tree:
    return {name: value for name, value in (get(tree, _LABELS, None) or {}).items() if name in _KUEUE}


def _reference(tree: Tree) -> str:
    return f"{tree.get('kind')}/{get(tree, ('metadata', 'name'), '')}"


def _content(tree: Tree) -> Tree:
    """What decides when and where the pods start: of the metadata only the queue and the priority of Kueue."""
    return {**tree, "metadata": _of_kueue(tree)}


def _tree_run(plan: Plan, place: LockKey, name: str, trees: list[Tree], state: str) -> TreeRun:
    release = plan.release_of(place.environment)
    created = [Manifest(one, {}, PREVIEW) for tree in trees for one in previews_of(tree, trees, plan.catalog, release)]
    manifests = [Manifest(tree, {}, RUNS) for tree in trees]
    return TreeRun(place.environment, place.namespace, name, queue_of([*manifests, *created]), manifests, created, state)
