"""The locks of a project and its output tree -> the runs that there are, and where the two do not agree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from tjgen.gitops.emit.ondisk import below, files
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.output.damaged import restoring_lock, restoring_run
from tjgen.gitops.output.layout import folder_of, namespace_of, stage_folder
from tjgen.language.resolve.project import LoadedProject
from tjgen.language.runs import freeze
from tjgen.language.runs.lock import ARCHIVED, RENAMED, REPLACED, LockedRun, PrunedRun
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import ERROR, WARNING, Diagnostic
from tjgen.trees.k8s.nearest import nearest
from tjgen.trees.manifests.manifest import RUNS
from tjgen.trees.typing import NamedTuple

_LISTED = 5
"""How many runs of an experiment a hint names."""


class RunEntry(NamedTuple):
    """A run of a lock."""

    place: LockKey
    run: LockedRun

    @property
    def folder(self) -> str:
        """The folder of its files in the output tree."""
        return folder_of(self.place, self.run)

    @property
    def namespace(self) -> str:
        """The namespace of its objects."""
        return namespace_of(self.place, self.run)


class ProjectRuns(NamedTuple):
    """The runs of one project."""

    project: LoadedProject
    directory: str | None
    """Its output tree; None if it has none."""
    entries: list[RunEntry]
    pruned: list[tuple[LockKey, PrunedRun]]
    """The runs that were removed."""

    def only(self, patterns: Sequence[str]) -> ProjectRuns:
        """Those whose names match one of the patterns; all without patterns."""
        if not patterns:
            return self
        entries = [one for one in self.entries if any(fnmatchcase(one.run.name, pattern) for pattern in patterns)]
        pruned = [one for one in self.pruned if any(fnmatchcase(one[1].name, pattern) for pattern in patterns)]
        return self._replace(entries=entries, pruned=pruned)


def entries(locks: Locks, environments: Sequence[str] = (), *, project: Collection[str | None] | None = None) -> list[RunEntry]:
    """All runs, those of an experiment in order of age. Raises CompileError where a lock cannot be read.

    `project`: the environments of the project. Runs of other environments are orphaned, regardless of their lock.
    """
    run_entries = []
    for place, lock in locks.all(environments):
        is_removed = project is not None and place.environment not in project
        runs = sorted((lock.orphaning() if is_removed else lock).runs.values(), key=lambda run: (run.number, run.name))
        run_entries += [RunEntry(place, run) for run in runs]
    return run_entries


def pruned(locks: Locks, environments: Sequence[str] = ()) -> list[tuple[LockKey, PrunedRun]]:
    """All runs that were removed, those of an experiment in order of age. Raises CompileError where a lock cannot be read."""
    return [
        (place, run)
        for place, lock in locks.all(environments)
        for run in sorted(lock.pruned.values(), key=lambda run: (run.number, run.name))
        if run.was not in (RENAMED, REPLACED)
    ]


def matching(
    known: Sequence[RunEntry], patterns: Sequence[str], others: Sequence[str] = ()
) -> tuple[list[RunEntry], list[Diagnostic]]:
    """The runs whose names match one of `patterns`; TJ080 for each pattern that matches none of them, and none of `others`."""
    chosen = [entry for entry in known if any(fnmatchcase(entry.run.name, pattern) for pattern in patterns)]
    names = [*(entry.run.name for entry in known), *others]
    idle = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)]
    return chosen, [_unknown(pattern, names, known) for pattern in idle]


def named(known: Sequence[RunEntry], patterns: Sequence[str]) -> list[str]:
    """`patterns`, with the name of the current run for an experiment that has one. A run of that name takes precedence."""
    runs = {entry.run.name for entry in known}
    names = []
    for pattern in patterns:
        own = [] if pattern in runs else _current(known, pattern)
        names.append(own[0].run.name if len(own) == 1 else pattern)
    return names


def own_files(directory: str, entry: RunEntry) -> list[OutputFile]:
    """The files of a run on disk."""
    return files(directory, entry.folder)


def is_stopped(directory: str | None, entry: RunEntry) -> bool:
    """Whether a run that no source requests has no pods: it was stopped, or was suspended before."""
    if entry.run.is_requested or entry.run.stopped or directory is None:
        return entry.run.stopped
    return any(freeze.suspends(file.body) for file in own_files(directory, entry))


def disagreements(
    directory: str, locks: str, known: Sequence[RunEntry], environments: Iterable[str | None] = ()
) -> Iterator[Diagnostic]:
    """Runs of a lock without files (TJ081), files of a run without a lock (TJ082). `locks`: the folder of locks.

    `environments`: those whose folders are read in addition to those of `known`.
    """
    for entry in known:
        if not own_files(directory, entry):
            yield without_files(entry, directory, WARNING)
    locked = {entry.folder for entry in known}
    for folder in _folders(
        directory, sorted({one or "" for one in (*environments, *(entry.place.environment for entry in known))})
    ):
        if folder not in locked and files(directory, folder):
            yield _without_lock(directory, locks, folder)


def without_files(entry: RunEntry, directory: str, severity: str = ERROR) -> Diagnostic:
    """A run that is in the lock only."""
    return Diagnostic(
        "TJ081",
        f'run "{entry.run.name}" is in the lock of {entry.place.key}, but has no files in {directory}/{entry.folder}',
        hint=_restoring_hint(entry, f"{directory}/{entry.folder}"),
        severity=severity,
    )


def _restoring_hint(entry: RunEntry, folder: str) -> str:
    command = restoring_run(folder, entry.run)
    hint = f"restore the files with {command}" if command is not None else "restore the files: no commit has them as in the lock"
    if entry.run.is_requested and not entry.run.folder:
        return f"{hint}, or build the experiment"
    return hint if entry.run.is_requested else f"{hint}; to remove the run, use tjgen runs prune {entry.run.name}"


def _folders(directory: str, environments: Sequence[str]) -> Iterator[str]:
    for environment in environments:
        top = stage_folder(environment or None, RUNS)
        for namespace in below(directory, top):
            for experiment in below(directory, namespace):
                yield from below(directory, experiment)


def _current(known: Sequence[RunEntry], experiment: str) -> list[RunEntry]:
    """The runs that an experiment requests, by its name or its key."""
    own = [entry for entry in known if experiment in (entry.place.name, entry.place.key)]
    return [entry for entry in own if entry.run.is_requested and entry.run.lifecycle_state != ARCHIVED]


def _unknown(pattern: str, names: Sequence[str], known: Sequence[RunEntry]) -> Diagnostic:
    own = [entry for entry in known if pattern in (entry.place.name, entry.place.key)]
    near = nearest(pattern, sorted(names))
    hint = f'did you mean "{near}"?' if near else "use tjgen runs list to see all"
    if own:
        current = _current(known, pattern) or own[-1:]
        shown = ", ".join(f"{entry.run.name} of {entry.place.key}" for entry in current[:_LISTED])
        more = f", and {len(current) - _LISTED} more" if len(current) > _LISTED else ""
        hint = f"{pattern} is an experiment: name one of its runs ({shown}{more}), or use a pattern"
    return Diagnostic("TJ080", f'no run matches "{pattern}"', hint=hint)


def _without_lock(directory: str, locks: str, folder: str) -> Diagnostic:
    return Diagnostic(
        "TJ082",
        f"the run in {directory}/{folder} is not in a lock: a sync starts it, but builds do not track it",
        hint=f"{restoring_lock(locks, folder)}; or remove the folder, if it is a copy",
    )
