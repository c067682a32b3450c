"""A project and a commit -> the folder that the project had at the commit, if it has another one now."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator

from tjgen.gitops.diff.revision import Repository
from tjgen.language.resolve.project import FILE
from tjgen.language.runs.lock import DIRECTORY, path_of
from tjgen.language.runs.store import Locks
from tjgen.trees.typing import NamedTuple

_FOLDER = f"{DIRECTORY}/"


class ProjectFolder(NamedTuple):
    """The folder of a project, as paths in the repository."""

    now: str
    then: str
    """At the commit."""

    @property
    def is_renamed(self) -> bool:
        return self.now != self.then

    def path(self, path: str) -> str:
        """The path at the commit of what has `path` now."""
        if not self.is_renamed or not f"{path}/".startswith(_below(self.now)):
            return path
        return _below(self.then) + path[len(_below(self.now)) :]


def folder_at(repository: Repository, commit: str | None, project: str) -> ProjectFolder:
    """The folder of a project at a commit.

    Runs keep their names, so a renamed folder has the same lock files: the former one has most of them, and no project file now.
    Raises CompileError (TJ094, TJ095, or what is wrong with a lock).
    """
    own = repository.path_of(project)
    if commit is None or repository.has(commit, _below(own) + FILE):
        return ProjectFolder(own, own)
    locks = {*_paths(Locks(project))}
    same = Counter(above for path in repository.paths(commit, "") if (above := _with_lock(path, locks)) is not None)
    former = {above: count for above, count in same.items() if not os.path.lexists(os.path.join(repository.top, above, FILE))}
    if not former or _below(own) in same:
        return ProjectFolder(own, own)
    return ProjectFolder(own, max(sorted(former), key=lambda above: former[above]).rstrip("/"))


def _paths(locks: Locks) -> Iterator[str]:
    """The paths of the locks of runs, below their folder."""
    for place, lock in locks.all():
        yield from (f"{path_of(*place)}/{name}.yaml" for name in (*lock.runs, *lock.pruned))


def _with_lock(path: str, locks: Collection[str]) -> str | None:
    """The folder of the project, as paths in it begin, if the path is that of one of its locks."""
    above, _, lock = path.partition(_FOLDER)
    return above if (not above or above.endswith("/")) and lock in locks else None


def _below(folder: str) -> str:
    """What the paths of the files in a folder begin with."""
    return f"{folder}/" if folder else ""
