"""The operating systems that tjgen runs on: the flags that open files, and the errors of opening a link."""

from __future__ import annotations

import errno
import os

LINK_ERRORS = {
    "Linux": (errno.ELOOP,),
    "macOS": (errno.ELOOP,),
    "FreeBSD": (errno.EMLINK,),
    "NetBSD": (getattr(errno, "EFTYPE", errno.ELOOP),),
}
"""Name of each operating system -> the errors with which it refuses to open a link."""
IS_LINK = frozenset(number for numbers in LINK_ERRORS.values() for number in numbers)

_OPEN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Links are not followed, and programs that tjgen starts do not inherit the file."""
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _OPEN
"""Opening a named pipe does not block."""
WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _OPEN
WRITE_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN
IS_FOLDER = os.O_DIRECTORY
FOLDER = os.O_RDONLY | IS_FOLDER | _OPEN
SEARCH = getattr(os, "O_PATH", os.O_RDONLY) | IS_FOLDER | _OPEN
"""Opens a folder to open what is in it. Linux requires no permission to list it."""
LOCK = os.O_RDWR | os.O_CREAT | _OPEN
