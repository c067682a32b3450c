"""Runs that are to be archived, brought back or pruned -> their files and locks, changed together in an output tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.damaged import manifest_in, restoring_run
from tjgen.gitops.output.inventory import RunEntry, own_files, without_files
from tjgen.gitops.output.options import TreeOptions
from tjgen.language.runs import archive as marks
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ARCHIVED, ORPHANED, Lock, LockedRun, is_runtime, path_of
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.fields.path import Tree
from tjgen.trees.source.writer import dump

PRUNE = "tjgen runs prune"
"""The reason in the tombstones that `prune` leaves."""
Files = Callable[[RunEntry], "Sequence[OutputFile]"]


class RunHistory:
    """The runs of one output tree while a command changes them. Nothing is written before the tree is committed.

    `files` returns the files of a run; None for those in the directory.
    """

    def __init__(self, directory: str, tree: TreeOptions, locks: Locks, files: Files | None = None) -> None:
        self._directory = directory
        self._tree = tree
        self._locks = locks
        self._files: Files = files or (lambda entry: own_files(directory, entry))

    def archive(self, chosen: Iterable[RunEntry]) -> list[str]:
        """Make records of runs; the names of those that were none. Raises CompileError (TJ081, TJ083)."""
        changed = [entry for entry in chosen if entry.run.lifecycle_state != ARCHIVED]
        self._change(changed, lambda run: run._replace(archived=True), marks.marked)
        return [entry.run.name for entry in changed]

    def unarchive(self, chosen: Iterable[RunEntry]) -> list[str]:
        """Make runs of records; the names of those that were. Raises CompileError (TJ081, TJ083, TJ084)."""
        changed = [entry for entry in chosen if entry.run.lifecycle_state == ARCHIVED]
        refuse(archived_by_experiment(entry) for entry in changed if entry.run.state == ARCHIVED)
        self._change(changed, lambda run: run._replace(archived=False), marks.unmarked)
        return [entry.run.name for entry in changed]

    def prune(self, chosen: Sequence[RunEntry], reason: str = PRUNE) -> list[str]:
        """Remove runs that no source requests, and leave tombstones with `reason`; their names. Raises CompileError (TJ086)."""
        refuse(_requested_problem(entry) for entry in chosen if entry.run.is_requested)
        for entry in chosen:
            self._tree.claim(entry.folder)
        for place in dict.fromkeys(entry.place for entry in chosen):
            self._record(place, self._locks.of(place).pruning([one.run.name for one in chosen if one.place == place], reason))
        return [entry.run.name for entry in chosen]

    def unused_runtimes(self, chosen: Sequence[RunEntry]) -> set[str]:
        """The runtime files that no run uses after `chosen` are removed, as the next build of the project removes them."""
        removed = {(entry.place, entry.run.name) for entry in chosen}
        runs = [(run, (place, name) in removed) for place, lock in self._locks.all() for name, run in lock.runs.items()]
        used = {path for run, is_removed in runs if not is_removed for path in run.uses}
        return {path for run, is_removed in runs if is_removed for path in run.uses if is_runtime(path) and path not in used}

    def keep(self, chosen: Sequence[RunEntry]) -> list[str]:
        """Accept that orphaned runs stay; the names of those that were not accepted before. Raises CompileError (TJ277)."""
        refuse(_not_orphaned(entry) for entry in chosen if entry.run.lifecycle_state != ORPHANED)
        changed = [entry for entry in chosen if not entry.run.kept]
        for place in dict.fromkeys(entry.place for entry in changed):
            accepted = [entry.run._replace(kept=True) for entry in changed if entry.place == place]
            self._record(place, self._locks.of(place).with_runs(accepted))
        return [entry.run.name for entry in changed]

    def _change(self, chosen: list[RunEntry], of_run: Callable[[LockedRun], LockedRun], of_tree: Callable[[Tree], Tree]) -> None:
        changed: dict[RunEntry, LockedRun] = {}
        problems: list[Diagnostic] = []
        for entry in chosen:
            files = self._files(entry)
            problem = _unlike_lock(entry, self._directory, {file.path: file.body for file in files})
            if problem is not None:
                problems.append(problem)
                continue
            bodies = {}
            for file in files:
                body = dump(of_tree(manifest_in(file.body, file.path)))
                bodies[file.path.rpartition("/")[2]] = body
                self._tree.put(file._replace(body=body))
            changed[entry] = of_run(entry.run)._replace(content=freeze.content_digest(bodies))
        refuse(problems)
        for place in dict.fromkeys(entry.place for entry in changed):
            self._record(place, self._locks.of(place).with_runs(run for entry, run in changed.items() if entry.place == place))

    def _record(self, place: LockKey, lock: Lock) -> None:
        for file, text in self._locks.changes(path_of(*place), lock):
            self._tree.record(file, text)


def sources(chosen: Sequence[RunEntry], directory: str, project: str) -> list[str]:
    """The files of the experiments of runs; `project` is the folder of the project. Raises CompileError (TJ081)."""
    files_of_entries = {entry: own_files(directory, entry) for entry in chosen}
    refuse(without_files(entry, directory) for entry, files in files_of_entries.items() if not files)
    return sorted({os.path.join(project, files[0].source) for files in files_of_entries.values()})


def refuse(problems: Iterable[Diagnostic]) -> None:
    """Raise CompileError if there is a problem."""
    diagnostics = list(problems)
    if diagnostics:
        raise CompileError(diagnostics)


def _unlike_lock(entry: RunEntry, directory: str, bodies: dict[str, str]) -> Diagnostic | None:
    if not bodies:
        return without_files(entry, directory)
    if freeze.content_digest({path.rpartition("/")[2]: body for path, body in bodies.items()}) == entry.run.content:
        return None
    folder = f"{directory}/{entry.folder}"
    command = restoring_run(folder, entry.run)
    hint = "restore the files and the lock from Git, or build the experiment"
    return Diagnostic(
        "TJ083",
        f'the files of run "{entry.run.name}" in {folder} do not match its lock',
        hint=f"to discard the edit, use {command}" if command is not None else hint,
    )


def archived_by_experiment(entry: RunEntry) -> Diagnostic:
    """A run that only its experiment can bring back."""
    return Diagnostic(
        "TJ084",
        f'run "{entry.run.name}" is archived by its experiment {entry.place.key}',
        hint="set state: active in the experiment, and build",
    )


def not_requested(entry: RunEntry) -> Diagnostic:
    """A run that cannot run again, because its experiment no longer requests it."""
    return Diagnostic(
        "TJ085",
        f'run "{entry.run.name}" cannot run again: experiment {entry.place.key} no longer requests it',
        hint="restore the experiment from Git, and build",
    )


def _not_orphaned(entry: RunEntry) -> Diagnostic:
    return Diagnostic(
        "TJ277",
        f'run "{entry.run.name}" of {entry.place.key} is {entry.run.lifecycle_state}, not orphaned, so it stays',
        hint="omit the run, or build the project first",
    )


def _requested_problem(entry: RunEntry) -> Diagnostic:
    name, place = entry.run.name, entry.place
    if entry.run.promoted_from:
        return Diagnostic(
            "TJ086",
            f'run "{name}" is the promoted run of {place.key}, so it stays until another run is promoted',
            hint=f"promote another run first; to stop it, set state: suspended in an overlay for {place.environment}, and build",
        )
    return Diagnostic(
        "TJ086",
        f'run "{entry.run.name}" is requested by experiment {entry.place.key}: the next build would create it again',
        hint="change or remove the experiment, and build first; to stop the run, set state: suspended",
    )
