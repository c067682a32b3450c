"""A workspace -> folders next to its projects with runs that no project of the workspace has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import quote

from tjgen.compiler.building.plan import Plan
from tjgen.language.resolve.project import FILE, LoadedWorkspace
from tjgen.language.runs.lock import DIRECTORY
from tjgen.language.runs.store import Locks
from tjgen.trees.diagnostics.model import WARNING, Diagnostic
from tjgen.trees.files.problems import UnreadableError
from tjgen.trees.files.search import is_pattern

_SHOWN = 3


def unlisted(plan: Plan) -> Iterator[Diagnostic]:
    """TJ273 for runs in a folder without a project file, and TJ560 for a project with runs that the workspace does not list.

    Raises CompileError if a lock cannot be read.
    """
    workspace = plan.project.workspace
    assert workspace is not None, "only a workspace lists projects"
    known = {os.path.realpath(one) for one in (workspace.directory or ".", *workspace.members)}
    for folder in _folders(plan, workspace):
        if os.path.realpath(folder) not in known and os.path.isdir(os.path.join(folder, DIRECTORY)):
            names = sorted(name for _, lock in Locks(folder).all() for name in lock.runs)
            if names:
                yield _report(workspace, folder, names)


def leaving(folder: str) -> str:
    """The way of a project out of its workspace, for a hint."""
    first = f"first remove experiments and overlays from its {FILE}, build"
    return f"to remove the project, {first}, and use tjgen runs prune -C {quote(folder)} '*'"


def _folders(plan: Plan, workspace: LoadedWorkspace) -> Iterator[str]:
    """The folders next to the projects, and where the entries of the workspace name some."""
    parents = [os.path.dirname(os.path.join(workspace.directory, entry)) for entry in workspace.spec.projects]
    parents += [os.path.dirname(one) for one in workspace.members]
    for parent in dict.fromkeys(os.path.normpath(one) for one in parents if not is_pattern(one)):
        try:
            entries = plan.sandbox.entries(parent)
        except UnreadableError:  # the entry that names it is reported
            continue
        yield from (os.path.normpath(one.path) for one in entries if one.is_folder and one.name[0] != ".")


def _report(workspace: LoadedWorkspace, folder: str, names: list[str]) -> Diagnostic:
    runs = f"{len(names)} runs" if len(names) > 1 else "1 run"
    shown = ", ".join(names[:_SHOWN]) + (" and others" if len(names) > _SHOWN else "")
    span = workspace.document.locate(("spec", "projects"), key=True)
    if os.path.isfile(os.path.join(folder, FILE)):
        message = f"the workspace does not list project {folder}, which has {runs} ({shown})"
        hint = f"add {os.path.relpath(folder, workspace.directory or '.')} to projects; {leaving(folder)}"
        return Diagnostic("TJ560", message, span=span, hint=hint, severity=WARNING)
    verb = "belong" if len(names) > 1 else "belongs"
    message = f"{runs} of {folder} {verb} to no project: {folder} has no {FILE}, so nothing builds or verifies {shown}"
    return Diagnostic("TJ273", message, span=span, hint=f"restore {os.path.join(folder, FILE)}; {leaving(folder)}")
