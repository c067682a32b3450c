"""The folder of locks -> the lock of each experiment, read once on demand.

And back: a changed lock -> the changes of its files.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping, Sequence

from tjgen.language.runs.lock import DIRECTORY, Lock, LockedRun, PrunedRun, path_of, write, write_pruned
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.beneath import Beneath, LinkError
from tjgen.trees.typing import NamedTuple, Protocol

IMAGES = "_images"
"""The folder of pins among those of environments: see pins.py."""
PLATFORMS = "_platforms"
"""The folder of the locks of platforms among those of environments: see bundle/lock.py."""
_SUPPORTING = (IMAGES, PLATFORMS)
_ENDING = ".yaml"


class Locked(Protocol):
    """An experiment in an environment."""

    @property
    def environment(self) -> str | None: ...
    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def key(self) -> str: ...


class LockKey(NamedTuple):
    """Where the runs of an experiment are, without the experiment."""

    environment: str | None
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """`environment/namespace/name`, or `namespace/name` in a project without environments."""
        return "/".join([part for part in (self.environment, self.namespace, self.name) if part])

    @staticmethod
    def of(path: str, lock: Lock) -> LockKey:
        """The place of the lock in folder `path` below the folder of locks."""
        top, namespace, name = path.split("/")
        # An experiment of a project without environments has a key of two parts.
        return LockKey(top if lock.experiment.count("/") > 1 else None, namespace, name)


class Locks:
    """The locks of a project; `directory` is the project's folder."""

    def __init__(self, directory: str) -> None:
        self.folder = os.path.join(directory, DIRECTORY)
        self._files = Beneath(directory)
        self._read: dict[str, _StoredLock | None] = {}
        self._siblings: dict[str, frozenset[str]] = {}
        """Folder of a namespace -> its entries: most runs of a large build are new."""

    def of(self, unit: Locked) -> Lock:
        """The lock of an experiment, empty if it has no runs yet. Raises CompileError where a file is damaged."""
        stored = self._at(path_of(unit.environment, unit.namespace, unit.name))
        return stored.lock if stored is not None else Lock(unit.key, {})

    def all(self, environments: Sequence[str] = (), *, but: Container[str] = ()) -> Iterator[tuple[LockKey, Lock]]:
        """Every lock in order of its path, of these environments where some are named, except at paths in `but`.

        Raises CompileError.
        """
        for path in self._paths(list(environments) or [name for name in sorted(self.names("")) if name not in _SUPPORTING]):
            stored = self._at(path) if path not in but else None
            if stored is not None:
                yield LockKey.of(path, stored.lock), stored.lock

    def others(self, environments: list[str | None], known: set[str]) -> Iterator[tuple[str, Lock]]:
        """Path and lock of every experiment of these environments whose path is not `known`."""
        for path in self._paths([path_of(environment, "", "").partition("/")[0] for environment in environments]):
            stored = self._at(path) if path not in known else None
            if stored is not None:
                yield path, stored.lock

    def changes(self, path: str, lock: Lock) -> Iterator[tuple[str, str | None]]:
        """The files of the lock in folder `path` that `lock` makes other ones, with their texts; None where one goes.

        A lock in its former form stays as long as nothing in it changes.
        """
        stored = self._at(path)
        before = stored.lock.runs if stored is not None else {}
        tombstones = stored.lock.pruned if stored is not None else {}
        untidy = stored.untidy if stored is not None else set()
        together = stored is not None and stored.together
        if together and (lock.runs, lock.pruned) == (before, tombstones):
            return
        if together:
            yield path + _ENDING, None
        for name, run in lock.runs.items():
            if together or name in untidy or before.get(name) != run:
                yield f"{path}/{name}{_ENDING}", write(lock.experiment, run)
        for name, pruned in lock.pruned.items():
            if together or name in untidy or tombstones.get(name) != pruned:
                yield f"{path}/{name}{_ENDING}", write_pruned(lock.experiment, pruned)
        for name in (*before, *tombstones):
            if name not in lock.runs and name not in lock.pruned:
                yield f"{path}/{name}{_ENDING}", None

    def files(self, path: str) -> list[str]:
        """Where the files of the lock in folder `path` are, or would be: as they are now, in order."""
        folder = os.path.join(self.folder, path)
        return [folder + _ENDING, *[f"{folder}/{name}" for name in sorted(self.names(path))]]

    def exists(self, path: str) -> bool:
        """Whether the experiment at `path` has a lock."""
        folder = os.path.join(self.folder, path)
        return os.path.isdir(folder) or os.path.isfile(folder + _ENDING)

    def names(self, path: str) -> list[str]:
        """Return the entries of the folder at `path`, without hidden files; none if it is missing. Raise CompileError (TJ078)."""
        try:
            return [name for name in self._files.names(f"{DIRECTORY}/{path}") if name[0] != "."]
        except OSError as error:
            if is_missing(error):
                return []
            raise CompileError([_unreadable(os.path.join(self.folder, path), error)]) from None

    def text(self, path: str) -> str | None:
        """The text of the file at `path`; None if it does not exist. Raises CompileError (TJ078)."""
        try:
            return self._files.text(f"{DIRECTORY}/{path}")
        except (OSError, UnicodeDecodeError) as error:
            if is_missing(error):
                return None
            raise CompileError([_unreadable(os.path.join(self.folder, path), error)]) from None

    def _paths(self, tops: Sequence[str]) -> Iterator[str]:
        """Folders of experiments, environment and namespace before them."""
        for top in tops:
            for namespace in sorted(self.names(top)):
                inner = f"{top}/{namespace}"
                for name in sorted({name.removesuffix(_ENDING) for name in self.names(inner)}):
                    yield f"{inner}/{name}"

    def _at(self, path: str) -> _StoredLock | None:
        if path not in self._read:
            self._read[path] = self._load(path)
        return self._read[path]

    def _load(self, path: str) -> _StoredLock | None:
        namespace, _, name = path.rpartition("/")
        if namespace not in self._siblings:
            self._siblings[namespace] = frozenset(self.names(namespace))
        if self._siblings[namespace].isdisjoint((name, name + _ENDING)):
            return None
        folder = os.path.join(self.folder, path)
        texts = {}
        for name in sorted(self.names(path)):
            text = self.text(f"{path}/{name}") if name.endswith(_ENDING) else None
            if text is not None:
                texts[f"{folder}/{name}"] = text
        return gathered(texts, folder + _ENDING, self.text(path + _ENDING))


