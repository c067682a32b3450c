"""A comparison -> diagnostics about removed runs; those without a tombstone are errors."""

from __future__ import annotations

from collections.abc import Sequence

from tjgen.cluster.synctools.guards import DELETED, STAYS, WAITS, after_removal
from tjgen.cluster.synctools.table import TOOLS
from tjgen.gitops.diff.compare import REMOVED, DiffEntry
from tjgen.gitops.diff.side import Side, runtime_of, tree_of
from tjgen.language.runs.lock import RENAMED, REPLACED
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.manifests.manifest import RUNS

_MOST = 5
_EFFECTS = {
    DELETED: (
        "a sync that prunes deletes {they}, even during training",
        "merge if the runs have ended, or if you want to stop them",
    ),
    WAITS: (
        "the sync waits until you confirm the deletion of {they}, and applies nothing else before that",
        "merge if you can confirm it then, with argocd app confirm-deletion APPLICATION",
    ),
    STAYS: (
        "no sync deletes {they}, so pods that run keep their devices",
        "after the merge, use kubectl delete KIND NAME -n NAMESPACE for runs that have not ended",
    ),
}


_FROZEN = (
    "no sync deletes {they}, but the sync deletes {runtimes}, and then Trainer refuses every change of {they}",
    "delete the runs in the cluster before the merge; to keep them, restore the files from Git, and build, commit and sync first",
)


def removals(entries: Sequence[DiffEntry], old: Side, new: Side) -> list[Diagnostic]:
    """TJ745 for runs that are removed without a tombstone in the lock, TJ746 for those that have one."""
    lost, pruned = [], []
    # A run that a rename replaced has its tombstone in the lock of the old name.
    replaced = {run.folder for lock in new.locks.values() for run in lock.pruned.values() if run.was == REPLACED}
    for entry in entries:
        if entry.kind == REMOVED and entry.place.stage == RUNS:
            lock = new.locks.get(entry.place.key)
            tombstone = lock.pruned.get(entry.name) if lock is not None else None
            if _folder(entry) in replaced:
                pruned.append(entry)
            elif tombstone is None:
                lost.append(entry)
            elif tombstone.was != RENAMED:
                pruned.append(entry)
    diagnostics = []
    if lost:
        message = f"{_names(lost)} removed, but {'their' if len(lost) > 1 else 'its'} removal is not recorded in the lock"
        hint = "restore the files and the lock from Git; to remove runs on purpose, use tjgen runs prune"
        diagnostics.append(Diagnostic("TJ745", message, hint=hint))
    for outcome, words in _EFFECTS.items():
        some = [entry for entry in pruned if entry.in_cluster == outcome]
        runtimes = _lost_runtimes(some, old, new) if outcome == STAYS else []
        effect, hint = _FROZEN if runtimes else words
        if some:
            effect = effect.format(they="them" if len(some) > 1 else "it", runtimes=f"runtime {', '.join(runtimes)}")
            diagnostics.append(Diagnostic("TJ746", f"{_names(some)} removed: {effect}", hint=hint))
    return diagnostics


def _lost_runtimes(entries: Sequence[DiffEntry], old: Side, new: Side) -> list[str]:
    """The names of the runtimes of runs that a sync deletes."""
    trees = [(entry.place, tree_of(old.bodies[one.path], one.path)) for entry in entries for one in entry.objects]
    paths = dict.fromkeys([path for place, tree in trees if (path := runtime_of(place, tree)) is not None])
    gone = [path for path in paths if path in old.bodies and path not in new.bodies]
    lost = [path for path in gone if after_removal(tree_of(old.bodies[path], path), TOOLS) != STAYS]
    return [path.rpartition("/")[2].removesuffix(".yaml") for path in lost]


def _folder(entry: DiffEntry) -> str:
    """The folder of a run in the output tree."""
    place = entry.place
    return "/".join(part for part in (place.environment, RUNS, place.namespace, place.experiment, entry.name) if part)


def _names(entries: Sequence[DiffEntry]) -> str:
    names = ", ".join(f"{entry.place.key}/{entry.name}" for entry in entries[:_MOST])
    more = f" and {len(entries) - _MOST} more" if len(entries) > _MOST else ""
    return f"{len(entries)} runs ({names}{more}) are" if len(entries) > 1 else f"run {names} is"
