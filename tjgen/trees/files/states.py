"""A path -> its state: what a later change of the file or folder shows in."""

from __future__ import annotations

import os

FINE = 20_000_000
"""Nanoseconds: more than the resolution of the times of a file system."""
_COARSE = 2_000_000_000
"""The same for a file system with times of whole milliseconds or seconds."""
_MILLISECOND = 1_000_000


def state_of(path: str) -> tuple[int, ...]:
    """What changes with a file or a folder: also the content of a regular file, and the names in a folder. Raises OSError."""
    status = os.lstat(path)
    return status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def is_at_rest(state: tuple[int, ...], moment: int) -> bool:
    """Whether what has this state had not changed for so long at the moment (ns) that a later change shows in its times.

    The last two numbers of the state are the times (ns) of the last change of the content and of the file.
    """
    return max(state[-2:]) < moment - (FINE if state[-1] % _MILLISECOND else _COARSE)
