"""A unit of work and a key of all its inputs -> what it had emitted, if the inputs and the files are still the same.

A cache of one project and one output directory is a single file in the user's cache folder (see
`trees/caches.py`). A file counts as unchanged when its size and times match the cache and it had not
changed shortly before they were noted, or else if its content has the digest in the cache.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from tjgen.gitops.emit import header
from tjgen.gitops.emit.filesystem import ObstacleError, Root
from tjgen.gitops.emit.written import CommittedFiles
from tjgen.trees.caches import CacheEntry, open_folder
from tjgen.trees.files.states import is_at_rest, state_of
from tjgen.trees.typing import Any, NamedTuple

_UNKNOWN = -1
"""The time of a change that a later one might not differ from."""
_NOTHING = CommittedFiles()

_Kept = tuple[bytes, tuple[tuple[Any, ...], ...], Any]
"""What is kept of a unit, as marshal can write it: key, files, summary."""


class Seen(NamedTuple):
    """A file as it was when it had been emitted."""

    path: str
    size: int
    modified: int
    """Time of the last change of the content, in nanoseconds."""
    changed: int
    """Time of the last change of the file itself, which no program can set back; _UNKNOWN if the next one might have the same."""
    digest: bytes


class StoredUnit(NamedTuple):
    """What a unit had emitted."""

    summary: Any
    """Plain data that the caller reads again: counts, diagnostics as tuples."""


class FileCache:
    """The cache of one project and one output directory, while a build has the turn there."""

    __slots__ = ("_entry", "_noted", "_root", "_units")

    def __init__(self, entry: CacheEntry | None, directory: str) -> None:
        """`entry` is what `entry_of` returned: without one nothing is found and nothing is noted."""
        self._entry = entry
        self._root = Root(directory)
        self._units: dict[str, _Kept] = (entry.load() or {}) if entry is not None else {}
        self._noted: dict[str, _Kept] = {}

    def find(self, unit: str, key: bytes) -> StoredUnit | None:
        """What `unit` emitted from inputs with this key, if each of its files is still there as it was."""
        kept = self._units.get(unit)
        if kept is None or kept[0] != key:
            return None
        for fields in kept[1]:
            if not self._is_at_rest(*fields):
                return self._renewed(unit, kept)
        return StoredUnit(kept[2])

    def note(self, unit: str, key: bytes, paths: Iterable[str], summary: Any, written: CommittedFiles = _NOTHING) -> bool:
        """Remember what `unit` has emitted: files of the output directory that were committed, and plain data.

        Files that were `written` just now are not read.

        False if a file is not as it was emitted, or without a cache.
        """
        if self._entry is None:
            return False
        files = [_seen(self._root, path, written) for path in paths]
        is_noted = all(files)
        if is_noted:
            self._noted[unit] = (key, tuple([tuple(file) for file in files if file is not None]), summary)
        return is_noted

    def summaries(self) -> Iterator[Any]:
        """The plain data of all units of earlier builds."""
        return (kept[2] for kept in self._units.values())

    def renew(self, unit: str, summary: Any) -> None:
        """Replace the plain data of a unit that was found."""
        key, files, _ = self._noted.get(unit) or self._units[unit]
        self._noted[unit] = (key, files, summary)

    def save(self, *, known: Iterable[str] | None = None) -> None:
        """Write the cache if it has new data. `known`: all existing units, if the build has them; others are dropped."""
        if self._entry is None:
            return
        units = {**self._units, **self._noted}
        if known is not None:
            wanted = set(known)
            units = {unit: kept for unit, kept in units.items() if unit in wanted}
        if not self._noted and len(units) == len(self._units):
            return
        # A cache that cannot be written is not a reason to fail a build that has succeeded.
        self._entry.store(units)

    def _is_at_rest(self, path: str, size: int, modified: int, changed: int, _: bytes) -> bool:
        """Whether size and times are as noted: a later change would show in them."""
        try:
            status = os.lstat(self._root.full(path))
        except OSError:
            return False
        return status.st_ctime_ns == changed and status.st_mtime_ns == modified and status.st_size == size

    def _renewed(self, unit: str, kept: _Kept) -> StoredUnit | None:
        """The entry with the times of today, with which the content need not be read next time; None if it is another one."""
        files = []
        for file in [Seen(*fields) for fields in kept[1]]:
            seen = file if self._is_at_rest(*file) else _seen(self._root, file.path, _NOTHING)
            if seen is None or seen.digest != file.digest:
                return None
            files.append(tuple(seen))
        self._noted[unit] = (kept[0], tuple(files), kept[2])
        return StoredUnit(kept[2])


def entry_of(project: str, directory: str, environment: Mapping[str, str] = os.environ) -> CacheEntry | None:
    """The place of the cache for a project and an output directory; None if the caller has no cache."""
    folder = open_folder(environment=environment)
    name = sha256(f"{os.path.realpath(project)}\0{os.path.realpath(directory)}".encode(errors="surrogateescape")).hexdigest()
    return CacheEntry(folder, name[:32]) if folder is not None else None


def key(parts: Iterable[bytes]) -> bytes:
    """The key of inputs, each in its place; begin with `program.digest()`."""
    digest = sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


def _seen(root: Root, path: str, written: CommittedFiles) -> Seen | None:
    """The file as it is; None for what is not ours or was edited by hand."""
    try:
        # The times before the content: what changes in between is found out next time.
        now, state = time.time_ns(), state_of(root.full(path))
        digest = written.digest(path, state) or _digest(root, path)
    except (OSError, ObstacleError):
        return None
    size, modified, changed = state[2:]
    return Seen(path, size, modified, changed if is_at_rest(state, now) else _UNKNOWN, digest) if digest is not None else None


def _digest(root: Root, path: str) -> bytes | None:
    """The digest of a file; None for what is not ours or was edited by hand. Raises OSError and ObstacleError."""
    file = root.read(path)
    known = header.read(file.content) if file is not None else None
    if file is None or known is None or header.is_edited(file.content, known):
        return None
    return sha256(file.content).digest()
