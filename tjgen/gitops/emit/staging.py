"""A directory -> its staging directory, `DIR/.tjgen`: what a build prepares and what it needs to undo a commit.

It holds the file lock, the new contents under numbers (`0`, `1`), the files that the commit replaces or
removes (`0.old`), and the journal. It is in the directory that it serves, so that a file moves into place
with one rename. Git ignores it, and Kubernetes tools do not read hidden folders.
"""

from __future__ import annotations

import errno
import os
import re
import stat

from tjgen.gitops.emit.filesystem import ObstacleError, describe
from tjgen.trees import system
from tjgen.trees.typing import NamedTuple

NAME = ".tjgen"
LOCK = "lock"
JOURNAL = "journal"
IGNORED = ".gitignore"
_NO_LINKS = (errno.EPERM, errno.EXDEV, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
_OURS = re.compile(r"(?:[0-9a-f]+(?:\.old)?|journal|journal\.new)\Z")


class Staged(NamedTuple):
    """A file in the staging directory."""

    name: str
    modified: int
    """Time of its last change in nanoseconds. A rename keeps it, and a rewrite of the file changes it."""


def path_in(directory: str) -> str:
    """The staging directory of `directory`."""
    return f"{directory}/{NAME}"


def require_folder(directory: str) -> None:
    """Raise ObstacleError where the staging directory is a link or a file: it could lead anywhere."""
    try:
        mode = os.lstat(path_in(directory)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISDIR(mode):
        raise ObstacleError(path_in(directory), describe(mode))


def stage(staging: str, number: int, content: bytes, mode: int | None) -> Staged:
    """Write new content. `mode`: permissions of the file that it replaces."""
    name = f"{number:x}"
    return Staged(name, write(f"{staging}/{name}", content, mode))


def old(name: str) -> str:
    """The name of the file that the staged file `name` replaces, or that is removed."""
    return f"{name}.old"


def hide(staging: str) -> None:
    """Let Git ignore the staging directory: `git add --all` after an interrupted build must not add it."""
    write(f"{staging}/{IGNORED}", b"*\n")


def leftovers(staging: str) -> list[str]:
    """The names of what an earlier build left; not of the lock, of `.gitignore`, and of files that tjgen did not write."""
    return [name for name in os.listdir(staging) if _OURS.match(name)]


def clear(staging: str) -> None:
    """Remove what was staged; other files stay, and with them the folder."""
    for name in leftovers(staging):
        os.unlink(f"{staging}/{name}")


def unhide(staging: str) -> None:
    """Remove what `hide` wrote, when nothing else is left."""
    if not leftovers(staging):
        os.unlink(f"{staging}/{IGNORED}")


def write(path: str, content: bytes, mode: int | None = None) -> int:
    """Write a file, not through a link. `mode`: its permissions, where they are not the default ones.

    Returns the time of its last change in nanoseconds.
    """
    descriptor = os.open(path, system.WRITE, 0o666)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        # A write may take less than it was given, for example when the disk is almost full.
        written = os.write(descriptor, content)
        while written < len(content):
            written += os.write(descriptor, content[written:])
        return os.fstat(descriptor).st_mtime_ns
    finally:
        os.close(descriptor)


def duplicate(source: str, target: str) -> None:
    """Let `target` be the file `source` too, or a copy of it where the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _copy(source, target)


def move(source: str, target: str) -> None:
    """Rename `source`, also to another file system; the file at `target` is the old one or the new one at any time."""
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # Part of the directory, or the folder of records, is on another file system: copy, then rename there.
        near = _near(target)
        _copy(source, near)
        os.rename(near, target)
        os.unlink(source)


def discard_copy(target: str) -> None:
    """Remove what an interrupted `move` across file systems left next to `target`."""
    try:
        os.unlink(_near(target))
    except (FileNotFoundError, NotADirectoryError):
        return


def _near(target: str) -> str:
    return f"{os.path.dirname(target)}/.{os.path.basename(target)}.tjgen"


def _copy(source: str, target: str) -> None:
    with open(source, "rb") as file:
        content = file.read()
        known = os.fstat(file.fileno())
    write(target, content, stat.S_IMODE(known.st_mode))
    # The time is part of how recovery recognizes a file.
    os.utime(target, ns=(known.st_atime_ns, known.st_mtime_ns))
