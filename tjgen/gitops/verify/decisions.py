"""The locks of two states -> the commands that a person ran in between, and the state after these commands.

A build follows from the sources. What people decide is recorded in the locks alone: they renamed, archived, pruned, kept,
promoted or renewed a run, or gave the runs of a project without environments to an environment. Each decision is performed
again here, by the code of its command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping

from tjgen.gitops.emit import header
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.adoption import adopt, adopting_environment, requested
from tjgen.gitops.output.decide import PRUNE_RUNS
from tjgen.gitops.output.history import PRUNE, RunHistory
from tjgen.gitops.output.inventory import RunEntry, entries
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.output.rename import Rename, identities, rename
from tjgen.gitops.verify.state import StateReplica, StoredLocks, StoredTree, TreeState
from tjgen.language.runs.lock import ACTIVE, ARCHIVED, RENAMED, REPLACED, SUPERSEDED, Lock, LockedRun, path_of
from tjgen.language.runs.store import LockKey
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.manifests.manifest import STAGES
from tjgen.trees.typing import NamedTuple

_HISTORY = re.compile(r"history\.keep: [0-9]+\Z")

_MOVED = (RENAMED, REPLACED)
"""What a tombstone records of a run that another experiment has now."""

Key = tuple[str, str]
"""Key of an experiment, and the name of a run."""


class Decisions(NamedTuple):
    """What people decided about runs, as the locks record it."""

    renames: tuple[Rename, ...] = ()
    adopting: str | None = None
    """The environment that got the runs of the project without environments."""
    renewed: tuple[str, ...] = ()
    """Names of the runs that run again under another name."""
    archived: frozenset[Key] = frozenset()
    unarchived: frozenset[Key] = frozenset()
    kept: frozenset[Key] = frozenset()
    pruned: Mapping[Key, str] = {}
    """Run -> the reason in its tombstone."""
    promoted: Mapping[Key, str] = {}
    """New run -> key of the experiment and name of the run that it is promoted from."""
    promoted_again: Mapping[Key, str] = {}
    """The same of a superseded run that is requested again. Only a promotion does that in an environment of promoted runs."""

    @property
    def keys(self) -> set[str]:
        """Return the experiments with a decision that follows the build."""
        return {
            key for key, _ in (*self.archived, *self.unarchived, *self.kept, *self.pruned, *self.promoted, *self.promoted_again)
        }


def decisions(old: StoredLocks, new: StoredLocks) -> Decisions:
    """The decisions between two states. Raises CompileError if a lock cannot be read."""
    before = {place.key: (place, lock) for place, lock in old.all()}
    after = {place.key: (place, lock) for place, lock in new.all()}
    renames = tuple(_renames(before, after))
    locks_before, locks_after = ({key: lock for key, (_, lock) in side.items()} for side in (before, after))
    adopting = adopting_environment(locks_before, locks_after)
    if adopting is not None:
        before = {_adopted(place, adopting).key: (place, lock) for place, lock in before.values()}
    moved = {one.old.key: one.new.key for one in renames}
    archived: set[Key] = set()
    unarchived: set[Key] = set()
    kept: set[Key] = set()
    pruned: dict[Key, str] = {}
    for key, (_, lock) in before.items():
        where = moved.get(key, key)
        now = after[where][1] if where in after else Lock(where, {})
        for name, run in lock.runs.items():
            at = (where, name)
            locked, tombstone = now.runs.get(name), now.pruned.get(name)
            if locked is not None:
                archived |= {at} if locked.archived and not run.archived and run.lifecycle_state != ARCHIVED else set()
                unarchived |= {at} if run.archived and not locked.archived else set()
                kept |= {at} if locked.kept and not run.kept else set()
            elif tombstone is not None and tombstone.was not in _MOVED:
                pruned[at] = tombstone.reason
                archived |= {at} if tombstone.was == ARCHIVED and run.lifecycle_state != ARCHIVED else set()
    renewed: list[str] = []
    promoted: dict[Key, str] = {}
    promoted_again: dict[Key, str] = {}
    for key, (_, lock) in after.items():
        source = before.get(key)
        for name, run in lock.runs.items():
            if source is not None and name in source[1].runs:
                is_again = run.promoted_from and run.is_requested and source[1].runs[name].state == SUPERSEDED
                # A revert of a promotion removes the later run without a tombstone, and promotes nothing.
                is_reverted = any(other not in lock.runs and other not in lock.pruned for other in source[1].runs)
                promoted_again |= {(key, name): run.promoted_from} if is_again and not is_reverted else {}
                continue
            promoted |= {(key, name): run.promoted_from} if run.promoted_from and not run.folder else {}
            earlier = _renewed(run, source[1]) if source is not None and run.renewal else None
            renewed += [earlier] if earlier is not None and earlier in lock.runs else []
    return Decisions(
        renames,
        adopting,
        tuple(renewed),
        frozenset(archived),
        frozenset(unarchived),
        frozenset(kept),
        pruned,
        promoted,
        promoted_again,
    )


def with_adoption(state: TreeState, environment: str | None, project: str) -> TreeState:
    """The state after `environment` got the runs of the project without environments. Raises CompileError (TJ279, TJ695)."""
    if environment is None:
        return state
    tree = StateReplica(state)
    files = StoredTree.of(state, "", "").files_below(STAGES)
    adopt(StoredLocks(project, state.records), files, tree, environment, requested(project, environment))
    return tree.after()


def with_resumed(state: TreeState, new: StoredLocks, project: str) -> TreeState:
    """The state whose locks record of each run whether it was suspended and resumed, as in the locks `new`.

    One commit may have both, as after a squash.
    """
    locks, tree = StoredLocks(project, state.records), StateReplica(state)
    after = {place.key: lock for place, lock in new.all()}
    for place, lock in locks.all():
        now = after[place.key].runs if place.key in after else {}
        changed = [
            run._replace(resumed=now[name].resumed)
            for name, run in lock.runs.items()
            if name in now and now[name].resumed != run.resumed and now[name].state == run.state == ACTIVE
        ]
        for file, text in locks.changes(path_of(*place), lock.with_runs(changed)) if changed else ():
            tree.record(file, text)
    return tree.after()


def _adopted(place: LockKey, environment: str) -> LockKey:
    return place._replace(environment=environment) if place.environment is None else place


def with_renames(state: TreeState, chosen: Decisions, project: str) -> TreeState:
    """The state after the renames. Raises CompileError if one is impossible (TJ278, TJ279)."""
    for one in chosen.renames:
        known: Mapping[str, str] = {}
        if one.old.environment != one.new.environment and one.new.environment is not None:
            known = identities(project, one.old.environment or "", one.new.environment)
        tree = StateReplica(state)
        renamed = rename(StoredLocks(project, state.records), [one], known)
        for path, text in renamed.records:
            tree.record(path, text)
        for folder in renamed.removed:
            tree.claim(folder)
        state = tree.after()
    return state


def carried_out(
    state: TreeState, chosen: Decisions, directory: str, project: str, environments: Collection[str | None]
) -> tuple[TreeState, list[Diagnostic]]:
    """Return the state after the decisions that follow a build, and their diagnostics (TJ081 to TJ086, TJ277).

    `environments`: those of the project. Runs of other environments are orphaned.
    """
    problems: list[Diagnostic] = []
    if PRUNE_RUNS in chosen.pruned.values():
        state = _orphaned(state, chosen, project, environments)
    for verb, runs, reason in _steps(chosen):
        locks = StoredLocks(project, state.records)
        tree, stored = StateReplica(state), StoredTree.of(state, directory, locks.folder)
        history = RunHistory(directory, tree, locks, lambda entry, stored=stored: files_of(stored, entry))  # type: ignore[misc]
        known = [entry for entry in entries(locks, project=environments) if (entry.place.key, entry.run.name) in runs]
        try:
            if verb == "archive":
                history.archive(known)
            elif verb == "unarchive":
                history.unarchive(known)
            elif verb == "keep":
                history.keep(known)
            else:
                unused = history.unused_runtimes(known)
                history.prune(known, reason)
                _remove(unused, tree, stored)  # no build looks at the folders of a removed environment
        except CompileError as error:
            problems += error.diagnostics
            continue
        state = tree.after()
    return state, problems


def _remove(files: Collection[str], tree: StateReplica, stored: StoredTree) -> None:
    """Remove `files`, and no other files of their folders."""
    for folder in {path.rpartition("/")[0] for path in files}:
        tree.claim(folder)
        for name in stored.below.get(folder, ()):
            if f"{folder}/{name}" not in files:
                tree.keep(f"{folder}/{name}")


def files_of(stored: StoredTree, entry: RunEntry) -> list[OutputFile]:
    """The files of a run in a state."""
    files = []
    for name in sorted(stored.below.get(entry.folder, ())):
        path = f"{entry.folder}/{name}"
        content = stored.tree.get(path)
        known = header.read(content) if content is not None else None
        if content is not None and known is not None:
            files.append(OutputFile(path, content[known.length :].decode(errors="replace"), known.source, known.owner))
    return files


def sources_of(stored: StoredTree, chosen: list[RunEntry], project: str) -> list[str]:
    """The files of the experiments of runs."""
    sources = {files[0].source for entry in chosen if (files := files_of(stored, entry))}
    return sorted(os.path.join(project, source) for source in sources)


def _orphaned(state: TreeState, chosen: Decisions, project: str, environments: Collection[str | None]) -> TreeState:
    """Return the state in which a build with --prune-runs removes the runs of removed environments."""
    locks, tree = StoredLocks(project, state.records), StateReplica(state)
    keys = {key for (key, _), reason in chosen.pruned.items() if reason == PRUNE_RUNS}
    for place, lock in locks.all():
        if place.environment not in environments and place.key in keys:
            for file, text in locks.changes(path_of(*place), lock.orphaning()):
                tree.record(file, text)
    return tree.after()


def _steps(chosen: Decisions) -> Iterator[tuple[str, frozenset[Key], str]]:
    if chosen.unarchived:
        yield "unarchive", chosen.unarchived, ""
    if chosen.archived:
        yield "archive", chosen.archived, ""
    if chosen.kept:
        yield "keep", chosen.kept, ""
    for reason in sorted({*chosen.pruned.values()}):
        if reason in (PRUNE, PRUNE_RUNS) or _HISTORY.match(reason):
            yield "prune", frozenset(run for run, one in chosen.pruned.items() if one == reason), reason


def _renames(before: Mapping[str, tuple[LockKey, Lock]], after: Mapping[str, tuple[LockKey, Lock]]) -> Iterator[Rename]:
    """The experiments whose runs have another experiment now."""
    holders = {run.folder: place for place, lock in after.values() for run in lock.runs.values() if run.folder}
    for place, lock in after.values():
        holders |= {run.folder: place for run in lock.pruned.values() if run.folder and run.was not in _MOVED}
    for key, (place, lock) in before.items():
        now = after.get(key)
        pruned = now[1].pruned if now is not None else {}
        moved = [run for name, run in lock.runs.items() if name in pruned and pruned[name].was in _MOVED]
        target = next((holders[folder] for run in moved if (folder := folder_of(place, run)) in holders), None)
        if target is not None:
            yield Rename(place, target)


def _renewed(run: LockedRun, lock: Lock) -> str | None:
    """The name of the run that `run` repeats."""
    earlier = lock.by_identity().get(run.identity)
    return earlier.name if earlier is not None and earlier.renewal < run.renewal else None
