"""The real path of a folder -> the folder, opened part by part, so that no link can take its place meanwhile.

A path that was checked leads elsewhere as soon as one of its folders is replaced by a link. A descriptor does not: each part is
opened in the folder that is open already, and a link is refused.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator

from tjgen.trees import system
from tjgen.trees.files.regular import read_text
from tjgen.trees.typing import NamedTuple


class OpenFolders:
    """Folders below roots. The one that was used last stays open.

    A forked process opens its own: it may have closed the descriptors that it inherited, and used their numbers again.
    """

    __slots__ = ("_folder", "_path", "_process", "_roots")
    _folder: int
    _path: str
    _process: int
    _roots: dict[str, int]

    def __init__(self) -> None:
        self._forget()

    def __del__(self) -> None:
        if self._process == os.getpid():
            self._close()
            for descriptor in self._roots.values():
                os.close(descriptor)

    def open(self, root: str, real: str) -> int:
        """The descriptor of a folder at or below a root, valid until the next call; both are real paths.

        Raises OSError, and LinkError if a part is a link. The descriptor is for opening what is in the folder: see `entries`.
        """
        if self._process != os.getpid():
            self._forget()
        parts = [part for part in real[len(root.rstrip("/")) :].split("/") if part]
        if not parts:
            return self._root(root)
        if real != self._path:
            self._close()
            above = self._root(root)
            for part in parts:
                try:
                    descriptor = _open(part, above)
                finally:
                    if above != self._roots[root]:
                        os.close(above)
                above = descriptor
            self._path, self._folder = real, above
        return self._folder

    def _forget(self) -> None:
        """Begin with no open folder, and close none."""
        self._process, self._roots, self._path, self._folder = os.getpid(), {}, "", -1

    def _close(self) -> None:
        if self._folder >= 0:
            os.close(self._folder)
        self._path, self._folder = "", -1

    def _root(self, root: str) -> int:
        if root not in self._roots:
            self._roots[root] = _open(root, None)
        return self._roots[root]


class LinkError(NotADirectoryError):
    """A part of a path is a link."""

    def __init__(self, part: str) -> None:
        super().__init__(errno.ENOTDIR, f"{part} is a link", part)


class Beneath:
    """Reads what is below a folder, and follows no link there. The folder itself may be named by links."""

    def __init__(self, folder: str) -> None:
        self._root = os.path.realpath(folder)
        self._folders = OpenFolders()

    def text(self, path: str) -> str:
        """The text of a regular file, its lines ended by line feeds. Raises OSError, also for a link, and UnicodeDecodeError."""
        folder, _, name = path.rpartition("/")
        return read_text(name, folder=self._open(folder))

    def names(self, path: str) -> list[str]:
        """The names in a folder, in any order. Raises OSError, and LinkError for a link."""
        return [entry.name for entry in entries(self._open(path), "")]

    def files(self, path: str) -> list[str]:
        """The paths of all files and links below a folder, in order. Folders that cannot be read count as empty."""
        paths: list[str] = []
        folders = [path]
        while folders:
            folder = folders.pop()
            try:
                in_folder = list(entries(self._open(folder), folder))
            except OSError:
                continue
            paths += [entry.path for entry in in_folder if not entry.is_folder]
            folders += [entry.path for entry in in_folder if entry.is_folder]
        return sorted(paths)

    def _open(self, path: str) -> int:
        return self._folders.open(self._root, os.path.normpath(f"{self._root}/{path}"))


class FolderEntry(NamedTuple):
    """A file or a folder in a folder."""

    name: str
    path: str
    is_folder: bool
    """Whether it is a folder itself; a link to one is not."""
    is_link: bool
    is_file: bool
    """Whether it is a regular file itself; a link to one is not."""


def entries(folder: int, path: str) -> Iterator[FolderEntry]:
    """What is in an open folder, in any order; `path` is what their paths begin with. Raises OSError."""
    descriptor = os.open(".", system.FOLDER, dir_fd=folder)
    try:
        with os.scandir(descriptor) as scanned:
            for one in scanned:
                is_folder = one.is_dir(follow_symlinks=False)
                is_file = one.is_file(follow_symlinks=False)
                yield FolderEntry(one.name, os.path.join(path, one.name), is_folder, one.is_symlink(), is_file)
    finally:
        os.close(descriptor)


def _open(part: str, folder: int | None) -> int:
    try:
        return os.open(part, system.SEARCH, dir_fd=folder)
    except OSError as error:
        is_link = error.errno in system.IS_LINK
        if is_link or (error.errno == errno.ENOTDIR and _is_link(part, folder)):
            raise LinkError(part) from None
        raise


def _is_link(part: str, folder: int | None) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:  # it does not exist any more
        return False
