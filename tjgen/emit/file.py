"""Text in chunks -> one file that is old or new, never partial; or a pipe or device, as it comes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from tjgen.diagnostics.model import CompileError
from tjgen.emit import problems
from tjgen.emit.filelock import BusyError, FileLock, acquire

_CHUNK = 1 << 16


def write(path: str, chunks: Iterable[str], *, inputs: Iterable[str] = (), wait: float = 2.0) -> bool:
    """Write the chunks to `path`; whether anything changed: an unchanged file keeps its time of modification.

    A link is followed, so that it stays one. `inputs` are the files that are being compiled, none of
    which may be `path`. Raises CompileError; the old content is whole then.
    """
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
                stream.write(chunk.encode())
    except BusyError:
        raise CompileError([problems.busy(path)]) from None
    except OSError as error:
        raise CompileError([problems.failed(path, error)]) from error
    return True


def _replace(path: str, chunks: Iterable[str], mode: int | None, wait: float) -> bool:
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, os.strerror(2), folder)
    # The new file is its own lock: one writer at a time, and what a killed one left is used again.
    near = f"{folder}/.{name}.tjgen"
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


def _fill(lock: FileLock, chunks: Iterable[str]) -> None:
    os.ftruncate(lock.descriptor, 0)
    with open(lock.descriptor, "wb", closefd=False) as stream:
        for chunk in chunks:
            stream.write(chunk.encode())


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
