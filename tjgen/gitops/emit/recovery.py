"""What an interrupted command left in a directory -> the directory as it was before that command, and notes about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from tjgen.gitops.emit import checkout, journal, problems, staging, transaction
from tjgen.gitops.emit.journal import Journal
from tjgen.trees.diagnostics.model import CompileError, Diagnostic

History = Callable[[str, str, list[str]], "set[str] | None"]
"""A commit, a folder and paths below it, of files that were removed while that commit was checked out -> those that
the checkout must have now. None where Git cannot answer."""


def recover(directory: str, roots: Mapping[str, str], records: str, history: History | None) -> list[Diagnostic]:
    """Undo a commit that did not end and remove what was staged; what was found (TJ058, TJ059, TJ068).

    `roots` and `records`: see `transaction.carry_out`. Raises CompileError (TJ061, TJ065 to TJ067) where the journal does not
    belong here; nothing is changed then. Raises OSError.
    """
    folder = staging.path_in(directory)
    pending = _pending(folder, roots, records)
    notes = []
    if pending is not None:
        undone = transaction.undo(
            folder, pending, roots, wanted=lambda root, paths: _wanted(directory, pending, root, paths, history)
        )
        notes += [problems.kept_newer(path) for path in undone.changed]
        if undone.removed:
            notes.append(problems.stays_removed(undone.removed, pending.commit))
    if pending is not None or staging.leftovers(folder):
        notes.append(problems.recovered(directory, undone=pending is not None))
    staging.clear(folder)
    return notes


def undo_now(directory: str, roots: Mapping[str, str]) -> None:
    """Undo the commit that this process has just begun, as far as the operating system lets it; the rest is for `recover`."""
    folder = staging.path_in(directory)
    try:
        pending = journal.read(folder)
        if pending is not None:
            transaction.undo(folder, pending, roots, wanted=lambda _, paths: {*paths})
    except (OSError, journal.JournalError):
        # The failure that led here is reported, and the journal is still there.
        return


def _pending(folder: str, roots: Mapping[str, str], records: str) -> Journal | None:
    file = f"{folder}/{staging.JOURNAL}"
    try:
        pending = journal.read(folder)
    except journal.JournalError:
        raise CompileError([problems.unreadable_journal(file)]) from None
    if pending is None:
        return None
    if pending.inode != os.lstat(folder).st_ino:
        raise CompileError([problems.journal_of_another_checkout(file)])
    if pending.records != records:
        raise CompileError([problems.journal_of_another_project(file, pending.records, records)])
    if any(step.root not in roots for step in pending.steps):
        raise CompileError([problems.unreadable_journal(file)])
    return pending


def _wanted(directory: str, pending: Journal, root: str, paths: list[str], history: History | None) -> set[str]:
    """The removed files that come back. Raises CompileError (TJ066)."""
    before, now = pending.commit, checkout.commit(directory)
    # Without a commit Git had none of the files, so that no change of branches took them away.
    if before in (now, ""):
        return {*paths}
    answer = history(before, root, paths) if history is not None else None
    if answer is None:
        raise CompileError([problems.removed_files_unknown(directory, paths, before if checkout.is_known(before) else "")])
    return answer
