"""Staged files and the steps that put them in place -> all steps done, or all undone, also after an interruption.

The journal is written before the first step and removed after the last one. While it exists, the commit is
incomplete, and the next build undoes it and builds again from the sources of that moment. It never completes
it: the sources may have changed, for example because another branch was checked out, and then the remaining
steps would add runs that the new sources do not have.

To undo a step, tjgen must recognize its own work. It touches a file only where digest and time of change are
those that the journal records, so a file that Git or a person has written since stays as it is.

Files are not synced to the disk: what a power failure loses is built again from the sources.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tjgen.gitops.emit import journal, staging
from tjgen.gitops.emit.filesystem import FileOnDisk, ObstacleError, Root
from tjgen.gitops.emit.journal import ABSENT, RECORD, Journal, JournalStep
from tjgen.trees.typing import NamedTuple


class Undone(NamedTuple):
    """What undoing a commit left; paths in order."""

    changed: list[str]
    """Files that have changed since the interruption and stay as they are."""
    removed: list[str]
    """Files that the commit had removed and that do not come back."""


Wanted = Callable[[str, list[str]], set[str]]
"""The root and paths of files that a commit had removed -> those that must come back."""


def carry_out(folder: str, commit: str, records: str, steps: list[JournalStep], roots: Mapping[str, str]) -> None:
    """Do the steps with what is staged in `folder`. The folders of new files exist already.

    `commit` and `records`: see `Journal`. Raises OSError, leaving a journal to undo.
    """
    steps = sorted(steps, key=_rank)
    for step in steps:
        if ABSENT not in (step.before, step.after):
            staging.duplicate(_target(step, roots), f"{folder}/{staging.old(step.name)}")
    journal.write(folder, commit, records, steps)
    for step in steps:
        if step.after != ABSENT:
            staging.move(f"{folder}/{step.name}", _target(step, roots))
        else:
            staging.move(_target(step, roots), f"{folder}/{staging.old(step.name)}")
    journal.remove(folder)
    for root, place in {(step.root, step.path.rpartition("/")[0]) for step in steps if step.after == ABSENT}:
        remove_empty(roots[root], place)


def undo(folder: str, pending: Journal, roots: Mapping[str, str], *, wanted: Wanted) -> Undone:
    """Undo what was done of a commit, then remove its journal. Raises OSError; a second call goes on from there."""
    backups = Root(folder)
    changed: list[str] = []
    missing: dict[str, list[JournalStep]] = {}
    for step in reversed(pending.steps):
        try:
            on_disk = _read(Root(roots[step.root]), step.path)
            backup = backups.read(staging.old(step.name)) if step.before != ABSENT else None
        except ObstacleError:
            changed.append(step.path)
            continue
        staging.discard_copy(_target(step, roots))
        now = journal.version(on_disk)
        is_restorable = journal.version(backup) == step.before
        if now.digest == step.before.digest:
            continue
        if now == ABSENT and step.after == ABSENT:
            # Without the file in the staging directory it was not the commit that removed it.
            if is_restorable:
                missing.setdefault(step.root, []).append(step)
        elif now == ABSENT or now != step.after or (step.before != ABSENT and not is_restorable):
            changed.append(step.path)
        else:
            _restore(folder, step, roots)
    removed = []
    for root, steps in missing.items():
        back = wanted(roots[root], [step.path for step in steps])
        for step in steps:
            if step.path in back:
                _restore(folder, step, roots)
            else:
                removed.append(step.path)
    journal.remove(folder)
    return Undone(sorted(changed), sorted(removed))


def remove_empty(root: str, folder: str) -> None:
    """Remove `folder` and the folders above it, up to `root`, as far as they are empty."""
    while folder:
        try:
            os.rmdir(f"{root}/{folder}")
        except FileNotFoundError:
            pass
        except OSError:
            # Not empty, as a rule. An empty folder does no harm: neither Git nor a sync sees it.
            return
        folder = folder.rpartition("/")[0]


def _rank(step: JournalStep) -> int:
    """Return the order of a step: a record exists before its files are added and until they are removed.

    If half of a commit remains, for example because it was added to Git, each file of a run still has its record.
    """
    if step.after != ABSENT:
        return 0 if step.root == RECORD else 1
    return 3 if step.root == RECORD else 2


def _restore(folder: str, step: JournalStep, roots: Mapping[str, str]) -> None:
    target = _target(step, roots)
    if step.before == ABSENT:
        os.unlink(target)
        remove_empty(roots[step.root], step.path.rpartition("/")[0])
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        staging.move(f"{folder}/{staging.old(step.name)}", target)


def _read(root: Root, path: str) -> FileOnDisk | None:
    root.enter(path.rpartition("/")[0])
    return root.read(path)


def _target(step: JournalStep, roots: Mapping[str, str]) -> str:
    return f"{roots[step.root]}/{step.path}"
