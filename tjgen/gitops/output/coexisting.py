"""Two experiments -> the runs of the second that a commit has next to runs of equal content of the first.

The second one is not a new name of the first: if it took the runs of the first, its own run would be superseded and stop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.output.committed_locks import lock_at, without_commit
from tjgen.gitops.output.rename import Rename
from tjgen.language.runs.lock import Lock, path_of
from tjgen.language.runs.store import LockKey, Locks
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

_SHOWN = 3


def coexisting(locks: Locks, old: LockKey, new: LockKey, identities: Mapping[str, str] | None = None) -> list[str]:
    """The runs of `new` that a source requested in the same commit as runs of equal content of `old`.

    The commits are the last one and those that first have runs of one of them. `identities`: identity before an environment
    was renamed -> after it. Without a repository, there are none.
    """
    if not _twins(locks.of(old), locks.of(new), identities or {}, requested=False):
        return []
    try:
        repository = Repository.around(locks.folder)
        folder = repository.path_of(locks.folder)
        for commit in _commits(repository, folder, (old, new)):
            before, after = (lock_at(repository, commit, folder, place) for place in (old, new))
            names = _twins(before, after, identities or {}, requested=True)
            if names:
                return names
    except CompileError:  # no repository, or a lock of a former release that cannot be read
        return []
    return []


def problems_of_coexisting(locks: Locks, renames: Sequence[Rename], identities: Mapping[str, str]) -> Iterator[Diagnostic]:
    """TJ704 for each experiment whose new name is that of another one, which a commit has next to it."""
    for old, new in renames:
        names = coexisting(locks, old, new, identities)
        if names:
            message = (
                f"experiment {new.key} is not a new name of {old.key}: a commit has runs of both with the same content "
                f"({', '.join(names[:_SHOWN])})"
            )
            stays = " ".join([*locks.of(old).runs][:_SHOWN])
            yield Diagnostic("TJ704", message, hint=f"use tjgen runs prune, archive or keep {stays}")


def created_again(locks: Locks, renames: Sequence[Rename], identities: Mapping[str, str]) -> list[str]:
    """Keys of new names under which a build created runs of the old ones again that no commit has: no sync applied them."""
    twins = [new for old, new in renames if _twins(locks.of(old), locks.of(new), identities, requested=False)]
    return [place.key for place in without_commit(locks, twins)]


def _commits(repository: Repository, folder: str, places: Sequence[LockKey]) -> Iterator[str]:
    head = repository.resolved("HEAD")
    if head is None:
        return
    yield head
    for place in places:
        path = f"{folder}/{path_of(*place)}" if folder else path_of(*place)
        yield from [commit for commit, _ in repository.commits(None, head, [path, f"{path}.yaml"])[:1]]


def _twins(before: Lock, after: Lock, identities: Mapping[str, str], *, requested: bool) -> list[str]:
    """The requested runs of `after` that have the content of a run of `before`, requested too if `requested`."""
    own = {identities.get(run.identity, run.identity) for run in before.runs.values() if run.is_requested or not requested}
    return [run.name for run in after.runs.values() if run.is_requested and run.identity in own]
