"""The locks of a project and the folder of a build -> TJ283 if the runs of the locks are in another folder.

A second tree is not a copy: either two owners apply every run, or the owner of the first tree no longer gets new runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from tjgen.compiler.building.plan import Plan
from tjgen.gitops.diff.revision import Repository
from tjgen.gitops.emit.ondisk import below, bodies
from tjgen.gitops.output.layout import PREVIEW_NOTE, folder_of
from tjgen.language.runs.lock import DIRECTORY, Lock
from tjgen.language.runs.store import LockKey
from tjgen.trees.diagnostics.model import CompileError, Diagnostic
from tjgen.trees.files.repository import repository_of
from tjgen.trees.files.sandbox import is_below

OUTPUT = ("spec", "output", "directory")


def second_tree(plan: Plan, directory: str) -> list[Diagnostic]:
    """TJ283 if a build into `directory` would be a second tree. Raises CompileError if a lock or folder cannot be read."""
    present = present_tree(plan, directory)
    if present is None:
        return []
    message = f"the runs of the project are in {present}, so a build into {directory} would create them a second time"
    document = plan.project.document
    if document is not None and plan.output is not None and os.path.normpath(directory) == plan.output:
        hint = f"use tjgen migrate for the steps that move {present}, or set output.directory to {present} in the project"
        return [Diagnostic("TJ283", message, span=document.locate(OUTPUT), hint=hint)]
    hint = f"use -o {present}, or a folder outside the repository for a preview; tjgen migrate has the steps that move a tree"
    return [Diagnostic("TJ283", message, hint=hint)]


def second_tree_of(plan: Plan, directory: str, locks: Sequence[tuple[LockKey, Lock]]) -> list[Diagnostic]:
    """TJ283 if a build of these experiments into `directory` would be a second tree of their runs."""
    for one in locks:
        present = _elsewhere(plan, directory, [one])
        if present is not None:
            message = f"the runs of {one[0].key} are in {present}, so a build into {directory} would create them a second time"
            hint = f"use -o {present}, or a folder outside the repository for a preview"
            return [Diagnostic("TJ283", message, hint=hint)]
    return []


def other_project(plan: Plan, directory: str, paths: Sequence[str]) -> list[Diagnostic]:
    """TJ288 if another project in the repository has one of the locks `paths`, whose experiments have runs in `directory`."""
    root, own = _root(plan), os.path.realpath(plan.locks.folder)
    for folder in _folders_below(root):
        locks = os.path.join(folder, DIRECTORY)
        path = next((path for path in paths if os.path.isdir(os.path.join(locks, path))), None)
        if path is None or os.path.realpath(locks) == own:
            continue
        environment, _, experiment = path.partition("/")
        key = experiment if environment == "default" else path
        message = f"{directory} has runs of {key}, which belong to the project in {os.path.relpath(folder)}"
        document = plan.project.document
        is_own = document is not None and plan.output is not None and os.path.normpath(directory) == plan.output
        span = document.locate(OUTPUT) if document is not None and is_own else None
        hint = "use one folder for each project: a build removes other files in its folder; or restore the lock"
        return [Diagnostic("TJ288", message, span=span, hint=hint)]
    return []


def present_tree(plan: Plan, directory: str) -> str | None:
    """The folder with the runs of the locks, if it is another one. None for a preview: outside the repository, or ignored."""
    return _elsewhere(plan, directory, [one for one in plan.locks.all() if one[0].environment in plan.environments])


def _root(plan: Plan) -> str:
    project = plan.project.directory or "."
    return os.path.realpath(repository_of(project) or project)


def _elsewhere(plan: Plan, directory: str, locks: Sequence[tuple[LockKey, Lock]]) -> str | None:
    """The folder other than `directory` that has runs of these locks; None for a preview."""
    root = _root(plan)
    if not is_below(os.path.realpath(directory), root):
        return None
    runs = [folder_of(place, run) for place, lock in locks for run in lock.runs.values()]
    path = _holding(runs, root, directory, plan.output) if runs else None
    return None if path is None or _is_ignored(directory) else path


def _holding(runs: Sequence[str], root: str, directory: str, output: str | None) -> str | None:
    """The first folder below `root` that holds one of these runs: that of the project before others."""
    own = os.path.realpath(directory)
    if output is not None and os.path.realpath(output) != own and _holds(output, runs):
        return output
    tops = {run.partition("/")[0] for run in runs}
    for folder in _folders_below(root):
        if folder != own and not tops.isdisjoint(_folders(folder)) and _holds(folder, runs):
            return os.path.relpath(folder)
    return None


def _folders_below(root: str) -> Iterator[str]:
    """The folder and all folders in it, without those of locks and of nested repositories, which have their own projects."""
    folders = [root]
    for folder in folders:
        yield folder
        places = [os.path.join(folder, name) for name in _folders(folder) if name != DIRECTORY]
        folders += [place for place in places if not os.path.lexists(os.path.join(place, ".git"))]


def _folders(folder: str) -> list[str]:
    """The names of the folders in a folder; none if it cannot be read: a build could not have written it."""
    try:
        return [os.path.basename(one) for one in below(folder, ".")]
    except CompileError:
        return []


def _holds(directory: str, runs: Sequence[str]) -> bool:
    """Whether the folder has a run: a folder of previews has the same paths."""
    bodies_of_runs = (bodies(directory, run) for run in runs if os.path.isdir(os.path.join(directory, run)))
    return any(not body.startswith(PREVIEW_NOTE) for texts in bodies_of_runs for body in texts.values())


def _is_ignored(directory: str) -> bool:
    """Whether Git ignores the folder, so that no commit contains it; not outside of a repository."""
    try:
        repository = Repository.around(directory)
        return repository.ignores(repository.path_of(directory))
    except CompileError:
        return False
