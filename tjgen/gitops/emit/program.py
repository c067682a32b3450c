"""This installation of tjgen -> digests that are others after every release, and after every edit of a checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256

import tjgen
from tjgen.trees import data
from tjgen.trees.files.regular import read_regular


def digest() -> bytes:
    """The digest of the version, and of name, size and time of each file of the program and of its bundled data."""
    lines = [tjgen.__version__]
    for root in sorted(set(_roots())):
        lines += sorted(_files(root))
    return sha256("\n".join(lines).encode(errors="surrogateescape")).digest()


def content_digest() -> str:
    """The digest of the content of the program and of its bundled data, the same on every machine; in hexadecimal."""
    whole = sha256(tjgen.__version__.encode())
    for root in _roots():
        for file in sorted(entry.path for entry in _entries(root)):
            content = read_regular(file)
            name = os.path.relpath(file, root).replace(os.sep, "/")
            whole.update(f"{name}\n{len(content)}\n".encode(errors="surrogateescape") + content)
    return whole.hexdigest()


def files() -> list[str]:
    """The paths of all files of the program and of its bundled data."""
    return [entry.path for root in set(_roots()) for entry in _entries(root)]


def _roots() -> tuple[str, str, str]:
    return os.path.dirname(os.path.abspath(tjgen.__file__)), data.path("schemas"), data.path("runtimes")


def _files(root: str) -> Iterator[str]:
    for entry in _entries(root):
        known = entry.stat()
        yield f"{entry.path} {known.st_size} {known.st_mtime_ns}"


def _entries(root: str) -> Iterator[os.DirEntry[str]]:
    folders = [root]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except FileNotFoundError:
            continue
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                folders.append(entry.path)
            else:
                yield entry
