"""Files that an interrupted command had removed, and the commit of that moment -> those that the checkout must have now."""

from __future__ import annotations

from tjgen.diagnostics.model import CompileError


def still_wanted(commit: str, folder: str, paths: list[str]) -> set[str] | None:
    """Of `paths` below `folder`, those in Git's index, and those that `commit` did not have, so that Git did not take them.

    None where Git cannot answer.
    """
    from tjgen.diff.revision import Repository  # few builds follow an interrupted one, and running Git takes long to import

    try:
        repository = Repository.around(folder)
        top = repository.path_of(folder)
        tracked = {path.removeprefix(f"{top}/") for path in repository.staged()}
        others = [path for path in paths if path not in tracked]
        before = {*repository.paths(repository.commit(commit), top)} if others else set()
    except CompileError:
        return None
    return {path for path in paths if path in tracked or path not in before}
