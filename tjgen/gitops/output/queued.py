"""Findings on queues -> those on runs that are in the queue. A locked run keeps the queue of its manifests, which may be none."""

from __future__ import annotations

from collections.abc import Callable

from tjgen.compiler.building.origins import problems_of
from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Built, Run
from tjgen.gitops.output.inventory import RunEntry
from tjgen.gitops.output.options import BuildOptions, of_project
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.trees.fields.path import Tree

_OF_QUEUES = ("TJ385", "TJ393", "TJ394", "TJ581")
"""Codes for a run that its queue never admits."""

TreesOf = Callable[[LockKey, LockedRun], list[Tree]]
"""The objects of a run in the tree."""


def in_directory(built: Built, plan: Plan, directory: str) -> Built:
    """The unit without what queues report of locked runs that are not in the queue; the runs are in `directory`."""

    def trees_of(place: LockKey, locked: LockedRun) -> list[Tree]:
        from tjgen.gitops.output.leftover import objects_of  # few runs exceed their queue

        return objects_of(directory, RunEntry(place, locked), stops=False)

    return in_trees(built, plan, trees_of)


def in_trees(built: Built, plan: Plan, trees_of: TreesOf) -> Built:
    """The same for runs with these objects."""
    if all(one.code not in _OF_QUEUES for one in built.diagnostics):
        return built
    unit = built.unit
    place = LockKey(unit.environment, unit.namespace, unit.name)
    locked = plan.locks.of(place).runs
    elsewhere = [run for run in built.runs if run.name in locked and _is_elsewhere(run, plan, place, locked[run.name], trees_of)]
    idle = {one for run in elsewhere for one in problems_of(run, exists=True) if one.code in _OF_QUEUES}
    return built._replace(diagnostics=[one for one in built.diagnostics if one not in idle]) if idle else built


def _is_elsewhere(run: Run, plan: Plan, place: LockKey, locked: LockedRun, trees_of: TreesOf) -> bool:
    """Whether a run is in no queue or in another one than its sources set, and the build does not change that in place."""
    from tjgen.gitops.output.leftover import leftover_of

    if locked.settings != freeze.settings_digest(run.unit.document.value, of_project(plan, BuildOptions()).tool):
        return False
    trees = trees_of(place, locked)
    queue = run.variant.experiment.spec.schedule.queue
    return bool(trees) and leftover_of(place, run.name, locked.state, trees, plan).queue != (queue or "")
