"""A path -> what is in the regular file there, never more than a limit; nothing else is opened for long.

A named pipe does not block, a device is not read, and a link is not followed. Only os, stat and `system` are imported:
`check` needs this on the way to an answer that it kept.
"""

from __future__ import annotations

import os
import stat

from tjgen.trees import system

LIMIT = 32 * 1024 * 1024
"""Bytes of a file where no project sets another limit."""


class SpecialFileError(OSError):
    """What is at the path is not a regular file. `mode` is its mode."""

    def __init__(self, path: str, mode: int) -> None:
        super().__init__(None, "it is not a regular file", path)
        self.mode = mode


class LargeFileError(OSError):
    """The file has more bytes than the limit. `size` is how many at least."""

    def __init__(self, path: str, size: int) -> None:
        super().__init__(None, f"it has {size} bytes or more", path)
        self.size = size


def read_regular(path: str, limit: int = LIMIT, *, folder: int | None = None) -> bytes:
    """The content of a regular file of at most `limit` bytes. Raises OSError, also for a link, and the two above.

    `folder`: the descriptor of the open folder that the path begins at; the working directory without one.
    """
    descriptor = os.open(path, system.READ, dir_fd=folder)
    try:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise SpecialFileError(path, known.st_mode)
        if known.st_size > limit:
            raise LargeFileError(path, known.st_size)
        # A file can grow, and files of the kernel have no size: what is read is bounded as well.
        first = os.read(descriptor, known.st_size + 1)
        if len(first) == known.st_size:
            return first
        parts, length = [first], len(first)
        while parts[-1] and length <= limit:
            parts.append(os.read(descriptor, limit + 1 - length))
            length += len(parts[-1])
        if length > limit:
            raise LargeFileError(path, length)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def write_new(path: str, content: bytes) -> None:
    """Write a new file, and replace what is at the path; a link there is removed, not followed. Raises OSError."""
    if os.path.lexists(path):
        os.unlink(path)
    descriptor = os.open(path, system.WRITE_NEW, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)


def read_text(path: str, *, folder: int | None = None) -> str:
    """The text of a regular file, its lines ended by line feeds. Raises OSError, also for a link, and UnicodeDecodeError."""
    return read_regular(path, folder=folder).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
