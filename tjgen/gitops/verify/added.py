"""The verified tree -> for each run that the base does not have: whether it starts, and what it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tjgen.compiler.building.plan import Plan
from tjgen.compiler.building.run import Run
from tjgen.compiler.totals.cost import Cost, cost_of
from tjgen.compiler.totals.tally import Totals
from tjgen.gitops.diff.compare import NEW, DiffEntry
from tjgen.gitops.diff.side import tree_of
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.output.leftover import leftover_of
from tjgen.gitops.verify.findings import listed, starting_over
from tjgen.gitops.verify.state import StoredLocks, StoredTree, TreeState
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ACTIVE, ARCHIVED, SUPERSEDED, LockedRun
from tjgen.language.runs.store import LockKey
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.manifests.manifest import RUNS
from tjgen.trees.typing import NamedTuple

STARTS_SUPERSEDED = "new-superseded"
ADDED_SUSPENDED = "new-suspended"
ADDED_ARCHIVED = "new-archived"
STARTING = (NEW, STARTS_SUPERSEDED)
"""The kinds of added runs that have pods after a merge."""

Key = tuple[str, str]
"""Key of an experiment, and the name of a run."""


class AddedRun(NamedTuple):
    """A run that the base does not have."""

    kind: str
    """NEW or one of the kinds above."""
    totals: Totals
    cost: Cost


def compiled(run: Run, plan: Plan) -> AddedRun | None:
    """The same from a run that was built again; None if it is not one that starts as it was built."""
    if run.is_record or run.state != ACTIVE:
        return None
    environment = run.unit.environment
    devices = plan.devices(environment)
    usage = run.compiled.usage(devices.classes if devices.prices is not None else {}, plan.cluster(environment).claims)
    return AddedRun(NEW, usage.totals, cost_of(usage.devices, devices.prices, usage.deadline, usage.totals.claims))


def added_runs(plan: Plan, state: TreeState, entries: Iterable[DiffEntry], known: Mapping[Key, AddedRun]) -> dict[Key, AddedRun]:
    """Each new run of `entries`. Those that are not in `known` are read from the tree: promoted, renewed and superseded ones."""
    new = {(entry.place.key, entry.name) for entry in entries if entry.place.stage == RUNS and entry.kind == NEW}
    added = {key: known[key] for key in new & known.keys()}
    tree = StoredTree.of(state, "", "")
    for place, lock in StoredLocks(plan.project.directory, state.records).all() if new - known.keys() else ():
        for run in lock.runs.values():
            key = (place.key, run.name)
            if key in new and key not in added:
                trees = list(trees_of(tree, place, run))
                if trees:
                    added[key] = _read(plan, place, run, trees)
    return added


def trees_of(tree: StoredTree, place: LockKey, run: LockedRun) -> Iterator[Tree]:
    """The objects of a run, and those that it shares with other runs."""
    bodies = tree.bodies(folder_of(place, run))
    shared = {path: body for path in run.uses if (body := tree.body(path)) is not None} if bodies else {}
    for path, body in {**bodies, **shared}.items():
        manifest = tree_of(body, path)
        if manifest is not None:
            yield manifest


def _read(plan: Plan, place: LockKey, run: LockedRun, trees: list[Tree]) -> AddedRun:
    one = leftover_of(place, run.name, run.state, trees, plan)
    if run.lifecycle_state == ARCHIVED:
        kind = ADDED_ARCHIVED
    elif any(freeze.is_stopped(tree) for tree in trees):
        kind = ADDED_SUSPENDED
    else:
        kind = STARTS_SUPERSEDED if run.state == SUPERSEDED else NEW
    prices = plan.devices(place.environment).prices
    cost = cost_of({} if one.is_idle else one.devices, prices, one.deadline, one.totals.claims)
    return AddedRun(kind, one.totals, cost)


def superseded(added: Mapping[Key, AddedRun], base: str) -> list[Diagnostic]:
    """TJ698 for runs that start next to the runs that replace them."""
    names = sorted(name for (_, name), one in added.items() if one.kind == STARTS_SUPERSEDED)
    if not names:
        return []
    some, they = (f"{len(names)} superseded runs", "them") if len(names) > 1 else ("a superseded run", "it")
    message = f"merging starts {some} ({listed(names)}) next to what replaces {they}"
    # A later run of the experiment has a number that counts this one.
    experiments = sorted({key for (key, _), one in added.items() if one.kind == STARTS_SUPERSEDED})
    hint = f"to start current runs only, {starting_over(base, experiments)}"
    return [Diagnostic("TJ698", message, hint=hint, severity=WARNING)]
