"""The locks of a project and a commit -> the runs that the commit does not have, removed without a tombstone."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection

from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.output.options import TreeOptions
from tjgen.language.runs.lock import path_of
from tjgen.language.runs.store import Locks


def discard(
    locks: Locks, tree: TreeOptions, directory: str, repository: Repository, commit: str | None, selected: Callable[[str], bool]
) -> list[str]:
    """Remove the selected runs that `commit` does not have; their names.

    `selected` takes the key of an experiment, or the name of a run.
    A build makes those that the sources request again, with the numbers that it gives them without the others. Tombstones
    of such runs go too. Raises CompileError if the repository cannot be read (TJ095).
    """
    committed = _committed(repository, commit, locks.folder)
    done: list[str] = []
    unused: set[str] = set()
    used: set[str] = set()
    for place, lock in locks.all():
        folder = path_of(*place)
        # A lock file of the former form has all runs of an experiment.
        is_old = f"{folder}.yaml" in committed
        chosen = (name for name in (*lock.runs, *lock.pruned) if selected(place.key) or selected(name))
        names = [name for name in chosen if not is_old and f"{folder}/{name}.yaml" not in committed]
        for name, run in lock.runs.items():
            (unused if name in names else used).update(run.uses)
            if name in names:
                tree.claim(folder_of(place, run))
        rest = lock.without(names)
        rest = rest._replace(pruned={name: run for name, run in lock.pruned.items() if name not in names})
        for file, text in locks.changes(folder, rest):
            tree.record(file, text)
        done += names
    _remove(unused - used - set(_committed(repository, commit, directory)), tree, directory)
    return done


def _remove(files: Collection[str], tree: TreeOptions, directory: str) -> None:
    """Remove claims, code and runtimes of the runs."""
    for folder in sorted({os.path.dirname(file) for file in files}):
        path = os.path.join(directory, folder)
        tree.claim(folder)
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            if f"{folder}/{name}" not in files:
                tree.keep(f"{folder}/{name}")


def _committed(repository: Repository, commit: str | None, folder: str) -> Collection[str]:
    return repository.entries(commit, repository.path_of(folder)) if commit is not None else ()
