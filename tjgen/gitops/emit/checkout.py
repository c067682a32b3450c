"""A directory -> the commit of Git that is checked out around it, read from Git's own files without running Git.

A build reads it each time that it writes, so it must cost no process. Recovery compares it: while the commit
is the same, a file that is missing was not removed by a change of branches.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256

_REFERENCE = "ref: "
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_NAME = re.compile(r"refs/[^\x00-\x20]+\Z")
_LONGEST = 1 << 16
"""Bytes that are read of a file; only packed references have more."""


def commit(directory: str) -> str:
    """ID of the commit; "" outside of a repository and before the first commit; "?..." where only a change would show."""
    repository = _repository(os.path.realpath(directory))
    if repository is None:
        return ""
    head = _text(f"{repository}/HEAD")
    if not head.startswith(_REFERENCE):
        return _checked(head)
    name = head[len(_REFERENCE) :].strip()
    shared = os.path.join(repository, _text(f"{repository}/commondir").strip())
    tables = _text(f"{shared}/reftable/tables.list")
    if tables or not _NAME.match(name) or ".." in name:
        # The format `reftable` is binary. Its list of tables changes with every change of a reference.
        return _opaque(head + tables)
    loose = _text(f"{shared}/{name}")
    return _checked(loose) if loose else _packed(f"{shared}/packed-refs", name)


def is_known(answer: str) -> bool:
    """Whether `commit` answered an ID."""
    return _COMMIT.match(answer) is not None


def _checked(text: str) -> str:
    return text.strip() if _COMMIT.match(text.strip()) else _opaque(text)


def _opaque(text: str) -> str:
    return "?" + sha256(text.encode()).hexdigest()


def _repository(folder: str) -> str | None:
    """The folder in which Git keeps the repository around `folder`, or None."""
    while True:
        place = f"{folder}/.git"
        if os.path.isdir(place):
            return place
        if os.path.isfile(place):
            # A linked working tree, or a submodule.
            return os.path.join(folder, _text(place).removeprefix("gitdir:").strip())
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _packed(file: str, name: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                known, _, reference = line.partition(" ")
                if reference.rstrip("\n") == name:
                    return _checked(known)
    except OSError:
        return ""
    return ""


def _text(file: str) -> str:
    if not os.path.isfile(file):
        return ""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read(_LONGEST)
    except OSError:
        return ""
