"""A revision -> the locks of experiments in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tjgen.gitops.diff.revision import Repository
from tjgen.language.runs.lock import ORPHANED, Lock, path_of
from tjgen.language.runs.store import LockKey, Locks, gathered
from tjgen.trees.diagnostics.model import CompileError


def locks_at(files: Mapping[str, bytes], revision: str, folder: str) -> dict[str, Lock]:
    """Key of an experiment -> its lock; `files`: path in the folder of locks -> content at the revision."""
    experiments: dict[str, dict[str, str]] = {}
    formers: dict[str, str] = {}
    for path, content in files.items():
        text = content.decode(errors="replace")
        if path.endswith(".yaml") and path.count("/") == 3:
            experiments.setdefault(path.rpartition("/")[0], {})[f"{revision}:{folder}/{path}"] = text
        elif path.endswith(".yaml") and path.count("/") == 2:
            formers[path.removesuffix(".yaml")] = text
    locks = {}
    for path in {**experiments, **formers}:
        stored = gathered(experiments.get(path, {}), f"{revision}:{folder}/{path}.yaml", formers.get(path))
        if stored is not None:
            locks[stored.lock.experiment] = stored.lock
    return locks


def lock_at(repository: Repository, commit: str, folder: str, place: LockKey) -> Lock:
    """The lock of an experiment at a commit, without runs if the commit has none; `folder`: of the locks in the repository."""
    path = path_of(*place)
    names = [f"{path}.yaml", *(f"{path}/{name}" for name in repository.paths(commit, f"{folder}/{path}" if folder else path))]
    files = repository.files(commit, folder, wanted=lambda one: one in names)
    return locks_at(files, commit[:12], folder).get(place.key, Lock(place.key, {}))


def before_orphaning(locks: Locks, places: Iterable[LockKey]) -> dict[LockKey, Lock]:
    """The locks at HEAD of those experiments that have orphaned promoted runs; none without a repository."""
    orphaned = [one for one in places if any(run.state == ORPHANED and run.promoted_from for run in locks.of(one).runs.values())]
    return _at_head(locks, orphaned)


def without_commit(locks: Locks, places: Iterable[LockKey]) -> list[LockKey]:
    """The experiments that have no run at HEAD; none without a repository."""
    return [place for place, lock in _at_head(locks, list(places)).items() if not lock.runs]


def _at_head(locks: Locks, places: Sequence[LockKey]) -> dict[LockKey, Lock]:
    if not places:
        return {}
    try:
        repository = Repository.around(locks.folder)
        folder, head = repository.path_of(locks.folder), repository.resolved("HEAD")
        return {place: lock_at(repository, head, folder, place) for place in places} if head is not None else {}
    except CompileError:  # no repository, or a lock of a former release that cannot be read
        return {}
