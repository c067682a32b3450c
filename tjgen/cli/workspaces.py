"""Refuse commands that work on one project in the folder of a workspace, where they would find no runs."""

from __future__ import annotations

from tjgen.cli.command import UsageError
from tjgen.language.resolve.project import LoadedProject


def refuse_workspace(command: str, project: LoadedProject, *, has_runs: bool) -> None:
    """Raise UsageError if the project is a workspace without runs of its own, which is `has_runs`."""
    if not project.is_workspace or has_runs or project.workspace is None:
        return
    members = project.workspace.members
    example = f", such as {members[0]}" if members else ""
    raise UsageError(f"tjgen {command} works on one project of the workspace: change to its folder{example}")
