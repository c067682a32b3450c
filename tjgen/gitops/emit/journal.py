"""The steps of a commit <-> the file that records them while they are carried out.

    tjgen journal 2 <TAB> inode of the staging directory <TAB> commit of Git <TAB> folder of records
    tree <TAB> path <TAB> name in the staging directory <TAB> before <TAB> time <TAB> after <TAB> time
    end

A journal belongs to one checkout and to one moment: it records the inode, the times of the files and the commit.
A copy of it, for example in a clone, is not valid elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from hashlib import sha256

from tjgen.gitops.emit import staging
from tjgen.gitops.emit.filesystem import FileOnDisk, ObstacleError, Root, is_safe
from tjgen.trees.typing import NamedTuple

TREE = "tree"
RECORD = "record"
_FORM = "tjgen journal 2"
_NAME = re.compile(r"[0-9a-f]+\Z")
_VERSION = re.compile(r"([0-9a-f]{64})?\t([0-9]*)\Z")
_NUMBER = re.compile(r"[0-9]{1,20}\Z")


class FileState(NamedTuple):
    """What a path holds before or after a step."""

    digest: str
    """SHA-256 in hexadecimal, or "" if there is no file."""
    modified: int
    """Time of the last change in nanoseconds, 0 if there is no file."""


ABSENT = FileState("", 0)


class JournalStep(NamedTuple):
    """One file to put in place or to remove."""

    root: str
    """TREE or RECORD: the directory that `path` is in."""
    path: str
    name: str
    """Name in the staging directory: of the new file, and with `staging.old` of the former one."""
    before: FileState
    after: FileState
    """ABSENT where the file is removed."""


class Journal(NamedTuple):
    """A commit that has begun."""

    inode: int
    """Of the staging directory that it was written in."""
    commit: str
    """What `checkout.commit` answered for the directory when the commit began."""
    records: str
    """The folder of records as seen from the directory, as `ascii` shows it."""
    steps: list[JournalStep]


class JournalError(Exception):
    """The journal has another form, or is not complete."""


def version(file: FileOnDisk | None) -> FileState:
    """The version that a file on disk is."""
    return FileState(digest(file.content), file.modified) if file is not None else ABSENT


def digest(content: bytes) -> str:
    """The digest of a version."""
    return sha256(content).hexdigest()


def write(folder: str, commit: str, records: str, steps: Iterable[JournalStep]) -> None:
    """Write the journal into the staging directory `folder`, whole or not at all. From here on the steps can be undone."""
    lines = [f"{_FORM}\t{os.lstat(folder).st_ino}\t{commit}\t{records}"]
    for step in steps:
        lines.append("\t".join((step.root, step.path, step.name, *map(str, (*step.before, *step.after)))))
    lines.append("end\n")
    staging.write(_new(folder), "\n".join(lines).encode())
    os.rename(_new(folder), _file(folder))


def exists(folder: str) -> bool:
    """Whether a commit has begun and not ended."""
    return os.path.lexists(_file(folder))


def read(folder: str) -> Journal | None:
    """The journal in the staging directory `folder`, or None; raises UnreadableError."""
    try:
        journal_file = Root(folder).read(staging.JOURNAL)
    except ObstacleError as obstacle:
        raise JournalError(folder) from obstacle
    if journal_file is None:
        return None
    lines = journal_file.content.decode(errors="replace").split("\n")
    head = lines[0].split("\t")
    if len(head) != 4 or head[0] != _FORM or not _NUMBER.match(head[1]) or lines[-2:] != ["end", ""]:
        raise JournalError(folder)
    return Journal(int(head[1]), head[2], head[3], [_step(line) for line in lines[1:-2]])


def remove(folder: str) -> None:
    """End the commit: what was done stays."""
    os.unlink(_file(folder))


def _file(folder: str) -> str:
    return f"{folder}/{staging.JOURNAL}"


def _new(folder: str) -> str:
    return f"{folder}/{staging.JOURNAL}.new"


def _step(line: str) -> JournalStep:
    fields = line.split("\t")
    if len(fields) != 7:
        raise JournalError(line)
    root, path, name, *versions = fields
    # A journal may come from a clone: no step may lead out of the directory.
    if root not in (TREE, RECORD) or not is_safe(path) or not _NAME.match(name):
        raise JournalError(line)
    return JournalStep(root, path, name, _version(*versions[:2]), _version(*versions[2:]))


def _version(content: str, modified: str) -> FileState:
    if not _VERSION.match(f"{content}\t{modified}") or not _NUMBER.match(modified):
        raise JournalError(content)
    return FileState(content, int(modified))
