"""A directory and a path in it -> whether tjgen may write a file there, and the current file.

Nothing is followed: a link on the way could lead out of the directory, so it is an obstacle. What is
read is read once, with the file opened before it is judged, in folders that are opened part by part.
"""

from __future__ import annotations

import errno
import os
import re
import stat

from tjgen.trees import system
from tjgen.trees.files.beneath import FolderEntry, LinkError, OpenFolders, entries
from tjgen.trees.typing import NamedTuple

_SAFE = re.compile(r"(?:[^/.\x00-\x1f\x7f\ud800-\udfff][^/\x00-\x1f\x7f\ud800-\udfff]*(?:/(?=.)|\Z))+\Z")
_CHUNK = 1 << 16


def is_safe(path: str) -> bool:
    """Whether `path` is relative, stays below, and has no hidden part and no control character."""
    return _SAFE.match(path) is not None


class FileOnDisk(NamedTuple):
    """A file as it is on disk."""

    content: bytes
    mode: int
    modified: int
    """Time of the last change of the content, in nanoseconds."""


class ObstacleError(Exception):
    """Another kind of file exists at the path of a file or folder."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(path, what)
        self.path = path
        self.what = what


class Root:
    """A directory of output files. Its cache of folders is valid until they change."""

    __slots__ = ("_absent", "_folders", "_present", "_real", "directory")

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self._folders = OpenFolders()
        self._real = ""
        self._present = {""}
        self._absent: set[str] = set()

    def full(self, path: str) -> str:
        """The path as the operating system requires it."""
        return f"{self.directory}/{path}"

    def enter(self, folder: str) -> None:
        """Make sure that `folder` is a real folder, or nothing yet; raises ObstacleError."""
        if folder in self._present or folder in self._absent:
            return
        parent = folder.rpartition("/")[0]
        self.enter(parent)
        if parent in self._absent:
            self._absent.add(folder)
            return
        try:
            mode = os.lstat(self.full(folder)).st_mode
        except FileNotFoundError:
            self._absent.add(folder)
            return
        if not stat.S_ISDIR(mode):
            raise ObstacleError(folder, describe(mode))
        self._present.add(folder)

    def listed(self, folder: str) -> None:
        """Note that a listing has shown `folder` as a real folder."""
        self._present.add(folder)

    def entries(self, folder: str) -> list[FolderEntry]:
        """What is in `folder`, in any order. Raises OSError, and ObstacleError for a link."""
        return list(entries(self._descriptor(folder), folder))

    def is_same(self, path: str, content: bytes) -> bool | None:
        """Whether the file at `path` holds exactly `content`; None if there is none. Raises ObstacleError."""
        descriptor = self._open(path)
        if descriptor < 0:
            return None
        try:
            # One byte more shows whether the file goes on.
            return os.read(descriptor, len(content) + 1) == content
        except IsADirectoryError:
            raise ObstacleError(path, "a folder") from None
        finally:
            os.close(descriptor)

    def read(self, path: str, *, opening: bytes = b"") -> FileOnDisk | None:
        """The file at `path`; None if there is none. Raises ObstacleError for what is not a regular file.

        Of a file that does not begin with `opening` only the beginning is read.
        """
        descriptor = self._open(path)
        if descriptor < 0:
            return None
        try:
            known = os.fstat(descriptor)
            mode = known.st_mode
            if not stat.S_ISREG(mode):
                raise ObstacleError(path, describe(mode))
            part = os.read(descriptor, _CHUNK)
            parts = [part]
            if part.startswith(opening):
                while part := os.read(descriptor, _CHUNK):
                    parts.append(part)
            return FileOnDisk(b"".join(parts), stat.S_IMODE(mode), known.st_mtime_ns)
        finally:
            os.close(descriptor)

    def _open(self, path: str) -> int:
        folder, _, name = path.rpartition("/")
        if folder in self._absent:
            return -1
        try:
            return os.open(name, system.READ, dir_fd=self._descriptor(folder))
        except FileNotFoundError:
            return -1
        except OSError as error:
            if error.errno in system.IS_LINK:
                raise ObstacleError(path, "a symbolic link") from None
            if error.errno == errno.ENXIO:
                raise ObstacleError(path, "a socket") from None
            raise

    def _descriptor(self, folder: str) -> int:
        """The open folder, valid until the next call. Raises OSError, and ObstacleError for a link."""
        self._real = self._real or os.path.realpath(self.directory)
        try:
            return self._folders.open(self._real, f"{self._real.rstrip('/')}/{folder}")
        except LinkError:
            raise ObstacleError(folder, "a symbolic link") from None


def describe(mode: int) -> str:
    """What a file of that mode is, for messages."""
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a file" if stat.S_ISREG(mode) else "a special file"