class _StoredLock(NamedTuple):
    """Return the current lock of an experiment."""

    lock: Lock
    untidy: set[str]
    """Runs whose files are not written as we write them."""
    together: bool
    """Return whether it exists, wholly or in part, in one file for all runs."""


def gathered(texts: Mapping[str, str], file: str, former: str | None) -> _StoredLock | None:
    """The lock of an experiment: `texts` of its files by place, and `former`, the text at `file` in the former form.

    None if there is neither. Raises CompileError (TJ070, TJ071, or what the YAML reader finds).
    """
    if not texts and former is None:
        return None
    runs: dict[str, LockedRun] = {}
    pruned: dict[str, PrunedRun] = {}
    untidy: set[str] = set()
    experiment = ""
    if former is not None:
        from tjgen.language.runs import former as form  # few projects have one

        lock = form.read(former, file)
        experiment = lock.experiment
        runs.update(lock.runs)
    if texts:
        from tjgen.language.runs.lockfile import malformed, read  # its pattern takes longer to compile than many locks to read

        for place, text in texts.items():
            entry = read(text, place)
            name = place.rpartition("/")[2].removesuffix(_ENDING)
            experiment = experiment or entry.experiment
            if entry.run.name != name or entry.experiment != experiment:
                identity = f"run {entry.run.name} of {entry.experiment}"
                raise CompileError([malformed(f"the file contains {identity}, which does not match its path", None, place)])
            if isinstance(entry.run, PrunedRun):
                pruned[name] = entry.run
                runs.pop(name, None)
            else:
                runs[name] = entry.run
            if not entry.as_written:
                untidy.add(name)
    return _StoredLock(Lock(experiment, runs, pruned), untidy, former is not None)


def is_missing(error: Exception) -> bool:
    """Whether there is no such file or folder. A link is one that exists: nothing is read through it."""
    return isinstance(error, (FileNotFoundError, NotADirectoryError)) and not isinstance(error, LinkError)


def _unreadable(file: str, error: Exception) -> Diagnostic:
    reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
    message = f"the lock {file.rstrip('/')} cannot be read: {reason}"
    if isinstance(error, LinkError):
        return Diagnostic("TJ039", message, hint="use the target of the link, or remove the link")
    return Diagnostic("TJ078", message, hint="restore the file from Git")
