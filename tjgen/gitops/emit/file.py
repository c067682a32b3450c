"""Text in chunks -> one file that is old or new, never partial; or a pipe or device, as it comes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping

from tjgen.gitops.emit import problems
from tjgen.gitops.emit.filelock import BusyError, FileLock, acquire
from tjgen.trees.diagnostics.model import CompileError
from tjgen.trees.files.links import link_in

_CHUNK = 1 << 16


class UnwrittenError(Exception):
    """A file cannot be replaced."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


def write(path: str, chunks: Iterable[str | bytes], *, inputs: Iterable[str] = (), wait: float = 2.0) -> bool:
    """Write the chunks to `path`; whether anything changed: an unchanged file keeps its time of modification.

    A link is followed, so that it stays one, unless it is one of the repository (TJ039). `inputs` are the files that are being
    compiled, none of which may be `path`. Raises CompileError; the old content is whole then.
    """
    link = link_in(path)
    if link is not None:
        raise CompileError([problems.linked(path, link)])
    try:
        known = os.stat(path)
    except FileNotFoundError:
        known = None
    except OSError as error:
        raise CompileError([problems.failed(path, error)]) from error
    try:
        if known is None or stat.S_ISREG(known.st_mode):
            if known is not None and any(_is_same(known, name) for name in inputs):
                raise CompileError([problems.is_an_input(path)])
            return _replace(os.path.realpath(path), chunks, None if known is None else stat.S_IMODE(known.st_mode), wait)
        with open(path, "wb") as stream:
            for chunk in chunks:
                stream.write(chunk if isinstance(chunk, bytes) else chunk.encode())
    except BusyError:
        raise CompileError([problems.busy(path)]) from None
    except OSError as error:
        raise CompileError([problems.failed(path, error)]) from error
    return True


def _replace(path: str, chunks: Iterable[str | bytes], mode: int | None, wait: float) -> bool:
    if not os.path.isdir(os.path.dirname(path)):
        raise FileNotFoundError(2, os.strerror(2), os.path.dirname(path))
    near = _near(path)
    lock = acquire(near, wait=wait)
    placed = False
    try:
        _fill(lock, chunks)
        if mode is not None:
            os.fchmod(lock.descriptor, mode)
        if mode is None or not _is_equal(near, path):
            os.rename(near, path)
            placed = True
    finally:
        lock.release(keep=placed)
    return placed


def replace_all(contents: Mapping[str, bytes], *, wait: float = 2.0) -> None:
    """Replace files that exist, all or none of them where the system refuses; raises UnwrittenError.

    Permissions stay, and a link is followed. Killed at any moment, each file is old or new.
    """
    ready: list[tuple[FileLock, str]] = []
    placed = 0
    path = ""
    try:
        for path, content in contents.items():
            place = os.path.realpath(path)
            mode = stat.S_IMODE(os.stat(place).st_mode)
            lock = acquire(_near(place), wait=wait)
            ready.append((lock, place))
            _fill(lock, [content])
            os.fchmod(lock.descriptor, mode)
        for lock, place in ready:
            path = place
            os.rename(lock.path, place)
            placed += 1
    except BusyError:
        raise UnwrittenError(path, "another command is writing it") from None
    except OSError as error:
        raise UnwrittenError(path, error.strerror or str(error)) from error
    finally:
        for number, (lock, _) in enumerate(ready):
            lock.release(keep=number < placed)


def _near(path: str) -> str:
    """Where the new content of a file is written. The file is its own lock, and what a killed command left is used again."""
    folder, name = os.path.split(path)
    return f"{folder}/.{name}.tjgen"


def _fill(lock: FileLock, chunks: Iterable[str | bytes]) -> None:
    os.ftruncate(lock.descriptor, 0)
    with open(lock.descriptor, "wb", closefd=False) as stream:
        for chunk in chunks:
            stream.write(chunk if isinstance(chunk, bytes) else chunk.encode())


def _is_equal(path: str, other: str) -> bool:
    with open(path, "rb") as one, open(other, "rb") as two:
        while True:
            part = one.read(_CHUNK)
            if part != two.read(_CHUNK):
                return False
            if not part:
                return True


def _is_same(known: os.stat_result, name: str) -> bool:
    try:
        return os.path.samestat(known, os.stat(name))
    except FileNotFoundError:
        return False
