"""Staged files and a list of what to do with them -> a directory in which all of it is done, whatever happens meanwhile.

While a build collects, new contents lie in the staging (`DIR/.tjgen/`) under numbers. Renaming the list
to `journal` is the moment of decision: before it nothing of the directory has changed and the staging is
thrown away, after it only finishing is possible, now or by the next build. One staging folder on the
file system of the directory costs one rename a file, as a temporary beside each file would, and what
an interrupted build leaves lies in one place that Git and Kubernetes tools do not look at.

Nothing is synced to the platter: what a power failure loses is built again from the sources.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from hashlib import sha256

from tjgen.emit.filesystem import ObstacleError, Root, is_safe
from tjgen.typing import NamedTuple

TREE = "tree"
RECORD = "record"
_FIRST = "tjgen journal 1"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_STAGED = re.compile(r"[0-9a-f]*\Z")


class Step(NamedTuple):
    """One file to put in place, or, without `after`, to remove."""

    root: str
    """TREE or RECORD: the directory that `path` is in."""
    path: str
    stage: str
    """Name of the staged file, or "" where the file is removed."""
    before: str
    """Digest of the file that stood there when the build looked, or "" for none."""
    after: str
    """Digest of the staged file, or ""."""


class UnreadableError(Exception):
    """The journal does not say what to do."""


def digest(content: bytes) -> str:
    """What a step calls `before` and `after`."""
    return sha256(content).hexdigest()


def stage(staging: str, number: int, content: bytes, mode: int | None) -> str:
    """Write `content` into the staging; its name there. `mode`: permissions to keep, where the file exists."""
    name = f"{number:x}"
    write(f"{staging}/{name}", content, mode)
    return name


def write(path: str, content: bytes, mode: int | None = None) -> None:
    """Write a file of the staging, not through a link; `mode` where the permissions are not to be the usual ones."""
    descriptor = os.open(path, _NEW, 0o666)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        # A write may take less than it was given, for instance when the disk is filling up.
        written = os.write(descriptor, content)
        while written < len(content):
            written += os.write(descriptor, content[written:])
    finally:
        os.close(descriptor)


def decide(staging: str, records: str, steps: Iterable[Step]) -> None:
    """Write the journal: from here on the steps will be carried out. `records`: their folder, relative to the staging."""
    lines = [f"{_FIRST}\t{records}"]
    lines += ["\t".join(step) for step in steps]
    lines.append("end\n")
    write(f"{staging}/journal.new", "\n".join(lines).encode())
    os.rename(f"{staging}/journal.new", f"{staging}/journal")


def is_decided(staging: str) -> bool:
    """Whether there is a journal: something is, or may be, left to carry out."""
    return os.path.lexists(f"{staging}/journal")


def pending(staging: str) -> tuple[str, list[Step]] | None:
    """The folder of records and the steps of an interrupted build, or None; raises UnreadableError."""
    try:
        found = Root(staging).read("journal")
    except ObstacleError as obstacle:
        raise UnreadableError(staging) from obstacle
    if found is None:
        return None
    lines = found.content.decode(errors="replace").split("\n")
    first, _, records = lines[0].partition("\t")
    if first != _FIRST or lines[-2:] != ["end", ""]:
        raise UnreadableError(staging)
    steps = []
    for line in lines[1:-2]:
        fields = line.split("\t")
        if len(fields) != len(Step._fields):
            raise UnreadableError(staging)
        step = Step(*fields)
        # The journal may come out of a clone: it must not lead anywhere else.
        if step.root not in (TREE, RECORD) or not is_safe(step.path) or not _STAGED.match(step.stage):
            raise UnreadableError(staging)
        steps.append(step)
    return records, steps


def carry_out(staging: str, steps: list[Step], roots: dict[str, str]) -> None:
    """Do what was just decided, then forget it. Folders of new files exist already."""
    for step in steps:
        _do(staging, step, roots)
    _end(staging, steps, roots)


def finish(staging: str, steps: list[Step], roots: dict[str, str]) -> list[str]:
    """Do what an interrupted build had decided and not done; the files that have changed since stay, and are returned."""
    newer = []
    for step in steps:
        try:
            now = _digest_at(roots[step.root], step.path)
            staged = _digest_at(staging, step.stage) if step.stage else ""
        except ObstacleError:
            newer.append(step.path)
            continue
        if now == step.after:
            continue
        if now != step.before or staged != step.after:
            newer.append(step.path)
            continue
        os.makedirs(os.path.dirname(f"{roots[step.root]}/{step.path}"), exist_ok=True)
        _do(staging, step, roots)
    _end(staging, steps, roots)
    return newer


def clear(staging: str) -> None:
    """Throw away what is staged; the folder itself goes when nothing else is in it."""
    for name in os.listdir(staging):
        if name != "lock":
            os.unlink(f"{staging}/{name}")


def remove_empty(root: str, folder: str) -> None:
    """Remove `folder` and the folders above it, up to `root`, as far as they are empty."""
    while folder:
        try:
            os.rmdir(f"{root}/{folder}")
        except FileNotFoundError:
            pass
        except OSError:
            # Not empty, as a rule. An empty folder that stays harms nobody: neither Git nor a sync sees it.
            return
        folder = folder.rpartition("/")[0]


def _do(staging: str, step: Step, roots: dict[str, str]) -> None:
    target = f"{roots[step.root]}/{step.path}"
    if step.stage:
        _move(f"{staging}/{step.stage}", target)
    elif os.path.lexists(target):
        os.unlink(target)


def _end(staging: str, steps: list[Step], roots: dict[str, str]) -> None:
    for root, folder in {(step.root, step.path.rpartition("/")[0]) for step in steps if not step.stage}:
        remove_empty(roots[root], folder)
    os.unlink(f"{staging}/journal")


def _digest_at(root: str, path: str) -> str:
    place = Root(root)
    place.enter(path.rpartition("/")[0])
    found = place.read(path)
    return digest(found.content) if found is not None else ""


def _move(staged: str, target: str) -> None:
    try:
        os.rename(staged, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # Part of the directory, or the folder of records, is on another file system: copy, then rename there.
        with open(staged, "rb") as file:
            content = file.read()
        near = f"{os.path.dirname(target)}/.{os.path.basename(target)}.tjgen"
        write(near, content, os.stat(staged).st_mode & 0o7777)
        os.rename(near, target)
        os.unlink(staged)
