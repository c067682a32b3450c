"""A local folder and patterns -> the files of the code below it, sorted by path, and a digest of them.

Hidden files, what Python compiles and what editors leave behind are no code. Links are followed to files
of the folder only: what lies beside it shall not travel with a run by accident.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from tjgen.typing import NamedTuple

_COMPILED = ("*.pyc", "*.pyo", "*~", "*.swp")
_CACHES = ("__pycache__", "node_modules")


class File(NamedTuple):
    """One file of the code."""

    path: str
    """Below the folder, with `/`."""
    place: str
    """Where it is on this machine."""
    size: int
    executable: bool

    def content(self) -> bytes:
        """What it holds. Raises OSError."""
        with open(self.place, "rb") as stream:
            return stream.read()


class FolderError(Exception):
    """The folder cannot be read as code. `path` is what is wrong in it, "" for the folder itself."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason


def found(folder: str, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> list[File]:
    """The files below `folder` that a pattern of `include` matches (all, where there is none) and none of `exclude`.

    `*` stays in a folder, `**` leads through several. Raises FolderError for a folder that is not there,
    for what cannot be read, and for a link that leads out.
    """
    if not os.path.isdir(folder):
        raise FolderError("", "it is no folder" if os.path.exists(folder) else "it is not there")
    wanted = [_pattern(text) for text in include]
    unwanted = [_pattern(text) for text in (*exclude, *(f"**/{text}" for text in _COMPILED))]
    files = []
    for place, path in _walk(folder):
        if (wanted and not _matches(path, wanted)) or _matches(path, unwanted):
            continue
        if not _is_text(path):
            raise FolderError(ascii(path), "its name is no UTF-8")
        root = os.path.realpath(folder)
        real = os.path.realpath(place)
        if real != root and not real.startswith(root.rstrip(os.sep) + os.sep):
            raise FolderError(path, "it is a link that leads out of the folder")
        try:
            known = os.stat(place)
        except OSError as error:
            raise FolderError(path, str(error.strerror).lower()) from None
        files.append(File(path, place, known.st_size, bool(known.st_mode & 0o100)))
    return sorted(files)


def digest(files: Iterable[File]) -> str:
    """SHA-256 over paths, modes and contents, in hexadecimal. Raises FolderError for what cannot be read."""
    whole = sha256()
    for file in files:
        try:
            content = sha256(file.content()).hexdigest()
        except OSError as error:
            raise FolderError(file.path, str(error.strerror).lower()) from None
        whole.update(f"{file.path}\0{'x' if file.executable else '-'}\0{content}\n".encode())
    return whole.hexdigest()


def _walk(folder: str) -> Iterable[tuple[str, str]]:
    """Place and path of every plain file, without those that are no code."""

    def refuse(error: OSError) -> None:
        raise FolderError(os.path.relpath(error.filename, folder), str(error.strerror).lower())

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _CACHES)
        for name in names:
            place = os.path.join(parent, name)
            if not name.startswith(".") and (os.path.isfile(place) or os.path.islink(place)):
                yield place, os.path.relpath(place, folder).replace(os.sep, "/")


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _matches(path: str, patterns: Sequence[re.Pattern[str]]) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern of paths; one that ends at a folder holds what is below it."""
    parts = []
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", text.removeprefix("./").rstrip("/")):
        parts.append({"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part) or re.escape(part))
    return re.compile("".join(parts) + "(?:/.*)?", re.S)
