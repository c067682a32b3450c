"""Path of a lock file -> the exclusive right to write the locked files, until it is released.

The file exists only while a process holds the lock, so a tree at rest shows no trace of it. The kernel
drops the lock when its holder dies, however it dies; a file that is left over is simply taken.
"""

from __future__ import annotations

import fcntl
import os
import time

from tjgen.trees import system

_PAUSE = 0.02
_TRIES = 8
"""The folder may disappear while it is created; some, as /proc, exist and accept no file."""


class BusyError(Exception):
    """Another process holds the lock and did not release it in time."""


class FileLock:
    """A lock that lasts until `release`."""

    __slots__ = ("descriptor", "path")

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor

    def release(self, *, keep: bool = False) -> None:
        """Give the lock up. `keep`: the path now holds something else that must stay."""
        try:
            if not keep:
                os.unlink(self.path)
        finally:
            os.close(self.descriptor)


def acquire(path: str, *, wait: float) -> FileLock:
    """The lock at `path`, after at most `wait` seconds; raises BusyError, or OSError where no lock can be had.

    The folder of `path` is created if it is missing.
    """
    deadline = time.monotonic() + wait
    while True:
        descriptor = _acquired(path)
        if descriptor is not None:
            return FileLock(path, descriptor)
        if time.monotonic() >= deadline:
            raise BusyError(path)
        time.sleep(_PAUSE)


def _acquired(path: str, tries: int = _TRIES) -> int | None:
    try:
        descriptor = os.open(path, system.LOCK, 0o666)
    except FileNotFoundError:
        if not tries:
            raise
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        return _acquired(path, tries - 1)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The last holder may have removed the file between the two calls: a lock on a file without a name is none.
        if os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:  # an interruption, too: the descriptor is closed, and the exception goes on
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
