"""This installation of tjgen -> a digest that is another after every release, and after every edit of a checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256

import tjgen
from tjgen.trees import data


def digest() -> bytes:
    """The digest of the version, and of name, size and time of each file of the program and of its bundled data."""
    roots = {os.path.dirname(os.path.abspath(tjgen.__file__)), data.path("schemas"), data.path("runtimes")}
    lines = [tjgen.__version__]
    for root in sorted(roots):
        lines += sorted(_files(root))
    return sha256("\n".join(lines).encode(errors="surrogateescape")).digest()


def _files(root: str) -> Iterator[str]:
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
                known = entry.stat()
                yield f"{entry.path} {known.st_size} {known.st_mtime_ns}"
