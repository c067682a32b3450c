"""The environment of the caller -> its cache folder, and the values in the files of it; or why the folder is not used.

Every cache of tjgen is opened, read and written here. A stored value can decide what a command prints, so only the account that
runs the command can write one: the folder and each file in it belong to that account, no other account can write to them or
replace them, and they are outside of any work tree, because a pull request changes files there. A file is read only if it is of
this form and has its checksum: nothing else reaches marshal. Without a cache, commands print and write the same.

Only os, stat, sys and marshal are imported: `check` needs this on the way to an answer that it kept.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
import time

from tjgen.trees import system
from tjgen.trees.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCH = "TJGEN_CACHE"
"""The variable of the environment that turns all caches off."""
HOME = "XDG_CACHE_HOME"
"""The variable of the environment that names the folder of all caches of the caller."""
_OFF = ("off", "0", "no", "false")
_FORM = f"tjgen cache 3 {sys.implementation.cache_tag} {marshal.version}\n".encode()
"""What a checksum begins with: values of another Python or of another form are not read."""
_LARGEST = 1 << 30
"""Bytes of a file that is read."""
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MARKS = {".git": "the Git work tree", "tjgen.yaml": "the project"}
"""File or folder that marks a folder whose files a pull request can change -> what that folder is."""
# By these names, they are not part of what a command learns from the file system: see cli/watching.py.
_open, _lstat, _mkdir, _replace, _unlink, _scandir = os.open, os.lstat, os.mkdir, os.replace, os.unlink, os.scandir


class CacheFolder:
    """An open folder of a cache, as long as this object is used by the process that opened it.

    In a forked process it is empty: the number of the descriptor may be that of another folder there.
    """

    __slots__ = ("_descriptor", "_process")

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._process = descriptor, os.getpid()

    def __del__(self) -> None:
        if self._is_open():
            os.close(self._descriptor)

    def _is_open(self) -> bool:
        return self._process == os.getpid()

    def load(self, name: str) -> Any:
        """The value of a file; None without a file that this account has stored whole."""
        if not self._is_open():
            return None
        try:
            descriptor = _open(name, system.READ, dir_fd=self._descriptor)
        except (OSError, ValueError):
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not _is_own(status) or status.st_size > _LARGEST:
                return None
            digest, _, packed = os.read(descriptor, status.st_size + 1).partition(b"\n")
        finally:
            os.close(descriptor)
        return marshal.loads(packed) if digest == checksum(packed) else None

    def store(self, name: str, value: Any) -> bool:
        """Replace a file, whole or not at all; whether it was possible."""
        if not self._is_open():
            return False
        packed = marshal.dumps(value)
        near = f"{name}.{os.getpid()}.{time.time_ns()}"
        try:
            descriptor = _open(near, system.WRITE_NEW, 0o600, dir_fd=self._descriptor)
            try:
                rest = memoryview(checksum(packed) + b"\n" + packed)
                while rest:
                    rest = rest[os.write(descriptor, rest) :]
                _replace(near, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            except OSError:
                _unlink(near, dir_fd=self._descriptor)
                return False
            finally:
                os.close(descriptor)
        except OSError:
            return False
        return True

    def trim(self, most: int) -> None:
        """Remove the older half of the files if there are more than `most`."""
        if not self._is_open():
            return
        try:
            with _scandir(self._descriptor) as entries:
                files = [(entry.stat(follow_symlinks=False), entry.name) for entry in entries if not entry.is_dir()]
            if len(files) > most:
                for _, name in sorted(files, key=lambda file: file[0].st_mtime_ns)[: len(files) // 2]:
                    _unlink(name, dir_fd=self._descriptor)
        except OSError:  # another command removes them at the same time
            return


class CacheEntry(NamedTuple):
    """The place of one value in a cache."""

    folder: CacheFolder
    name: str

    def load(self) -> Any:
        """The value; None without one."""
        return self.folder.load(self.name)

    def store(self, value: Any) -> bool:
        """Replace the value; whether it was possible."""
        return self.folder.store(self.name, value)


def location(environment: Mapping[str, str] = os.environ) -> str | None:
    """The path of the folder of all caches; None if caches are turned off, or if the environment has no place for them."""
    if environment.get(SWITCH, "").lower() in _OFF:
        return None
    folder = environment.get(HOME, "")
    if not os.path.isabs(folder):
        home = environment.get("HOME", "")
        folder = f"{home}/.cache" if os.path.isabs(home) else ""
    return f"{folder}/tjgen" if folder else None


def open_folder(name: str = "", environment: Mapping[str, str] = os.environ) -> CacheFolder | None:
    """The folder of all caches, or the folder `name` in it, which is created if it is missing; None if it cannot be used."""
    folder = location(environment)
    if folder is None:
        return None
    real = os.path.realpath(folder)
    if _reason(real, environment) is not None:
        return None
    if name:
        real = f"{real}/{name}"
    try:
        _create(real)
        descriptor = _open(real, system.FOLDER)
    except (OSError, ValueError):
        return None
    # What was checked is what was opened: only this account and root can replace it meanwhile.
    return CacheFolder(descriptor) if _is_own(os.fstat(descriptor)) else None


def refusal(environment: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """The path of the folder that XDG_CACHE_HOME names, and why it must not be used; None if it can be, or if none is named.

    The folder in the home of an account is a default, which no caller has chosen.
    """
    folder = location(environment)
    if folder is None or not os.path.isabs(environment.get(HOME, "")):
        return None
    reason = _reason(os.path.realpath(folder), environment)
    return None if reason is None else (folder, reason)


def checksum(packed: bytes) -> bytes:
    """The first line of a file with a value in the form of marshal."""
    try:
        from _blake2 import blake2b  # without hashlib, which takes longer than the rest
    except ImportError:
        from hashlib import blake2b

    return blake2b(_FORM + packed, digest_size=32).hexdigest().encode()


def _reason(real: str, environment: Mapping[str, str]) -> str | None:
    """Why the folder with this real path must not be used. It need not exist yet."""
    work_tree = environment.get("GIT_WORK_TREE", "")
    if work_tree and f"{real}/".startswith(f"{os.path.realpath(work_tree).rstrip('/')}/"):
        return f"it is inside of the Git work tree {work_tree}"
    folders = [real]
    while folders[-1] != os.path.dirname(folders[-1]):
        folders.append(os.path.dirname(folders[-1]))
    for folder in folders:
        for mark, meaning in _MARKS.items():
            if os.path.lexists(f"{folder}/{mark}"):
                return f"it is inside of {meaning} {folder}"
        try:
            status = _lstat(folder)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None  # it cannot be opened either
        if status.st_uid not in (os.geteuid(), 0) or (folder == real and status.st_uid != os.geteuid()):
            return f"{folder} belongs to another account"
        # In a folder like /tmp, others can create files, and cannot replace those of this account.
        if status.st_mode & _OTHERS and (folder == real or not status.st_mode & stat.S_ISVTX):
            return f"other accounts can write to {folder}"
    return None


def _is_own(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS


def _create(folder: str) -> None:
    """Create the folder, and those above it. Raises OSError."""
    try:
        _mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        _create(os.path.dirname(folder))
        _mkdir(folder, 0o700)
