"""An output directory whose last command was interrupted -> undone before its locks are read, or a warning about it."""

from __future__ import annotations

from tjgen.gitops.emit import journal, problems, staging
from tjgen.trees.diagnostics.model import WARNING, CompileError, Diagnostic


def undo(directory: str, records: str) -> list[Diagnostic]:
    """Undo the interrupted command, for commands that choose runs by their locks; what was found. Raises CompileError."""
    if not _is_interrupted(directory):
        return []
    from tjgen.gitops.emit.tree import OutputTree

    with OutputTree(directory, records=records, history=still_wanted) as tree:
        return tree.notes


def warning(directory: str) -> list[Diagnostic]:
    """TJ063 as a warning, for commands that only read."""
    return [problems.interrupted(directory)._replace(severity=WARNING)] if _is_interrupted(directory) else []


def _is_interrupted(directory: str) -> bool:
    return journal.exists(staging.path_in(directory))


def still_wanted(commit: str, folder: str, paths: list[str]) -> set[str] | None:
    """Of `paths` below `folder`, those in Git's index, and those that `commit` did not have, so that Git did not take them.

    None where Git cannot answer.
    """
    from tjgen.gitops.diff.revision import (
        Repository,  # few builds follow an interrupted one, and running Git takes long to import
    )

    try:
        repository = Repository.around(folder)
        top = repository.path_of(folder)
        tracked = {path.removeprefix(f"{top}/") for path in repository.staged()}
        others = [path for path in paths if path not in tracked]
        before = {*repository.paths(repository.commit(commit), top)} if others else set()
    except CompileError:
        return None
    return {path for path in paths if path in tracked or path not in before}
