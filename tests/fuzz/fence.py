"""Keeps inputs harmless: while the fence is up, Python writes only below one folder, reaches no network, and starts only Git.

An audit hook stays for the life of the process, so the fence belongs into a process of its own.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVICES = ("/dev/null", "/dev/tty")


class Fence:
    """One fence for a process; `around` raises it for a folder."""

    def __init__(self) -> None:
        self._root = ""
        self._is_up = False
        sys.addaudithook(self._hook)

    @contextmanager
    def around(self, folder: str) -> Iterator[None]:
        """Allow writing below `folder` only."""
        self._root = os.path.realpath(folder)
        self._is_up = True
        try:
            yield
        finally:
            self._is_up = False

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_up:
            check = _CHECKS.get(event)
            if check is not None:
                check(self, arguments)

    def opens(self, arguments: tuple[Any, ...]) -> None:
        path, mode, flags = arguments
        writes = (isinstance(flags, int) and flags & _WRITES) or (isinstance(mode, str) and not set(mode).isdisjoint("wax+"))
        if writes and not isinstance(path, int) and path is not None:
            self.changes((path,))

    def changes(self, arguments: tuple[Any, ...]) -> None:
        """The first argument is a path that is written."""
        self._require(arguments[0])

    def changes_both(self, arguments: tuple[Any, ...]) -> None:
        self._require(arguments[0])
        self._require(arguments[1])

    def changes_second(self, arguments: tuple[Any, ...]) -> None:
        self._require(arguments[1])

    def _require(self, path: Any) -> None:
        if isinstance(path, int):
            return
        name = os.fsdecode(path)
        # The check must not run into itself.
        self._is_up = False
        try:
            where = os.path.join(os.path.realpath(os.path.dirname(name) or "."), os.path.basename(name))
        finally:
            self._is_up = True
        if where != self._root and not where.startswith(self._root + "/") and where not in _DEVICES:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), name)

    def connects(self, arguments: tuple[Any, ...]) -> None:
        raise ConnectionRefusedError(errno.ECONNREFUSED, os.strerror(errno.ECONNREFUSED))

    def starts(self, arguments: tuple[Any, ...]) -> None:
        program = os.path.basename(os.fsdecode(arguments[0]))
        if program != "git":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


_Check = Callable[[Fence, tuple[Any, ...]], None]
_CHECKS: dict[str, _Check] = {
    "open": Fence.opens,
    **dict.fromkeys(("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.utime"), Fence.changes),
    "os.rename": Fence.changes_both,
    "os.link": Fence.changes_second,
    "os.symlink": Fence.changes_second,
    "socket.connect": Fence.connects,
    "socket.getaddrinfo": Fence.connects,
    "subprocess.Popen": Fence.starts,
    "os.system": Fence.connects,
}
