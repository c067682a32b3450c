"""The locks of a project and commits -> the runs that no commit has, removed without a tombstone.

A run that was renamed, or moved to an environment, has another lock file than at a commit. It is the same run if the
folder of its files is the same: that is where it was first built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping

from tjgen.gitops.diff.renamed import ProjectFolder
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.output.adoption import adopting_environment
from tjgen.gitops.output.layout import folder_of
from tjgen.gitops.output.options import TreeOptions
from tjgen.language.runs.lock import RENAMED, REPLACED, Lock, LockedRun, PrunedRun, path_of
from tjgen.language.runs.store import LockKey, Locks


def discard(
    locks: Locks,
    tree: TreeOptions,
    directory: str,
    repository: Repository,
    commits: Mapping[str, ProjectFolder],
    selected: Callable[[str], bool],
    before: Locks,
) -> list[str]:
    """Remove the selected runs that none of `commits` has; their names. Each commit has the folder of the project in it.

    `selected` takes the key of an experiment, or the name of a run. `before`: the locks of the first commit.
    A build makes those that the sources request again, with the numbers that it gives them without the others. Tombstones
    of such runs go too. Raises CompileError if the repository cannot be read (TJ095).
    """
    committed = _committed(repository, commits, locks.folder)
    candidates = {place: _candidates(place, lock, committed, selected) for place, lock in locks.all()}
    if any(candidates.values()):
        existed = _folders(before, locks)
        candidates = {
            place: {name: run for name, run in runs.items() if folder_of(place, run) not in existed}
            for place, runs in candidates.items()
        }
    runs = {name for some in candidates.values() for name, run in some.items() if not _is_moved(run)}
    done: list[str] = []
    unused: set[str] = set()
    used: set[str] = set()
    for place, lock in locks.all():
        # The tombstone of a rename belongs to the run.
        names = [name for name, run in candidates[place].items() if not _is_moved(run) or name in runs]
        for name, run in lock.runs.items():
            (unused if name in names else used).update(run.uses)
            if name in names:
                tree.claim(folder_of(place, run))
        rest = lock.without(names)
        rest = rest._replace(pruned={name: run for name, run in lock.pruned.items() if name not in names})
        for file, text in locks.changes(path_of(*place), rest):
            tree.record(file, text)
        done += [name for name in names if name not in done]
    remove_unused(unused - used - _committed(repository, commits, directory), tree, directory)
    return done


def _candidates(
    place: LockKey, lock: Lock, committed: Collection[str], selected: Callable[[str], bool]
) -> dict[str, LockedRun | PrunedRun]:
    """The selected runs and tombstones of an experiment that have no lock file in the commits."""
    folder = path_of(*place)
    if f"{folder}.yaml" in committed:  # a lock file of the former form, which has all runs of the experiment
        return {}
    runs: dict[str, LockedRun | PrunedRun] = {**lock.runs, **lock.pruned}
    is_selected = selected(place.key)
    return {
        name: run for name, run in runs.items() if (is_selected or selected(name)) and f"{folder}/{name}.yaml" not in committed
    }


def _is_moved(run: LockedRun | PrunedRun) -> bool:
    return isinstance(run, PrunedRun) and run.was in (RENAMED, REPLACED)


def _folders(before: Locks, now: Locks) -> set[str]:
    """The folders of the runs of the commit, where their files are now."""
    sides = [{place.key: lock for place, lock in locks.all()} for locks in (before, now)]
    environment = adopting_environment(*sides)
    folders = set()
    for place, lock in before.all():
        top = f"{environment}/" if environment is not None and place.environment is None else ""
        folders |= {top + folder_of(place, run) for run in lock.runs.values()}
        folders |= {top + folder_of(place, run) for run in lock.pruned.values()}
    return folders


def remove_unused(files: Collection[str], tree: TreeOptions, directory: str) -> None:
    """Remove files that several runs could share, and no run uses any more: claims, code and runtimes."""
    for folder in sorted({os.path.dirname(file) for file in files}):
        path = os.path.join(directory, folder)
        tree.claim(folder)
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            if f"{folder}/{name}" not in files:
                tree.keep(f"{folder}/{name}")


def _committed(repository: Repository, commits: Mapping[str, ProjectFolder], folder: str) -> set[str]:
    """The paths below a folder in any of the commits, also if the project had another folder there."""
    own = repository.path_of(folder)
    return {path for commit, project in commits.items() for path in repository.entries(commit, project.path(own))}
