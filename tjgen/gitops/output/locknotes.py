"""The lock of an experiment -> a note, by which a later build recognizes the lock without reading it.

A note has the digest of the files of a lock, and their states if a later change shows in them. It also has what other
experiments need to know of the lock: whether all its runs are plain, neither archived nor moved from another experiment.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Container, Mapping
from hashlib import sha256

from tjgen.gitops.emit.written import CommittedFiles
from tjgen.language.runs.lock import ARCHIVED, Lock
from tjgen.language.runs.store import Locks
from tjgen.trees.files.regular import read_regular
from tjgen.trees.files.states import is_at_rest, state_of
from tjgen.trees.typing import Any, NamedTuple

_FORMER = ".yaml"
"""The end of the name of a lock in its former form, next to the folder with its files."""


class LockNote(NamedTuple):
    """What is kept of a lock; `marshal` can write it as a tuple."""

    program: bytes
    """The digest of the program and of the project, by which the rest is valid."""
    digest: bytes
    """Of its files."""
    states: tuple[tuple[str, tuple[int, ...]], ...]
    """Name and state of its folder ("") and of each file in it; empty if a later change might not show in them."""
    is_plain: bool
    """Whether none of its runs is archived or in a folder of another experiment."""


class LockNotes:
    """The notes on the locks of a project, while a build has the turn there."""

    def __init__(self, locks: Locks, program: bytes, notes: Mapping[str, Any]) -> None:
        """`notes`: path of a lock -> what `note` returned in an earlier build."""
        self._locks = locks
        self._program = program
        self._notes = notes
        self._known: dict[str, LockNote | None] = {}
        self._neighbors: dict[str, frozenset[str]] = {}
        """Folder of a namespace -> its entries."""

    def known(self, path: str) -> LockNote | None:
        """The note on a lock whose files are as they were; None if they are not, or without a note."""
        if path not in self._known:
            fields = self._notes.get(path)
            self._known[path] = self._renewed(path, LockNote(*fields)) if fields is not None else None
        return self._known[path]

    def plain(self, *, but: Container[str] = ()) -> Container[str]:
        """The paths of the locks that are known to have plain runs only, except those in `but`."""
        return _Paths(lambda path: path not in but and self._is_plain(path))

    def _is_plain(self, path: str) -> bool:
        note = self.known(path)
        return note is not None and note.program == self._program and note.is_plain

    def note(self, path: str, lock: Lock | None, written: CommittedFiles) -> LockNote:
        """The note on a lock after it was written; `lock` is its content, if that is known. Files `written` now are not read."""
        is_plain = lock is not None and not any(run.folder or run.lifecycle_state == ARCHIVED for run in lock.runs.values())
        # The states before the content: a change in between shows next time.
        states = self._states(path)
        return LockNote(self._program, self._digest(path, states, written), states, is_plain)

    def _renewed(self, path: str, note: LockNote) -> LockNote | None:
        """The note with the states of today; None if the content is another one."""
        if note.states and not self._has_former(path):
            folder = self._folder(path)
            try:
                if all(state_of(f"{folder}/{name}" if name else folder) == state for name, state in note.states):
                    return note
            except OSError:
                return None
        states = self._states(path)
        return note._replace(states=states) if self._digest(path, states, CommittedFiles()) == note.digest else None

    def _states(self, path: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The states of the folder and files of a lock; empty if a change of them might not show."""
        if self._has_former(path):
            return ()
        now, folder = time.time_ns(), self._folder(path)
        try:
            whole = state_of(folder)
            states = [("", whole), *[(name, state_of(f"{folder}/{name}")) for name in sorted(self._locks.names(path))]]
        except OSError:
            return ()
        is_plain = stat.S_ISDIR(whole[0]) and all(stat.S_ISREG(state[0]) for _, state in states[1:])
        return tuple(states) if is_plain and all(is_at_rest(state, now) for _, state in states) else ()

    def _digest(self, path: str, states: tuple[tuple[str, tuple[int, ...]], ...], written: CommittedFiles) -> bytes:
        whole, folder = sha256(), self._folder(path)
        former = _digest(folder + _FORMER) if self._has_former(path) else b""
        whole.update(f"{folder}{_FORMER}\0".encode(errors="surrogateescape") + former)
        known = dict(states)
        for name in [name for name in known if name] or sorted(self._locks.names(path)):
            digest = written.digest(f"{path}/{name}", known[name]) if name in known else None
            whole.update(f"{folder}/{name}\0".encode(errors="surrogateescape") + (digest or _digest(f"{folder}/{name}")))
        return whole.digest()

    def _has_former(self, path: str) -> bool:
        """Whether the lock has a file in its former form."""
        above, _, name = path.rpartition("/")
        if above not in self._neighbors:
            self._neighbors[above] = frozenset(self._locks.names(above))
        return name + _FORMER in self._neighbors[above]

    def _folder(self, path: str) -> str:
        return os.path.join(self._locks.folder, path)


class _Paths:
    """The paths for which a question has the answer yes."""

    def __init__(self, question: Callable[[str], bool]) -> None:
        self._question = question

    def __contains__(self, path: object) -> bool:
        return self._question(str(path))


def _digest(file: str) -> bytes:
    try:
        return sha256(read_regular(file)).digest()
    except OSError:
        return b""
